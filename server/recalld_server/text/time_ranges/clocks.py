"""Hours inside a named day: which half of the day is meant, and the span between two of them.

A single time of the clock is a span without length, so that it can begin or end a longer one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from recalld_server.text.time_ranges.calendar import Calendar
from recalld_server.text.time_ranges.spans import Span, Value, mapped

_EITHER_SIDE: Final = timedelta(minutes=30)
_HALF: Final = 12 * 60
_DAY: Final = 24 * 60
_NEAR: Final = 3 * 60
"""Minutes that an open time may lie outside the part of the day that is named: "at 4 this morning"."""
_OFFICE: Final = 7 * 60
"""From here on 9:30 without a part of the day is the time of a 24-hour clock; "3:00" could be either."""


@dataclass(frozen=True, slots=True)
class Clock:
    """`minutes` after midnight; unless `exact`, twelve hours more may be meant. `digital` is written with a colon."""

    minutes: int
    exact: bool
    digital: bool = False

    def inside(self, part: tuple[int, int]) -> Clock:
        """The exact time that is nearest to a part of the day, in hours: "3 in the afternoon"."""
        bounds = part[0] * 60, part[1] * 60
        return Clock(min(self.readings(), key=lambda minutes: _outside(minutes, bounds)) % _DAY, exact=True)

    def readings(self) -> tuple[int, ...]:
        """All minutes after the midnight before the day that can be meant, two days of them."""
        if self.exact:
            return self.minutes, self.minutes + _DAY
        return tuple(self.minutes % _HALF + _HALF * half for half in range(4))


def clocked(calendar: Calendar, value: Value, first: Clock, last: Clock | None) -> Value | None:
    """The time `first`, or from `first` to `last`, of a day or of a part of one; None when that leaves it open."""
    span = calendar.settled(value)
    if span is None or _within(calendar, span, first, last) is None:
        return None
    return mapped(value, lambda day: _within(calendar, day, first, last))


def around(calendar: Calendar, moment: datetime) -> Span:
    """What a time of the clock that stands alone means: half an hour either side of it, as of "an hour ago"."""
    # In UTC: half an hour is one when the clocks change.
    middle = moment.astimezone(UTC)
    return Span(*((middle + sign * _EITHER_SIDE).astimezone(calendar.zone) for sign in (-1, 1)))


def _within(calendar: Calendar, span: Span, first: Clock, last: Clock | None) -> Span | None:
    day = span.start.date()
    if span == calendar.days(day, day):
        part = None
        first, last = _on_a_whole_day(first), _on_a_whole_day(last) if last is not None else None
        if not first.exact and (last is None or not last.exact):
            return None
    elif span.start < span.end and span.days <= 1:
        begin = span.start.hour * 60
        part = begin, begin + (span.end.replace(tzinfo=None) - span.start.replace(tzinfo=None)).seconds // 60
    else:
        return None
    chosen = _chosen(first, last, part)
    return None if chosen is None else Span(*(calendar.moment(day, *divmod(minutes, 60)) for minutes in chosen))


def _on_a_whole_day(clock: Clock) -> Clock:
    return Clock(clock.minutes, exact=clock.exact or (clock.digital and clock.minutes >= _OFFICE))


def _chosen(first: Clock, last: Clock | None, part: tuple[int, int] | None) -> tuple[int, int] | None:
    """The reading that lies nearest to the part of the day, and of those the shortest."""

    def outside(pair: tuple[int, int]) -> int:
        return 0 if part is None else sum(_outside(minutes, part) for minutes in set(pair))

    latest = _DAY if part is None else max(_DAY, part[1])
    starts = [minutes for minutes in first.readings() if minutes < latest]
    pairs = [(start, end) for start in starts for end in ([start] if last is None else last.readings())]
    pairs = [pair for pair in pairs if last is None or pair[0] < pair[1]]
    best = min(pairs, key=lambda pair: (outside(pair), pair[1] - pair[0], pair[0]), default=None)
    if best is None or (not first.exact and part is not None and _outside(best[0], part) > _NEAR):
        return None
    return best


def _outside(minutes: int, part: tuple[int, int]) -> int:
    return max(part[0] - minutes, minutes - part[1], 0)
