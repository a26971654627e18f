"""Sends the bridge's spans to a collector, when RECALLD_OTLP_ENDPOINT names one. Unset, nothing is loaded.

The MCP library puts messages of exceptions and names of resources into its spans, which may hold what a person said; so
only attributes that are known to be harmless leave this process.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING, Any

from recalld.errors import ConfigurationError
from recalld_mcp import __version__

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

ENDPOINT = "RECALLD_OTLP_ENDPOINT"
PROTOCOL = "RECALLD_OTLP_PROTOCOL"
CLOSE_SECONDS = 2.0
HARMLESS = frozenset(
    {
        "error.type",
        "gen_ai.operation.name",
        "gen_ai.tool.name",
        "jsonrpc.protocol.version",
        "mcp.method.name",
        "mcp.protocol.version",
        "network.transport",
        "rpc.method",
        "rpc.response.status_code",
        "rpc.system.name",
    }
)
TOOL = "gen_ai.tool.name"
METHOD = "mcp.method.name"


@contextmanager
def traced() -> Iterator[None]:
    """Collects spans inside the block. Raises ConfigurationError."""
    endpoint = os.environ.get(ENDPOINT, "").strip()
    if not endpoint:
        yield
        return
    close = _start(endpoint, os.environ.get(PROTOCOL, "grpc"))
    try:
        yield
    finally:
        # a collector that does not answer must not keep the bridge
        delivery = Thread(target=close, daemon=True)
        delivery.start()
        delivery.join(CLOSE_SECONDS)


def _start(endpoint: str, protocol: str) -> Callable[[], None]:
    try:
        from opentelemetry import trace
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

        exporter: Any
        if protocol == "http":
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as Http

            exporter = Http(f"{endpoint.rstrip('/')}/v1/traces")
        else:
            from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as Grpc

            exporter = Grpc(endpoint, insecure=not endpoint.startswith("https://"))
    except ImportError as error:
        raise ConfigurationError(
            f"{ENDPOINT}: {error.name} is not installed: pip install 'recalld-mcp[telemetry]'"
        ) from error

    class Harmless(SpanExporter):
        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            result: SpanExportResult = exporter.export([harmless(span) for span in spans])
            return result

        def shutdown(self) -> None:
            exporter.shutdown()

    logging.getLogger("opentelemetry.exporter").setLevel(logging.CRITICAL)
    resource = Resource.create({"service.name": "recalld-mcp", "service.version": __version__})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(Harmless()))
    trace.set_tracer_provider(provider)
    return provider.shutdown


def harmless(span: ReadableSpan) -> ReadableSpan:
    """The span without messages, events, and attributes that are not known to be harmless."""
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.trace import Status

    attributes = {name: value for name, value in (span.attributes or {}).items() if name in HARMLESS}
    name = span.name
    if METHOD in attributes:
        name = f"{attributes[METHOD]} {attributes[TOOL]}" if TOOL in attributes else str(attributes[METHOD])
    return ReadableSpan(
        name,
        span.context,
        span.parent,
        span.resource,
        attributes,
        links=span.links,
        kind=span.kind,
        instrumentation_scope=span.instrumentation_scope,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
    )
