"""Parts of a day, a month, a year; and counted distances from now ("three weeks ago", "the past two hours")."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from typing import Final

from recalld_server.text.time_ranges.calendar import Calendar
from recalld_server.text.time_ranges.spans import Span


class Unit(Enum):
    """A unit of time that people count in."""

    SECOND = "second"
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    FORTNIGHT = "fortnight"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    DECADE = "decade"


class Part(Enum):
    """Where in a month, year, week or decade."""

    BEGIN = "begin"
    EARLY = "early"
    MIDDLE = "middle"
    LATE = "late"
    END = "end"


@dataclass(frozen=True, slots=True)
class Amount:
    """How many: exact (low == high), or between two numbers ("two or three", "a few")."""

    low: float
    high: float

    def plus(self, more: float) -> Amount:
        return Amount(self.low + more, self.high + more)


_IN_SMALLER: Final = {
    (Unit.HOUR, Unit.MINUTE): 60,
    (Unit.DAY, Unit.HOUR): 24,
    (Unit.WEEK, Unit.DAY): 7,
    (Unit.YEAR, Unit.MONTH): 12,
}


def together(amount: Amount, unit: Unit, more: Amount, smaller: Unit) -> Amount | None:
    """A year and three months, in months; None where the smaller unit does not divide the larger."""
    factor = _IN_SMALLER.get((unit, smaller))
    return None if factor is None else Amount(amount.low * factor + more.low, amount.high * factor + more.high)


FEW: Final = Amount(2, 6)

# Hours of the day, from and to; 24 and more are hours of the next day.
MORNING: Final = (5, 12)
AFTERNOON: Final = (12, 18)
EVENING: Final = (18, 24)
NIGHT: Final = (18, 30)
SMALL_HOURS: Final = (0, 6)
NOON: Final = (11, 14)

_SECONDS: Final = {Unit.SECOND: 1, Unit.MINUTE: 60, Unit.HOUR: 3600}
# How exact "n ago" is, one way: "an hour ago" is half an hour either side, "ten minutes ago" five minutes.
_SLACK: Final = {
    Unit.SECOND: timedelta(seconds=30),
    Unit.MINUTE: timedelta(minutes=5),
    Unit.HOUR: timedelta(minutes=30),
}
_DAYS: Final = {Unit.DAY: 1, Unit.WEEK: 7, Unit.FORTNIGHT: 14}
_MONTHS: Final = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: 12, Unit.DECADE: 120}


def day_part(calendar: Calendar, span: Span, hours: tuple[int, int]) -> Span | None:
    """The part of a single day; None for a longer span."""
    return calendar.hours(span.start.date(), hours) if span.days == 1 else None


def part_of(calendar: Calendar, span: Span, part: Part) -> Span:
    """The part of a week, month, quarter, year or decade; a day or less stays whole.

    Weeks: Monday and Tuesday, Wednesday and Thursday, Friday to Sunday. Months: 1-10, 11-20, 21 to the end. Whatever is
    longer: thirds in months, but the beginning and the end of a year are two months each.
    """
    first, after = span.start.date(), span.end.date()
    if span.days <= 1:
        return span
    if span.days <= 7:
        return _sliced(calendar, first, after, part, (2, 4))
    if span.days <= 31:
        return _sliced(calendar, first, after, part, (10, 20))
    count = (after.year - first.year) * 12 + after.month - first.month
    # Thirds of a decade are whole years.
    third = count // 36 * 12 if count > 12 else max(1, count // 3)
    edge = 2 if count == 12 else third
    start, length = {
        Part.BEGIN: (0, edge),
        Part.EARLY: (0, third),
        Part.MIDDLE: (third, count - 2 * third),
        Part.LATE: (count - third, third),
        Part.END: (count - edge, edge),
    }[part]
    return calendar.months(first.year, first.month + start, length)


def beside_now(calendar: Calendar, span: Span, earlier: bool) -> Span | None:
    """What of a span is before or after now: of a day to the minute, of longer ones with today. None when it is over or to
    come."""
    if not span.start < calendar.now < span.end:
        return None
    cut = calendar.now if span.days <= 1 else calendar.moment(calendar.today, 24 if earlier else 0)
    return Span(span.start, min(cut, span.end)) if earlier else Span(max(cut, span.start), span.end)


def half_of(calendar: Calendar, span: Span, second: bool) -> Span | None:
    """The first or second half: of years in months, of months at the 15th; None for what has no halves."""
    first, after = span.start.date(), span.end.date()
    if 28 <= span.days <= 31:
        middle = first + timedelta(days=14)
        return (
            calendar.days(middle + timedelta(days=1), after - timedelta(days=1))
            if second
            else calendar.days(first, middle)
        )
    if span.days < 180:
        return None
    count = (after.year - first.year) * 12 + after.month - first.month
    return calendar.months(first.year, first.month + (count // 2 if second else 0), count // 2)


def nth_of(calendar: Calendar, span: Span, index: int, length: int) -> Span | None:
    """Days `index * length` and on of a span, `length` of them; -1 counts from its end. None when it has no such days."""
    first, after = span.start.date(), span.end.date()
    start = after - timedelta(days=length) if index < 0 else first + timedelta(days=index * length)
    end = min(start + timedelta(days=length), after)
    if not first <= start < after or span.days <= length:
        return None
    return calendar.days(start, end - timedelta(days=1))


def ago(calendar: Calendar, amount: Amount, unit: Unit) -> Span:
    """ "n units ago". Days and weeks: that day. Months and years: that calendar month or year.

    Half months ("two and a half months ago"): the fortnight around the day; half years: the calendar month. Hours and
    less: around the moment, never after now.
    """
    if unit in _SECONDS:
        high, low = (_instant(calendar, n, unit) for n in (amount.high, amount.low))
        return Span(high - _SLACK[unit], min(low + _SLACK[unit], calendar.now))
    return _distant(calendar, calendar.today, Amount(-amount.high, -amount.low), unit)


def from_now(calendar: Calendar, amount: Amount, unit: Unit) -> Span:
    """ "n units from now", as exact as `ago`."""
    if unit in _SECONDS:
        low, high = (_instant(calendar, -n, unit) for n in (amount.low, amount.high))
        return Span(max(low - _SLACK[unit], calendar.now), high + _SLACK[unit])
    return _distant(calendar, calendar.today, amount, unit)


def beside(calendar: Calendar, span: Span, amount: Amount, unit: Unit, after: bool) -> Span | None:
    """ "two weeks before Easter", as exact as `ago`; None for hours and less."""
    if unit in _SECONDS:
        return None
    if after:
        return _distant(calendar, span.end.date() - timedelta(days=1), amount, unit)
    return _distant(calendar, span.start.date(), Amount(-amount.high, -amount.low), unit)


def next_to(calendar: Calendar, span: Span, amount: Amount, unit: Unit, after: bool) -> Span | None:
    """ "the week before Easter", 春节前三天: all of it up to the span, or from its end on; None for hours and less."""
    if unit in _SECONDS:
        return None
    if after:
        return calendar.days(span.end.date(), shifted(span.end.date(), amount.high, unit) - timedelta(days=1))
    return calendar.days(shifted(span.start.date(), -amount.high, unit), span.start.date() - timedelta(days=1))


def edge_of(calendar: Calendar, span: Span, amount: Amount, unit: Unit, last: bool) -> Span | None:
    """ "the first three months of 2025", 去年前三个月; None where the span has not so many."""
    if unit in _SECONDS:
        return None
    first, after = span.start.date(), span.end.date()
    begin, end = (shifted(after, -amount.high, unit), after) if last else (first, shifted(first, amount.high, unit))
    if amount.low < amount.high:
        begin, end = max(first, begin), min(end, after)
    return calendar.days(begin, end - timedelta(days=1)) if first <= begin < end <= after else None


def nth_weekday(calendar: Calendar, span: Span, weekday: int, number: int, length: int = 1) -> Span | None:
    """`length` days from the nth weekday (-1: the last) of a month or longer; None where it has so many not."""
    first, after = span.start.date(), span.end.date()
    if number < 0:
        day = after - timedelta(days=(after.weekday() - weekday - 1) % 7 + 1)
    else:
        day = first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (number - 1))
    if span.days < 28 or not first <= day < after:
        return None
    return calendar.days(day, day + timedelta(days=length - 1))


def past(calendar: Calendar, amount: Amount, unit: Unit) -> Span:
    """ "the past n units": from the same day n units ago to the end of today; of hours and less, up to now."""
    if unit in _SECONDS:
        return Span(_instant(calendar, amount.high, unit), calendar.now)
    return calendar.days(shifted(calendar.today, -amount.high, unit), calendar.today)


def ahead(calendar: Calendar, amount: Amount, unit: Unit) -> Span:
    """ "the next n units": from today to the same day n units later; of hours and less, from now."""
    if unit in _SECONDS:
        return Span(calendar.now, _instant(calendar, -amount.high, unit))
    return calendar.days(calendar.today, shifted(calendar.today, amount.high, unit))


def within(calendar: Calendar, amount: Amount, unit: Unit) -> Span:
    """ "within n units" of now, on either side of it."""
    return Span(past(calendar, amount, unit).start, ahead(calendar, amount, unit).end)


def _instant(calendar: Calendar, back: float, unit: Unit) -> datetime:
    # In UTC: an hour is an hour on the days on which clocks change.
    return (calendar.now.astimezone(UTC) - timedelta(seconds=back * _SECONDS[unit])).astimezone(calendar.zone)


def _distant(calendar: Calendar, day: date, amount: Amount, unit: Unit) -> Span:
    low, high = amount.low, amount.high
    first, last = shifted(day, low, unit), shifted(day, high, unit)
    if unit not in _MONTHS:
        return calendar.days(first, last)
    months = _MONTHS[unit]
    if (low * months) % 1 or (high * months) % 1:
        return calendar.days(first - timedelta(days=7), last + timedelta(days=7))
    if unit in (Unit.YEAR, Unit.DECADE) and (low * months) % 12 == 0 and (high * months) % 12 == 0:
        return calendar.year(first.year, last.year - first.year + 1)
    count = (last.year - first.year) * 12 + last.month - first.month + 1
    return calendar.months(first.year, first.month, count)


def shifted(day: date, amount: float, unit: Unit) -> date:
    """The same day `amount` units later; the last of the month where there is none; half a month is 15 days."""
    if unit in _DAYS:
        return day + timedelta(days=round(amount * _DAYS[unit]))
    months = amount * _MONTHS[unit]
    whole = int(months)
    year, index = divmod(day.year * 12 + day.month - 1 + whole, 12)
    shifted = date(year, index + 1, min(day.day, monthrange(year, index + 1)[1]))
    return shifted + timedelta(days=round((months - whole) * 30))


def _sliced(calendar: Calendar, first: date, after: date, part: Part, cuts: tuple[int, int]) -> Span:
    starts = (first, first + timedelta(days=cuts[0]), first + timedelta(days=cuts[1]), after)
    index = {Part.BEGIN: 0, Part.EARLY: 0, Part.MIDDLE: 1, Part.LATE: 2, Part.END: 2}[part]
    return calendar.days(starts[index], starts[index + 1] - timedelta(days=1))
