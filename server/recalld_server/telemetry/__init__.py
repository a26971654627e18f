"""Traces and figures for an operator. Imports nothing of ours; nothing configured costs nothing."""

from opentelemetry.trace import SpanKind

from recalld_server.telemetry.metrics import (
    count_cache,
    count_chore,
    count_jobs,
    count_outcome,
    count_replica_read,
    count_tokens,
    count_used,
    measuring,
    observe,
    observe_pool,
    record_call,
    record_model,
    record_search,
    record_wait,
)
from recalld_server.telemetry.setup import Telemetry, TelemetryOptions, TelemetrySetupError, start_telemetry
from recalld_server.telemetry.stages import Stages
from recalld_server.telemetry.tracing import (
    NOTHING,
    caller_of,
    child,
    fail,
    fail_current,
    reason_of,
    span,
    trace_ids,
    traceparent,
    tracing,
)

__all__ = [
    "NOTHING",
    "SpanKind",
    "Stages",
    "Telemetry",
    "TelemetryOptions",
    "TelemetrySetupError",
    "caller_of",
    "child",
    "count_cache",
    "count_chore",
    "count_jobs",
    "count_outcome",
    "count_replica_read",
    "count_tokens",
    "count_used",
    "fail",
    "fail_current",
    "measuring",
    "observe",
    "observe_pool",
    "reason_of",
    "record_call",
    "record_model",
    "record_search",
    "record_wait",
    "span",
    "start_telemetry",
    "trace_ids",
    "traceparent",
    "tracing",
]
