"""The stages of an operation, one after the other: timed always, and a span each while somebody collects them."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from types import TracebackType

from opentelemetry.trace import Span

from recalld_server.telemetry import metrics, tracing


class Stages:
    """A with block around an operation. `mark` ends the stage that has run since the mark before and names it, so what
    runs in between (statements, calls of models) is inside its span."""

    def __init__(self, operation: str) -> None:
        self._operation = operation
        self._begin = self._last = time.perf_counter()
        self.timings: list[tuple[str, float]] = []
        """Milliseconds by stage."""
        self._whole: AbstractContextManager[Span] | None = None
        self._stage: AbstractContextManager[Span] | None = None
        self._span: Span | None = None

    @property
    def seconds(self) -> float:
        """Since the operation began."""
        return time.perf_counter() - self._begin

    def mark(self, stage: str, **counts: int) -> None:
        """Ends a stage. `counts` are kept with its span."""
        now = time.perf_counter()
        seconds, self._last = now - self._last, now
        self.timings.append((stage, seconds * 1000))
        metrics.record_stage(self._operation, stage, seconds)
        if self._stage is not None and self._span is not None:
            self._span.update_name(f"{self._operation} {stage}")
            for name, count in counts.items():
                self._span.set_attribute(f"recalld.{name}", count)
            self._stage.__exit__(None, None, None)
            self._open()

    def __enter__(self) -> Stages:
        if tracing.tracing():
            self._whole = tracing.span(self._operation)
            self._whole.__enter__()
            self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._whole is None or self._stage is None:
            return
        self._stage.__exit__(kind, error, trace)
        self._whole.__exit__(kind, error, trace)

    def _open(self) -> None:
        # what runs after the last mark is the making of the answer
        self._stage = tracing.span(f"{self._operation} answer")
        self._span = self._stage.__enter__()
