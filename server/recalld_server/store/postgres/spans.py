"""A span for each statement: which one, never with what values, nor its text where ids are part of it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType

from opentelemetry.trace import Span

from recalld_server import telemetry
from recalld_server.store.postgres.queries import name_of
from recalld_server.telemetry.conventions import DB_OPERATION, DB_STATUS, DB_SUMMARY, DB_SYSTEM


class Statement(AbstractContextManager[Span]):
    """A with block around one statement, which is below the current span; none while there is no current span."""

    __slots__ = ("_block", "_span")

    def __init__(self, sql: str, operation: str = "") -> None:
        """`operation`: for statements whose text shall not be looked at."""
        self._block: AbstractContextManager[Span] = telemetry.NOTHING
        if telemetry.tracing():
            summary = operation or name_of(sql)
            first = summary.partition(" ")[0]
            attributes = {DB_SYSTEM: "postgresql", DB_OPERATION: first, DB_SUMMARY: summary}
            self._block = telemetry.child(summary, attributes, kind=telemetry.SpanKind.CLIENT)

    def __enter__(self) -> Span:
        self._span = self._block.__enter__()
        return self._span

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        code = getattr(error, "sqlstate", None)
        if code:
            self._span.set_attribute(DB_STATUS, code)
        self._block.__exit__(kind, error, trace)
