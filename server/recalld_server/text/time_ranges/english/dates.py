"""English dates: months, days of months, years."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from recalld_server.text.time_ranges.english import amounts
from recalld_server.text.time_ranges.english.words import (
    BEFORE_A_YEAR,
    COUNTED,
    DOUBTFUL_MONTHS,
    MONTHS,
    NAMES,
    ORDINAL_DAYS,
    OTHER_YEARS,
    PARTS,
    RELATIVE,
    TENS,
    UNITS,
)
from recalld_server.text.time_ranges.feasts import weekend
from recalld_server.text.time_ranges.parts import Unit
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Recurring, Span, Value

Parsed = tuple[Value, int] | None
Reading = Callable[[Reader, int, str, int], Parsed]
"""Reads a period at a place, after a preposition, nested so deeply."""

_BEFORE_A_DAY: Final = frozenset({"on", "since", "until", "till", "before", "after", "by"})


def month_first(r: Reader, i: int, preposition: str) -> Parsed:
    """ "March", "March 4", "March 4th, 2025", "March 2025", "March 4-7", "March last year"."""
    month = MONTHS.get(r.word(i))
    if month is None:
        return None
    doubtful = r.word(i) in DOUBTFUL_MONTHS and not preposition and not r.capital(i)
    j = i + 2 if r.word(i + 1) == "." and r.joined(i + 1) and len(r.word(i)) <= 4 else i + 1
    if r.word(j) == "the":
        ordinal = ordinal_day(r, j + 1)
        if ordinal is not None:
            return in_year(r, r.calendar.yearly_days(month, ordinal[0], ordinal[0]), ordinal[1])
    day = day_number(r, j)
    if day is not None:
        if doubtful and r.word(j).isdigit() and r.year(j + 1) is None and not _goes_on(r, j + 1):
            return None
        return _days(r, month, day, j + 1, preposition)
    if r.word(i) in NAMES and r.word(j) == "in" and not preposition and r.capital(i - 1):
        # "Theresa May in 2018"
        return None
    year = stated_year(r, j)
    if year is not None:
        return r.calendar.months(year[0], month), year[1]
    if not preposition or (r.word(i) in NAMES and r.says(j, "'", "s")):
        return None
    return in_year(r, r.calendar.yearly_months(month), j)


def day_first(r: Reader, i: int, preposition: str) -> Parsed:
    """ "4 March", "4th of March 2025", "1-5 May"; after "on" also "the 5th" alone."""
    first = day_number(r, i)
    if first is None:
        return _spelled_out(r, i)
    month = MONTHS.get(r.word(i + 2))
    if month is not None and r.word(i + 1) in ("-", "/") and r.word(i + 3) == r.word(i + 1) and not r.glued_before(i):
        year = r.year(i + 4)
        return None if year is None else _span(r.calendar.yearly_days(month, first, first).nth(year), i + 5)
    last, j = first, i + 1
    after = j + 2 if r.word(j + 1) == "the" else j + 1
    if r.word(j) in _joining(preposition) and (second := day_number(r, after)) is not None:
        last, j = second, after + 1
    if r.is_part_of_number(i, j):
        return None
    ordinal = not r.word(j - 1).isdigit()
    of = r.word(j) == "of"
    month = MONTHS.get(r.word(j + of))
    if month is not None:
        # "between 7 and 12 may be enough"
        led = preposition and (preposition != "between" or first == last)
        named = r.capital(j + of) or ordinal or of or led or r.word(j + of) not in DOUBTFUL_MONTHS
        stop = j + of + 1
        # "2 Jan. 2025"
        stop += r.word(stop) == "." and r.joined(stop) and r.year(stop + 1) is not None
        return in_year(r, r.calendar.yearly_days(month, first, last), stop) if named else None
    if not ordinal:
        return None
    if of:
        return _of_relative_month(r, first, last, j + 1)
    alone = preposition in (_BEFORE_A_DAY if first == last else ("between", "from"))
    return (r.calendar.monthly_days(first, last), j) if alone and (r.closes(j) or r.word(j) in ("at", "@")) else None


def _of_relative_month(r: Reader, first: int, last: int, i: int) -> Parsed:
    """Days "of last month", "of the month"; `i` is behind "of"."""
    if r.says(i, "the", "month"):
        return r.calendar.monthly_days(first, last), i + 2
    if r.word(i) not in ("last", "this", "next") or r.word(i + 1) != "month":
        return None
    return _span(r.calendar.at(r.calendar.monthly_days(first, last), RELATIVE[r.word(i)]), i + 2)


def _spelled_out(r: Reader, i: int) -> Parsed:
    """ "fourth of March", "twenty-first of May 2024", "first of this month"."""
    day = ordinal_day(r, i)
    if day is None or r.word(day[1]) != "of":
        return None
    number, j = day[0], day[1] + 1
    month = MONTHS.get(r.word(j))
    if month is None:
        return _of_relative_month(r, number, number, j)
    return in_year(r, r.calendar.yearly_days(month, number, number), j + 1)


def ordinal_day(r: Reader, i: int) -> tuple[int, int] | None:
    """ "4th", "fourth", "twenty-first" and the word after."""
    word = r.word(i)
    if word in ("twenty", "thirty"):
        j = i + 1 + (r.word(i + 1) == "-")
        ones = ORDINAL_DAYS.get(r.word(j), 10)
        return (TENS[word] + ones, j + 1) if ones < 10 else None
    if word in ORDINAL_DAYS:
        return ORDINAL_DAYS[word], i + 1
    day = day_number(r, i)
    return (day, i + 1) if day is not None and not word.isdigit() else None


def year_alone(r: Reader, i: int, preposition: str) -> Parsed:
    """A bare year, which only counts after a word like "in" or "since"."""
    year = r.year(i)
    if year is None or preposition not in BEFORE_A_YEAR:
        return None
    begins_range = r.word(i + 1) == "-" and r.year(i + 2) is not None and not r.glued_after(i + 3)
    ends_range = r.word(i - 1) == "-" and (r.year(i - 2) is not None or r.word(i - 2) in (*PARTS, "of", "pre", "post"))
    if (r.glued_after(i + 1) and not begins_range) or (r.glued_before(i) and not ends_range):
        return None
    if r.word(i + 1) in COUNTED or r.word(i + 1) in OTHER_YEARS or r.word(i + 1) in ("%", "x"):
        return None
    return r.calendar.year(year), i + 1


def short_year_alone(r: Reader, i: int, preposition: str) -> Parsed:
    """The '98 of "in '98"."""
    short = r.number(i + 1) if r.word(i) == "'" and preposition in BEFORE_A_YEAR else None
    # '01' is quoted
    if short is None or len(r.word(i + 1)) != 2 or not r.closes(i + 2) or r.word(i + 2) == "'":
        return None
    return r.calendar.year(r.calendar.short_year(short)), i + 2


def day_number(r: Reader, i: int) -> int | None:
    """ "4", "04", "4th": 1 to 31, and not the beginning of a longer number, a time or a share."""
    word = r.word(i)
    digits = word[:-2] if word.endswith(("st", "nd", "rd", "th")) else word
    if not digits.isascii() or not digits.isdigit() or len(digits) > 2 or not 1 <= int(digits) <= 31:
        return None
    glued = (
        r.joined(i + 1) and r.word(i + 1) in (".", ":", "%", "/") and r.word(i + 2)[:1].isdigit() and r.joined(i + 2)
    )
    return None if glued or r.word(i + 1) == "%" else int(digits)


def stated_year(r: Reader, i: int) -> tuple[int, int] | None:
    """A year that follows something: "2025", "of 2025", ", 2025", "'25", "last year"."""
    j = i + 1 if r.word(i) in ("of", ",", "in") else i
    year = r.year(j)
    if year is not None and not r.is_part_of_number(j, j + 1):
        return year, j + 1
    if r.word(j) == "'" and len(r.word(j + 1)) == 2 and (short := r.number(j + 1)) is not None:
        return r.calendar.short_year(short), j + 2
    if r.word(j + 2) == "ago" and UNITS.get(r.word(j + 1)) is Unit.YEAR:
        counted = amounts.counted_units(r, j)
        return None if counted is None else (r.calendar.today.year - round(counted[0].low), j + 3)
    if r.word(j) in ("last", "this", "next") and r.word(j + 1) == "year":
        return r.calendar.today.year + RELATIVE[r.word(j)], j + 2
    return None


def in_year(r: Reader, value: Recurring, i: int) -> Parsed:
    """A yearly thing with the year that follows it, or without one; "July 4th weekend" is longer than the day."""
    if r.word(i) == "weekend":
        whole = value.nth
        value, i = Recurring(lambda year: _weekend(r, whole(year)), value.number), i + 1
    year = stated_year(r, i)
    return (value, i) if year is None else _span(value.nth(year[0]), year[1])


def _weekend(r: Reader, span: Span | None) -> Span | None:
    if span is None or span.days > 1:
        return span
    day = span.start.date()
    return r.calendar.days(*weekend(day, day))


def _joining(preposition: str) -> tuple[str, ...]:
    """What stands between two days of one month: "3 to 5 May", "between 3 and 5 May"."""
    return ("and",) if preposition == "between" else ("-", "to", "through")


def _days(r: Reader, month: int, first: int, i: int, preposition: str) -> Parsed:
    last = first
    if r.word(i) in _joining(preposition) and r.word(i + 2) not in MONTHS and r.word(i + 2) != "of":
        second = day_number(r, i + 1)
        if second is not None:
            last, i = second, i + 2
    return in_year(r, r.calendar.yearly_days(month, first, last), i)


def _goes_on(r: Reader, i: int) -> bool:
    return r.closes(i) or r.word(i) in ("-", "to", "and", "through", "of")


def _span(span: Span | None, stop: int) -> Parsed:
    return None if span is None else (span, stop)
