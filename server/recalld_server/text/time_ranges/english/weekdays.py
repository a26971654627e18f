"""English days of the week: "on Friday", "Friday night", "Tuesday of last week", "Mon 9:30", "the weekend"."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges import parts
from recalld_server.text.time_ranges.english import amounts, clocks, dates, periods
from recalld_server.text.time_ranges.english.dates import Parsed
from recalld_server.text.time_ranges.english.words import (
    DAY_PARTS,
    NEWSPAPERS,
    NIGHT_SHOWS,
    NOT_THE_LAST,
    RELATIVE,
    WEEKDAYS,
)
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Recurring, Span, mapped

_TO_A_DAY: Final = frozenset({"to", "through", "-", "until"})


def weekday(r: Reader, i: int, preposition: str) -> Parsed:
    """ "on Friday", "Friday night", "Friday's", "Tuesday of last week", "Friday two weeks ago", "Friday, March 6"."""
    name = r.word(i)
    if name not in WEEKDAYS or _in_a_name(r, i, preposition):
        return None
    if len(name) <= 5 and not preposition and not (r.capital(i) and _is_short_day(r, i + 1)):
        return None
    j = i + 2 if r.word(i + 1) == "," else i + 1
    dated = dates.month_first(r, j, "on") or dates.day_first(r, j, "in") if r.word(j) else None
    if dated is not None and isinstance(dated[0], Span | Recurring) and _has_day(r, i + 1, dated[1]):
        return dated
    away = amounts.weeks_away(r, i + 1)
    if away is not None:
        return periods.day_of_week(r, name, *away)
    j = i + 2 if r.word(i + 1) in ("of", ",") else i + 1
    hours = DAY_PARTS.get(r.word(j))
    j += hours is not None
    if r.word(j) in ("last", "this", "next") and r.word(j + 1) == "week":
        day = periods.day_of_week(r, name, RELATIVE[r.word(j)], j + 2)
        if day is None or hours is None:
            return day
        part = mapped(day[0], lambda span: parts.day_part(r.calendar, span, hours))
        return None if part is None else (part, day[1])
    days = r.calendar.weekly_days(WEEKDAYS[name], WEEKDAYS[name])
    parted = periods.with_day_part(r, days, i + 1)
    if parted is None or preposition or parted[1] > i + 1 or r.closes(i + 1):
        return parted
    if r.word(i + 1) in _TO_A_DAY and r.word(i + 2) in WEEKDAYS:
        return parted
    time = clocks.clocks(r, i + 1, "")
    return parted if time is not None and time.marked else None


def weekend(r: Reader, i: int, anchored: bool) -> Parsed:
    """ "the weekend", "over the weekend"; a bare plural is a habit."""
    return (r.calendar.weekly_days(5, 6), i + 1) if r.word(i) == "weekend" and anchored else None


def _in_a_name(r: Reader, i: int, preposition: str) -> bool:
    """ "Ruby Tuesday", "the Sunday Times", "Friday Night Lights", "monday.com", "Crusoe's Friday", "thank God it's Friday"."""
    if r.word(i - 1) in NOT_THE_LAST or r.word(i + 1) in NEWSPAPERS or r.dotted(i + 1):
        return True
    shown = r.word(i + 1) == "night" and r.word(i + 2) in NIGHT_SHOWS
    return shown or (not preposition and r.says(i - 2, "'", "s") and r.closes(i + 1))


def _is_short_day(r: Reader, i: int) -> bool:
    """Whether "Mon", "Sat" is a day by what follows: "Mon 9:30", "Mon - Wed", "Tues last week"."""
    # "open Mon-Fri" is a habit
    ranges = r.word(i) in _TO_A_DAY and r.word(i + 1) in WEEKDAYS and not r.joined(i)
    week = r.word(i) in ("last", "this", "next") and r.word(i + 1) == "week"
    time = clocks.clocks(r, i, "") if not (ranges or week) else None
    return ranges or week or (time is not None and time.marked)


def _has_day(r: Reader, first: int, stop: int) -> bool:
    return any(dates.day_number(r, index) is not None for index in range(first, stop))
