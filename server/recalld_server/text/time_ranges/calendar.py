"""The calendar around `now` in the caller's zone. Weeks start on Monday, seasons are northern and meteorological.

Days run from local midnight to local midnight, so the days on which clocks change have 23 or 25 hours. A date outside
the calendar raises OverflowError or ValueError, as the standard library does.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from recalld_server.text.time_ranges.feasts import Feast
from recalld_server.text.time_ranges.spans import EARLIEST, LATEST, Recurring, Span, Value

# A 29 February may be eight years away (1896 to 1904).
_HORIZON: Final = 9
_SPRING: Final = 3


class Calendar:
    """Days, weeks, months and years counted from `now`, and recurring things settled by it."""

    def __init__(self, now: datetime, zone: ZoneInfo) -> None:
        self.zone = zone
        self.now = now.astimezone(zone)
        self.today = self.now.date()

    def moment(self, day: date, hour: int = 0, minute: int = 0) -> datetime:
        """That time of `day`; 24 and more are hours of the next day. In a gap of the clock, as much after it."""
        local = datetime.combine(day + timedelta(days=hour // 24), time(hour % 24, minute), self.zone)
        return local.astimezone(UTC).astimezone(self.zone)

    # Spans of dates

    def days(self, first: date, last: date) -> Span:
        """From `first` to `last`, both included."""
        return Span(self.moment(first), self.moment(last, 24))

    def day(self, offset: int) -> Span:
        day = self.today + timedelta(days=offset)
        return self.days(day, day)

    def hours(self, day: date, hours: tuple[int, int]) -> Span:
        return Span(self.moment(day, hours[0]), self.moment(day, hours[1]))

    def week(self, offset: int) -> Span:
        monday = self.today + timedelta(days=7 * offset - self.today.weekday())
        return self.days(monday, monday + timedelta(days=6))

    def months(self, year: int, month: int, count: int = 1) -> Span:
        """`count` months from month `month` of `year`; months below 1 and above 12 reach into other years."""
        return Span(self.moment(_first_of(year, month)), self.moment(_first_of(year, month + count)))

    def month(self, offset: int) -> Span:
        return self.months(self.today.year, self.today.month + offset)

    def quarter(self, offset: int) -> Span:
        return self.months(self.today.year, (self.today.month - 1) // 3 * 3 + 1 + 3 * offset, 3)

    def year(self, year: int, count: int = 1) -> Span:
        return self.months(year, 1, 12 * count)

    # What comes back

    def yearly_months(self, month: int, count: int = 1) -> Recurring:
        """`count` months from `month` (1-12) of each year."""
        return Recurring(lambda year: self.months(year, month, count), _year_of)

    def season(self, index: int) -> Recurring:
        """0 spring (March to May) … 3 winter (December of that year to February of the next)."""
        return self.yearly_months(_SPRING + 3 * index, 3)

    def yearly_days(self, month: int, first: int, last: int) -> Recurring:
        """The days from `first` to `last` of a month of each year, in the years that have them."""

        def nth(year: int) -> Span | None:
            if not 1 <= first <= last <= monthrange(year, month)[1]:
                return None
            return self.days(date(year, month, first), date(year, month, last))

        return Recurring(nth, _year_of)

    def feast(self, feast: Feast) -> Recurring:
        def nth(year: int) -> Span | None:
            days = feast(year)
            return None if days is None else self.days(*days)

        return Recurring(nth, _year_of)

    def numbered_weeks(self, first: int, last: int) -> Recurring:
        """The weeks from `first` to `last` (1-53) of each ISO year, in the years that have them."""

        def nth(year: int) -> Span | None:
            try:
                return self.days(date.fromisocalendar(year, first, 1), date.fromisocalendar(year, last, 7))
            except ValueError:
                return None

        return Recurring(nth, _iso_year_of)

    def monthly_days(self, first: int, last: int) -> Recurring:
        """The days from `first` to `last` of each month, in the months that have them."""

        def nth(number: int) -> Span | None:
            month = _first_of(0, number)
            if not 1 <= first <= last <= monthrange(month.year, month.month)[1]:
                return None
            return self.days(month.replace(day=first), month.replace(day=last))

        return Recurring(nth, _month_of)

    def weekly_days(self, first: int, last: int) -> Recurring:
        """The days from `first` to `last` (0 Monday … 6 Sunday) of each week."""

        def nth(number: int) -> Span:
            monday = date.fromordinal(number * 7 + 1)
            return self.days(monday + timedelta(days=first), monday + timedelta(days=last))

        return Recurring(nth, _week_of)

    def every_month(self) -> Recurring:
        return Recurring(lambda number: self.months(0, number), _month_of)

    # Recurring things settled

    def at(self, recurring: Recurring, offset: int) -> Span | None:
        """The one of this year (week, month), `offset` further."""
        return recurring.nth(recurring.number(self.today) + offset)

    def settled(self, value: Value) -> Span | None:
        """A span as it is; of a recurring thing the latest that has begun: people look back."""
        return value if isinstance(value, Span) else self._back(value, lambda span: span.start <= self.now)

    def last(self, recurring: Recurring, count: int = 1) -> Span | None:
        """The latest that is over, or the one `count` - 1 before it."""
        latest = self._back(recurring, lambda span: span.end <= self.now)
        return (
            latest if latest is None or count == 1 else recurring.nth(recurring.number(latest.start.date()) - count + 1)
        )

    def this(self, recurring: Recurring) -> Span | None:
        """The one that is going on, else the one of this year (week)."""
        before = self.at(recurring, -1)
        return before if before is not None and before.start <= self.now < before.end else self.at(recurring, 0)

    def next(self, recurring: Recurring, count: int = 1) -> Span | None:
        """The first that has not begun, or the one `count` - 1 after it."""
        first = self.first_from(recurring, self.now)
        return first if first is None or count == 1 else recurring.nth(recurring.number(first.start.date()) + count - 1)

    def first_from(self, recurring: Recurring, moment: datetime) -> Span | None:
        """The first that begins after `moment`."""
        number = recurring.number(moment.date())
        spans = (recurring.nth(number + step) for step in range(-1, _HORIZON))
        return next((span for span in spans if span is not None and span.start > moment), None)

    def between(self, first: Value, last: Value) -> Span | None:
        """From the start of one to the end of the other; whichever has no year takes the other's."""
        if isinstance(first, Span):
            end = last if isinstance(last, Span) else self._ending_after(last, first)
            return _joined(first, end)
        start = self._beginning_before(first, last)
        if isinstance(last, Span):
            return _joined(start, last)
        return _joined(start, self._ending_after(last, start) if start is not None else None)

    def adjoining(self, first: Value, last: Value) -> Span | None:
        """Two that touch, as one: "yesterday and today", "March and April"; None when they do not."""
        one = first if isinstance(first, Span) else self._beginning_before(first, last)
        if one is None:
            return None
        other = last if isinstance(last, Span) else last.nth(last.number(one.end.date()))
        if other is None:
            return None
        if one.end == other.start:
            return Span(one.start, other.end)
        return Span(other.start, one.end) if other.end == one.start else None

    def nearest(self, recurring: Recurring, span: Span, after: bool) -> Span | None:
        """The last that is over before a span begins, or the first that begins after it: "the Friday before Easter"."""
        number = recurring.number((span.end if after else span.start).date())
        spans = [recurring.nth(number + (step if after else -step)) for step in range(_HORIZON)]
        return next(
            (one for one in spans if one is not None and (one.start >= span.end if after else one.end <= span.start)),
            None,
        )

    def within(self, whole: Span, part: Recurring) -> Span | None:
        """The one that begins inside a span, if there is one alone: "last year at Christmas", "last week on Friday"."""
        number = part.number(whole.start.date())
        spans = [part.nth(number + step) for step in range(3)]
        inside = [span for span in spans if span is not None and whole.start <= span.start < whole.end]
        return inside[0] if len(inside) == 1 else None

    def short_year(self, year: int) -> int:
        """A year of two digits: the one at most twenty years ahead."""
        return 2000 + year if year <= self.today.year % 100 + 20 else 1900 + year

    def _beginning_before(self, recurring: Recurring, last: Value) -> Span | None:
        """The latest that begins no later than a span; before something without a year, the latest that has begun."""
        if not isinstance(last, Span):
            return self.settled(recurring)
        number = recurring.number(last.start.date())
        starts = (recurring.nth(number - step) for step in range(_HORIZON))
        return next((span for span in starts if span is not None and span.start <= last.start), None)

    def _ending_after(self, recurring: Recurring, span: Span) -> Span | None:
        number = recurring.number(span.start.date())
        ends = (recurring.nth(number + step) for step in range(-1, _HORIZON))
        return next((end for end in ends if end is not None and end.start >= span.start), None)

    def _back(self, recurring: Recurring, fits: Callable[[Span], bool]) -> Span | None:
        number = recurring.number(self.today)
        spans = (recurring.nth(number - step) for step in range(_HORIZON))
        return next((span for span in spans if span is not None and fits(span)), None)

    # Open ranges

    def since(self, start: datetime) -> Span:
        """From `start` to the end of today; to the end of time when that is over before it begins."""
        end = self.moment(self.today, 24)
        return Span(start, end if start < end else LATEST)

    def until(self, end: datetime) -> Span:
        return Span(EARLIEST, end)


def _joined(first: Span | None, last: Span | None) -> Span | None:
    if first is None or last is None or first.start >= last.end:
        return None
    return Span(first.start, last.end)


def _first_of(year: int, month: int) -> date:
    year, index = divmod(year * 12 + month - 1, 12)
    return date(year, index + 1, 1)


def _year_of(day: date) -> int:
    return day.year


def _iso_year_of(day: date) -> int:
    return day.isocalendar().year


def _month_of(day: date) -> int:
    return day.year * 12 + day.month


def _week_of(day: date) -> int:
    return (day.toordinal() - 1) // 7
