"""English periods: "last week", "this Friday", "Q1 2025", "the end of last month", "the summer of 2024"."""

from __future__ import annotations

import re
from typing import Final

from recalld_server.text.time_ranges import parts
from recalld_server.text.time_ranges.english import amounts, clocks, dates, named
from recalld_server.text.time_ranges.english.dates import Parsed
from recalld_server.text.time_ranges.english.words import (
    DAY_PARTS,
    DECADES,
    MONTHS,
    NEWSPAPERS,
    NOT_THE_LAST,
    OTHER_YEARS,
    PARTS,
    PERIODS,
    POSSESSIVES,
    RELATIVE,
    SEASONS,
    SHORT_PERIODS,
    WEEKDAYS,
)
from recalld_server.text.time_ranges.numeric import behind_fiscal_year
from recalld_server.text.time_ranges.parts import NIGHT, Unit
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Recurring, Span, Value, mapped

_DECADE: Final = re.compile(r"(?:19|20)?\d0s")
_FISCAL: Final = re.compile(r"fy(?:\d\d){1,2}")
_QUARTER: Final = re.compile(r"(?:(\d{4}))?([qh])([1-4])")


def named_day(r: Reader, i: int) -> Parsed:
    """ "today", "yesterday evening", "tonight", "the day before yesterday", "the week before last"."""
    word = r.word(i)
    if word in ("today", "yesterday", "tomorrow"):
        if word == "today" and r.word(i - 1) == "usa":
            return None
        return with_day_part(r, r.calendar.day({"yesterday": -1, "today": 0, "tomorrow": 1}[word]), i + 1)
    if word == "tonight":
        return r.calendar.hours(r.calendar.today, NIGHT), i + 1
    if r.says(i, "day", "before", "yesterday"):
        return with_day_part(r, r.calendar.day(-2), i + 3)
    if r.says(i, "day", "after", "tomorrow"):
        return with_day_part(r, r.calendar.day(2), i + 3)
    whole = r.word(i + 3) not in PERIODS and r.word(i + 3) not in WEEKDAYS
    if word in ("week", "month", "year", "quarter", "weekend") and r.says(i + 1, "before", "last") and whole:
        return _relative_period(r, word, -2, i + 3)
    if word in ("week", "month", "year") and r.says(i + 1, "after", "next"):
        return _relative_period(r, word, 2, i + 3)
    if r.says(i, "just", "now"):
        return parts.past(r.calendar, parts.Amount(1, 1), Unit.HOUR), i + 2
    return None


def relative(r: Reader, i: int, preposition: str, article: bool) -> Parsed:
    """What follows "last", "this", "next" and their like, at `i`."""
    word = r.word(i)
    j = i + 1
    if word == "this" and r.word(j) in ("past", "coming"):
        word, j = r.word(j), j + 1
    counted = amounts.rolling(r, j - 1, preposition, article) if word != "this" else None
    if counted is not None:
        return counted
    offset = RELATIVE[word]
    noun = SHORT_PERIODS.get(r.word(j), r.word(j))
    if word == "last" and noun in PERIODS and r.word(j + 1) == "of":
        # "the last year of school"
        return None
    if noun in PERIODS or noun == "weekend":
        return _with_weekday(r, noun, offset, j + 1)
    if noun in DAY_PARTS:
        if word not in ("this", "last") or (word == "last" and noun not in ("night", "evening")):
            return None
        day = r.calendar.day(offset)
        return r.calendar.hours(day.start.date(), DAY_PARTS[noun]), j + 1
    if noun == "decade":
        return r.calendar.year((r.calendar.today.year // 10 + offset) * 10, 10), j + 1
    recurring = returning(r, j, preposition)
    if recurring is None:
        return None
    span = {-1: r.calendar.last, 0: r.calendar.this, 1: r.calendar.next}[offset](recurring[0])
    if span is None:
        return None
    return with_day_part(r, span, recurring[1])


def weekday(r: Reader, i: int, preposition: str) -> Parsed:
    """ "on Friday", "Friday night", "Friday's", "Tuesday of last week", "Friday, March 6"."""
    name = r.word(i)
    if name not in WEEKDAYS or r.word(i - 1) in NOT_THE_LAST or r.word(i + 1) in NEWSPAPERS:
        return None
    if len(name) <= 5 and not preposition:
        return None
    j = i + 2 if r.word(i + 1) == "," else i + 1
    dated = dates.month_first(r, j, "on") or dates.day_first(r, j, "in") if r.word(j) else None
    if dated is not None and isinstance(dated[0], Span | Recurring) and _has_day(r, i + 1, dated[1]):
        return dated
    j = i + 2 if r.word(i + 1) in ("of", ",") else i + 1
    if r.word(j) in ("last", "this", "next") and r.word(j + 1) == "week":
        monday = r.calendar.week(RELATIVE[r.word(j)]).start.date()
        day = r.calendar.weekly_days(WEEKDAYS[name], WEEKDAYS[name])
        return with_day_part(r, _required(day.nth(day.number(monday))), j + 2)
    days = r.calendar.weekly_days(WEEKDAYS[name], WEEKDAYS[name])
    parted = with_day_part(r, days, i + 1)
    if parted is None or preposition or parted[1] > i + 1 or r.closes(i + 1):
        return parted
    if r.word(i + 1) in ("to", "through", "-", "until") and r.word(i + 2) in WEEKDAYS:
        return parted
    time = clocks.clocks(r, i + 1, "")
    return parted if time is not None and time.marked else None


def weekend(r: Reader, i: int, anchored: bool) -> Parsed:
    """ "the weekend", "over the weekend"; a bare plural is a habit."""
    return (r.calendar.weekly_days(5, 6), i + 1) if r.word(i) == "weekend" and anchored else None


def season(r: Reader, i: int, preposition: str, article: bool) -> Parsed:
    """ "summer 2024", "the summer of last year", "during the winter"; "in summer" alone is a habit."""
    index = SEASONS.get(r.word(i))
    if index is None:
        return None
    parsed = dates.in_year(r, r.calendar.season(index), i + 1)
    if parsed is None or isinstance(parsed[0], Span):
        return parsed
    return parsed if preposition and article else None


def quarter(r: Reader, i: int, preposition: str) -> Parsed:
    """ "Q1", "Q1 2025", "2025 Q1", "H2 last year"."""
    year = r.year(i)
    j = i if year is None else i + 1 + (r.word(i + 1) == "-")
    match = _QUARTER.fullmatch(r.word(j))
    if match is None or (year is not None and match[1]):
        return None
    number = int(match[3])
    if match[2] == "h" and number > 2:
        return None
    if _is_fiscal(r, i, j + 1):
        return None
    size = 3 if match[2] == "q" else 6
    recurring = r.calendar.yearly_months((number - 1) * size + 1, size)
    if year is not None or match[1]:
        return _spanned(recurring.nth(year or int(match[1])), j + 1)
    if r.word(j + 1) in ("-", "/") and (year := r.year(j + 2)) is not None and not r.is_part_of_number(j, j + 3):
        return _spanned(recurring.nth(year), j + 3)
    parsed = dates.in_year(r, recurring, j + 1)
    if parsed is None or isinstance(parsed[0], Span):
        return parsed
    ranges = r.word(j + 1) == "-" and _QUARTER.fullmatch(r.word(j + 2)) is not None
    whole = not r.glued_before(j) and (ranges or not r.glued_after(j + 1))
    bare = match[2] == "q" and r.word(j + 1) != ":" and whole
    return parsed if preposition or bare else None


def _is_fiscal(r: Reader, i: int, stop: int) -> bool:
    """ "Q3 FY2025", "fiscal Q3", "Q3 of the fiscal year": companies begin their years in different months."""
    j = stop + (r.word(stop) == "of")
    j += r.word(j) == "the"
    if behind_fiscal_year(r, i):
        return True
    return any(word in OTHER_YEARS or _FISCAL.fullmatch(word) for word in (r.word(i - 1), r.word(j)))


def decade(r: Reader, i: int, anchored: bool) -> Parsed:
    """ "the 90s", "the nineties", "1990s"."""
    word = r.word(i)
    if word in DECADES and anchored:
        return r.calendar.year(DECADES[word], 10), i + 1
    if _DECADE.fullmatch(word) is None or (len(word) == 3 and not anchored):
        return None
    year = int(word[:-1])
    before = r.word(i - 1)
    if before in PARTS:
        before = r.word(i - 2)
    # "in her early 30s" is an age
    if len(word) == 3 and (before in POSSESSIVES or (year < 60 and before not in ("the", "'"))):
        return None
    if len(word) == 3:
        year += 1900 if year >= 30 else 2000
    return r.calendar.year(year, 10), i + 1


def with_day_part(r: Reader, value: Value, i: int) -> Parsed:
    """The value, or the part of its day that follows: "Friday night", "yesterday in the afternoon"."""
    j = i + 2 if r.says(i, "in", "the") else i + 1 if r.word(i) == "at" else i
    hours = DAY_PARTS.get(r.word(j))
    if hours is None:
        return value, i
    change = mapped(value, lambda span: parts.day_part(r.calendar, span, hours))
    return (value, i) if change is None else (change, j + 1)


def current(r: Reader, i: int) -> Parsed:
    """ "month", "the year", "the week" where a part of it is meant: the one that recurs."""
    word = r.word(i)
    if word == "year" and r.word(i + 1) not in ("before", "after"):
        return (r.calendar.yearly_months(1, 12), i + 1) if r.year(i + 1) is None else None
    if word == "month":
        return r.calendar.every_month(), i + 1
    if word == "week":
        return r.calendar.weekly_days(0, 6), i + 1
    return None


def returning(r: Reader, i: int, preposition: str) -> tuple[Recurring, int] | None:
    """A feast, month, weekday or season by its name alone."""
    feast = named.feast(r, i, preposition)
    if feast is not None:
        return feast
    word = r.word(i)
    if word in MONTHS and dates.day_number(r, i + 1) is None:
        return r.calendar.yearly_months(MONTHS[word]), i + 1
    if word in WEEKDAYS and r.word(i + 1) not in NEWSPAPERS:
        return r.calendar.weekly_days(WEEKDAYS[word], WEEKDAYS[word]), i + 1
    if word in SEASONS:
        return r.calendar.season(SEASONS[word]), i + 1
    return None


def _with_weekday(r: Reader, noun: str, offset: int, i: int) -> Parsed:
    """ "last week", or a day of it: "last week Tuesday", "last week on Tuesday"."""
    j = i + 1 if r.word(i) == "on" else i
    if noun == "week" and r.word(j) in WEEKDAYS:
        day = WEEKDAYS[r.word(j)]
        days = r.calendar.weekly_days(day, day)
        return with_day_part(r, _required(r.calendar.at(days, offset)), j + 1)
    return _relative_period(r, noun, offset, i)


def _relative_period(r: Reader, noun: str, offset: int, i: int) -> Parsed:
    calendar = r.calendar
    if noun == "weekend":
        days = calendar.weekly_days(5, 6)
        if offset == -2:
            last = calendar.last(days)
            return (
                _spanned(calendar.at(days, days.number(last.start.date()) - days.number(calendar.today) - 1), i)
                if last
                else None
            )
        return _spanned({-1: calendar.last, 0: calendar.this, 1: calendar.next}[offset](days), i)
    if noun == "week":
        return calendar.week(offset), i
    if noun == "month":
        return calendar.month(offset), i
    if noun == "quarter":
        return calendar.quarter(offset), i
    return calendar.year(calendar.today.year + offset), i


def _has_day(r: Reader, first: int, stop: int) -> bool:
    return any(dates.day_number(r, index) is not None for index in range(first, stop))


def _required(span: Span | None) -> Span:
    assert span is not None, "every week has each of its days"
    return span


def _spanned(span: Span | None, stop: int) -> Parsed:
    return None if span is None else (span, stop)
