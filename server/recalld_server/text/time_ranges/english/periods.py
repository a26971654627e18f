"""English periods: "last week", "this Friday", "Q1 2025", "the end of last month", "the summer of 2024"."""

from __future__ import annotations

from recalld_server.text.time_ranges import parts
from recalld_server.text.time_ranges.english import amounts, dates, named
from recalld_server.text.time_ranges.english.dates import Parsed
from recalld_server.text.time_ranges.english.words import (
    DAY_PARTS,
    MONTHS,
    NEWSPAPERS,
    PERIODS,
    RELATIVE,
    SEASONS,
    SHORT_PERIODS,
    WEEKDAYS,
)
from recalld_server.text.time_ranges.parts import NIGHT, Unit
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Recurring, Span, Value, mapped


def named_day(r: Reader, i: int) -> Parsed:
    """ "today", "yesterday evening", "tonight", "the day before yesterday", "the week before last"."""
    word = r.word(i)
    if word in ("today", "yesterday", "tomorrow"):
        if r.dotted(i + 1) or (word == "today" and r.word(i - 1) in ("usa", "the")):
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
    if word in ("week", "month", "year", "weekend") and r.says(i + 1, "after", "next"):
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
        return day_of_week(r, r.word(j), offset, j + 1)
    return _relative_period(r, noun, offset, i)


def day_of_week(r: Reader, name: str, offset: int, stop: int) -> Parsed:
    """The day of the week `offset` weeks on, or the part of it that follows."""
    days = r.calendar.weekly_days(WEEKDAYS[name], WEEKDAYS[name])
    return with_day_part(r, required(r.calendar.at(days, offset)), stop)


def _relative_period(r: Reader, noun: str, offset: int, i: int) -> Parsed:
    calendar = r.calendar
    if noun == "weekend":
        days = calendar.weekly_days(5, 6)
        if offset == 0:
            return _spanned(calendar.this(days), i)
        return _spanned(calendar.last(days, -offset) if offset < 0 else calendar.next(days, offset), i)
    if noun == "week":
        return calendar.week(offset), i
    if noun == "month":
        return calendar.month(offset), i
    if noun == "quarter":
        return calendar.quarter(offset), i
    return calendar.year(calendar.today.year + offset), i


def required(span: Span | None) -> Span:
    assert span is not None, "every week has each of its days"
    return span


def _spanned(span: Span | None, stop: int) -> Parsed:
    return None if span is None else (span, stop)
