"""The time of the year, the month, the week or the day that it is now, in another one: "this time last year", 去年今天."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from recalld_server.text.time_ranges.calendar import Calendar
from recalld_server.text.time_ranges.parts import Unit, shifted
from recalld_server.text.time_ranges.spans import Span

# How exact it is, in days on either side: a fortnight in another year, a week in another month.
_EITHER_SIDE: Final = {Unit.YEAR: 7, Unit.DECADE: 7, Unit.QUARTER: 3, Unit.MONTH: 3}


def around_now(calendar: Calendar, amount: float, unit: Unit) -> Span | None:
    """ "this time last year": `amount` units from now, with the days around it; of days the time of the clock (a span
    without length). None for hours and less."""
    if unit in (Unit.SECOND, Unit.MINUTE, Unit.HOUR):
        return None
    day = shifted(calendar.today, amount, unit)
    if unit is Unit.DAY:
        moment = calendar.moment(day, calendar.now.hour, calendar.now.minute)
        return Span(moment, moment)
    slack = timedelta(days=_EITHER_SIDE.get(unit, 0))
    return calendar.days(day - slack, day + slack)


def same_day(calendar: Calendar, amount: float, unit: Unit, shift: int = 0) -> Span | None:
    """ "a year ago today", 去年今天: the day alone, or `shift` days on; None for hours and less."""
    if unit in (Unit.SECOND, Unit.MINUTE, Unit.HOUR):
        return None
    day = shifted(calendar.today + timedelta(days=shift), amount, unit)
    return calendar.days(day, day)


def same_period(calendar: Calendar, years: int, unit: Unit) -> Span | None:
    """ "this week last year", 去年这个月: the week or month that holds the day; None for other units."""
    day = shifted(calendar.today, years, Unit.YEAR)
    if unit is Unit.MONTH:
        return calendar.months(day.year, day.month)
    weeks = calendar.weekly_days(0, 6)
    return weeks.nth(weeks.number(day)) if unit is Unit.WEEK else None
