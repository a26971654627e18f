"""Spans. While nothing is configured every function here returns at once.

A span says what kind of thing failed, never how the failure was worded: messages of drivers and models may quote what a
caller wrote. For the same reason no instrumentation of a library is switched on, since those record statements and
messages.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from contextvars import Token
from types import TracebackType

from opentelemetry import context
from opentelemetry.context import Context
from opentelemetry.trace import (
    INVALID_SPAN,
    Link,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    Tracer,
    get_current_span,
    set_span_in_context,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from recalld_server.telemetry.conventions import ERROR_TYPE

Attributes = Mapping[str, str | int | float | bool]

_PROPAGATOR = TraceContextTextMapPropagator()
_tracer: Tracer | None = None


def use_tracer(tracer: Tracer | None) -> None:
    """Spans of this process go to `tracer` from now on; None: nowhere."""
    global _tracer
    _tracer = tracer


def tracing() -> bool:
    """Whether spans go anywhere."""
    return _tracer is not None


class _Nothing(AbstractContextManager[Span]):
    def __enter__(self) -> Span:
        return INVALID_SPAN

    def __exit__(self, *_: object) -> None:
        return None


NOTHING: AbstractContextManager[Span] = _Nothing()
"""The block of a span that nobody collects."""


class _Opened(AbstractContextManager[Span]):
    """A span that is current inside the with block, and failed when the block raises."""

    __slots__ = ("_span", "_token")

    def __init__(self, span: Span) -> None:
        self._span = span
        self._token: Token[Context] | None = None

    def __enter__(self) -> Span:
        self._token = context.attach(set_span_in_context(self._span))
        return self._span

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._token is not None:
            context.detach(self._token)
        if error is not None and not isinstance(error, GeneratorExit):
            fail(self._span, reason_of(error))
        self._span.end()


def span(
    name: str,
    attributes: Attributes | None = None,
    *,
    kind: SpanKind = SpanKind.INTERNAL,
    caller: Context | None = None,
    links: Iterable[str] = (),
) -> AbstractContextManager[Span]:
    """A span for the length of a with block, below the current one; or below `caller`'s. `links`: traceparents of what
    caused this without waiting for it."""
    if _tracer is None:
        return NOTHING
    found = [Link(each) for each in map(_context_of, links) if each.is_valid]
    return _Opened(_tracer.start_span(name, caller, kind, attributes, found))


def child(
    name: str, attributes: Attributes | None = None, *, kind: SpanKind = SpanKind.INTERNAL
) -> AbstractContextManager[Span]:
    """A span below the current one, and none where there is none: what the server does by itself begins no traces."""
    if _tracer is None or not get_current_span().get_span_context().is_valid:
        return NOTHING
    return _Opened(_tracer.start_span(name, None, kind, attributes))


def fail(failed: Span, reason: str) -> None:
    """Marks a span as failed; the first reason stays."""
    # only the SDK's spans know their status
    status: Status | None = getattr(failed, "status", None)
    if failed.is_recording() and (status is None or status.is_unset):
        failed.set_status(Status(StatusCode.ERROR, reason))
        failed.set_attribute(ERROR_TYPE, reason)


def fail_current(reason: str) -> None:
    """Marks the current span as failed."""
    fail(get_current_span(), reason)


def reason_of(error: BaseException) -> str:
    """What failed in one word: a reason of the contract, or the name of the exception's class."""
    if isinstance(error, asyncio.CancelledError):
        return "CANCELLED"
    return getattr(error, "reason", "") or type(error).__name__


def caller_of(metadata: Iterable[tuple[str, str | bytes]]) -> Context:
    """The trace that a call's metadata names; an empty context when it names none."""
    carrier = {key: value for key, value in metadata if key in _PROPAGATOR.fields and isinstance(value, str)}
    return _PROPAGATOR.extract(carrier, Context())


def traceparent() -> str:
    """The current span for whoever carries on later; empty when there is none, or when it is not sampled."""
    if _tracer is None or not get_current_span().get_span_context().trace_flags.sampled:
        return ""
    carrier: dict[str, str] = {}
    _PROPAGATOR.inject(carrier)
    return carrier.get("traceparent", "")


def trace_ids() -> dict[str, str]:
    """The current trace and span for a line of the log; empty when there is none."""
    if _tracer is None:
        return {}
    current = get_current_span().get_span_context()
    if not current.is_valid:
        return {}
    return {"trace_id": f"{current.trace_id:032x}", "span_id": f"{current.span_id:016x}"}


def _context_of(value: str) -> SpanContext:
    return get_current_span(_PROPAGATOR.extract({"traceparent": value}, Context())).get_span_context()
