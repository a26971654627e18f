"""What a phrase can mean before it is settled: a span of time, or something that comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final

EARLIEST: Final = datetime(1, 1, 2, tzinfo=UTC)
"""The start of a range without one ("before 2024"): a day above the calendar's first, so that every zone can show it."""

LATEST: Final = datetime(9999, 12, 30, tzinfo=UTC)
"""The end of a range that starts in the future and has no end ("after tomorrow")."""


@dataclass(frozen=True, slots=True)
class Span:
    """Aware, half-open: start <= t < end."""

    start: datetime
    end: datetime

    @property
    def days(self) -> int:
        """The number of calendar days that it covers when it runs from midnight to midnight."""
        return (self.end.date() - self.start.date()).days


@dataclass(frozen=True, slots=True)
class Recurring:
    """A month, a weekday, a season, a holiday without its year: `nth(n)` is the one of year (week, month) `n`.

    `number` gives the n of a date. `nth` answers None where there is none (29 February).
    """

    nth: Callable[[int], Span | None]
    number: Callable[[date], int]


Value = Span | Recurring


def mapped(value: Value, change: Callable[[Span], Span | None]) -> Value | None:
    """`change` applied to a span, or to each of a recurring one."""
    if isinstance(value, Span):
        return change(value)
    nth = value.nth

    def changed(number: int) -> Span | None:
        span = nth(number)
        return change(span) if span is not None else None

    return Recurring(changed, value.number)
