"""One English period or date, with the parts that it may nest: "the end of the first week of May"."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges import parts
from recalld_server.text.time_ranges.clocks import clocked
from recalld_server.text.time_ranges.english import amounts, beside, clocks, dates, named, periods, weeks
from recalld_server.text.time_ranges.english.dates import Parsed
from recalld_server.text.time_ranges.english.words import (
    BEFORE_A_TIME,
    DAY_PARTS,
    DECADES,
    MONTHS,
    NUMBERS,
    OPENINGS,
    ORDINAL_DAYS,
    ORDINALS,
    OTHER_YEARS,
    PARTS,
    RELATIVE,
    SEASONS,
    TENS,
    WEEKDAYS,
)
from recalld_server.text.time_ranges.numeric import numeric_date
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Span, mapped

_MOST_NESTED: Final = 3
_SATURDAY: Final = 5
_INSIDE_A_NUMBER: Final = frozenset(".:/#_")
_FIRST_WORDS: Final = frozenset(
    {
        *RELATIVE,
        *MONTHS,
        *WEEKDAYS,
        *SEASONS,
        *PARTS,
        *ORDINALS,
        *ORDINAL_DAYS,
        *NUMBERS,
        *TENS,
        *DECADES,
        *DAY_PARTS,
        *("the", "a", "an", "half", "couple", "few", "several", "some", "just", "earlier", "later"),
        *("today", "yesterday", "tomorrow", "tonight", "day", "week", "month", "year", "quarter", "weekend"),
        *named.FIRST_WORDS,
        *weeks.FIRST_WORDS,
        *clocks.CLOCK_WORDS,
    }
)


def may_begin(word: str) -> bool:
    """Whether a period or date may begin with this word; all others are passed over at once."""
    return word in _FIRST_WORDS or "0" <= word[0] <= "9" or (word[0] in "qhckw" and "0" <= word[-1] <= "9")


def value(r: Reader, i: int, preposition: str, depth: int = 0) -> Parsed:
    """A period or date at `i`, with the time of the day; `preposition` is the word that leads to it, if any.

    Phrases nest ("the end of the first week of May"), to a bounded `depth`.
    """
    parsed = _period(r, i, preposition, depth)
    if parsed is None:
        return None
    day = r.calendar.settled(parsed[0]) if r.word(parsed[1]) in (*DAY_PARTS, "in", "at") else None
    if day is not None and day.days == 1:
        parsed = periods.with_day_part(r, *parsed) or parsed
    if isinstance(parsed[0], Span):
        parsed = beside.narrowed(r, parsed[0], parsed[1], depth, value)
    return clocks.then_clock(r, *parsed)


def _period(r: Reader, i: int, preposition: str, depth: int) -> Parsed:
    if depth > _MOST_NESTED:
        return None
    article = r.word(i) == "the"
    if article:
        i += 2 if r.word(i + 1) == "'" else 1
    word = r.word(i)
    if not word or not may_begin(word):
        return None
    anchored = article or bool(preposition)
    if word[0].isdigit():
        return _from_digits(r, i, preposition, article, depth)
    if word in RELATIVE:
        return (_last(r, i, depth) if word == "last" else None) or periods.relative(r, i, preposition, article)
    return (
        (beside.nearest(r, i, depth, value) if article else dates.month_first(r, i, preposition))
        or named.holiday(r, i, preposition, anchored)
        or weeks.numbered_week(r, i, preposition)
        or periods.named_day(r, i)
        or (periods.weekday(r, i, preposition) if not article or preposition == "" else None)
        or _counted(r, i, article, depth)
        or _part(r, i, depth)
        or _ordinal(r, i, depth)
        or _day_part_of(r, i, depth)
        or dates.day_first(r, i, preposition)
        or periods.quarter(r, i, preposition)
        or periods.season(r, i, preposition, article)
        or periods.weekend(r, i, anchored)
        or periods.decade(r, i, anchored)
        or _said_year(r, i, depth)
        or _clock_of(r, i, preposition, depth)
    )


def _last(r: Reader, i: int, depth: int) -> Parsed:
    """ "the last week of May", "last Friday before Easter", "last week before Easter"."""
    return (
        _ordinal(r, i, depth)
        or beside.nearest(r, i + 1, depth, value)
        or (beside.whole(r, i + 1, depth, value) if r.word(i + 2) == "before" else None)
    )


def _from_digits(r: Reader, i: int, preposition: str, article: bool, depth: int) -> Parsed:
    if r.joined(i) and r.word(i - 1) in _INSIDE_A_NUMBER and r.glued_before(i):
        return None
    return (
        numeric_date(r, i)
        or dates.day_first(r, i, preposition)
        or _counted(r, i, article, depth)
        or _ordinal(r, i, depth)
        or periods.quarter(r, i, preposition)
        or periods.decade(r, i, article or bool(preposition))
        or weeks.numbered_week(r, i, preposition)
        or (dates.year_alone(r, i, preposition) if not article else None)
        or _clock_of(r, i, preposition, depth)
    )


def _counted(r: Reader, i: int, article: bool, depth: int) -> Parsed:
    """ "3 days ago", "two weeks before Easter", "the week before Easter"."""
    many = amounts.counted_units(r, i)
    if many is not None:
        return amounts.distance(r, i, many) or beside.counted(r, many, depth, value)
    return beside.whole(r, i, depth, value) if article else None


def _clock_of(r: Reader, i: int, preposition: str, depth: int) -> Parsed:
    """ "3 pm yesterday", "9 to 11 this morning", "15:00 on Friday"."""
    found = clocks.clocks(r, i, preposition)
    if found is None or not (found.marked or preposition):
        return None
    j = found.stop + (r.word(found.stop) in (",", "on", "of"))
    # "Midnight Sun" is no Sunday
    led = preposition or j > found.stop or r.word(i)[0].isdigit()
    day = _period(r, j, "on" if led else "", depth + 2)
    timed = clocked(r.calendar, day[0], found.first, found.last) if day is not None else None
    return None if day is None or timed is None else (timed, day[1])


def _part(r: Reader, i: int, depth: int) -> Parsed:
    """ "early March", "mid-2024", "the end of last month", "earlier this week", "later today"."""
    word = r.word(i)
    if word in ("earlier", "later"):
        return _up_to_now(r, i, depth)
    part = PARTS.get(word)
    if part is None:
        return None
    j = i + 2 if r.word(i + 1) in ("-", "of", "in") else i + 1
    of = r.word(j - 1) == "of" or r.says(j - 1, "in", "the")
    whole = value(r, j, "in", depth + 1)
    if whole is None:
        whole = periods.current(r, j + (r.word(j) == "the")) if of else None
    if whole is None or (word in ("end", "start", "beginning", "middle") and not of):
        return None
    changed = mapped(whole[0], lambda span: parts.part_of(r.calendar, span, part))
    return None if changed is None else (changed, whole[1])


def _up_to_now(r: Reader, i: int, depth: int) -> Parsed:
    """ "earlier today", "later this week": the part before or after now."""
    if r.says(i + 1, "in", "the"):
        whole = periods.current(r, i + 3)
    else:
        whole = value(r, i + 1, "", depth + 1) if r.word(i + 1) in ("today", "this") else None
    span = r.calendar.settled(whole[0]) if whole is not None else None
    part = parts.beside_now(r.calendar, span, r.word(i) == "earlier") if span is not None else None
    return None if whole is None or part is None else (part, whole[1])


def _ordinal(r: Reader, i: int, depth: int) -> Parsed:
    """ "the first quarter of 2025", "the second half of last year", "the last week of May"."""
    number = ORDINALS.get(r.word(i))
    noun = r.word(i + 1)
    if number in (1, -1) and (edge := beside.edge(r, i, depth, value)) is not None:
        return edge
    if number is None or noun not in ("quarter", "month", "half", "week", "weekend", "day", *WEEKDAYS):
        return None
    if noun in ("quarter", "month"):
        return _months_of_year(r, i, number, 3 if noun == "quarter" else 1)
    if r.word(i + 2) != "of" and not ((noun in WEEKDAYS or noun == "weekend") and r.word(i + 2) == "in"):
        return None
    whole = value(r, i + 3, "in", depth + 1) or periods.current(r, i + 3 + (r.word(i + 3) == "the"))
    if whole is None or (noun == "half" and number > 2):
        return None
    index = number if number < 0 else number - 1
    calendar = r.calendar
    if noun in WEEKDAYS or noun == "weekend":
        weekday, length = (WEEKDAYS[noun], 1) if noun in WEEKDAYS else (_SATURDAY, 2)
        nth = mapped(whole[0], lambda span: parts.nth_weekday(calendar, span, weekday, number, length))
        return None if nth is None else (nth, whole[1])
    changed = mapped(
        whole[0],
        lambda span: (
            parts.half_of(calendar, span, second=number != 1)
            if noun == "half"
            else parts.nth_of(calendar, span, index, 7 if noun == "week" else 1)
        ),
    )
    return None if changed is None else (changed, whole[1])


def _months_of_year(r: Reader, i: int, number: int, size: int) -> Parsed:
    """ "the first quarter of 2025", "the last month of the year"; the last one of nothing is the one before this."""
    first = 13 - size if number < 0 else size * (number - 1) + 1
    parsed = dates.in_year(r, r.calendar.yearly_months(first, size), i + 2)
    if parsed is None or isinstance(parsed[0], Span):
        return parsed
    return _of_current_year(r, i + 2, parsed) if size == 3 or r.word(i + 2) == "of" else None


def _of_current_year(r: Reader, i: int, parsed: Parsed) -> Parsed:
    """ "the first quarter" needs "of the year" or a preposition in front to be no part of a match or a pound."""
    if parsed is None:
        return None
    if r.says(i, "of", "the", "year"):
        return parsed[0], i + 3
    if r.word(i - 2) == "last":
        return None
    led = r.word(i - 4) in BEFORE_A_TIME or r.word(i - 4) in OPENINGS
    return parsed if r.word(i - 3) == "the" and led and r.closes(i) else None


def _day_part_of(r: Reader, i: int, depth: int) -> Parsed:
    """ "the morning of March 4", "the night before last"."""
    hours = DAY_PARTS.get(r.word(i))
    if hours is None:
        return None
    if r.says(i, "night", "before", "last"):
        return r.calendar.hours(r.calendar.day(-2).start.date(), hours), i + 3
    if r.word(i + 1) != "of":
        return None
    day = value(r, i + 2, "on", depth + 1)
    changed = mapped(day[0], lambda span: parts.day_part(r.calendar, span, hours)) if day is not None else None
    return None if day is None or changed is None else (changed, day[1])


def _said_year(r: Reader, i: int, depth: int) -> Parsed:
    """ "the year 2024", "the month of March"."""
    if r.word(i) == "year" and r.word(i - 1) not in OTHER_YEARS and (year := r.year(i + 1)) is not None:
        return r.calendar.year(year), i + 2
    if r.says(i, "month", "of") or r.says(i, "week", "of"):
        whole = value(r, i + 2, "on", depth + 1)
        if whole is None:
            return None
        changed = mapped(whole[0], lambda span: _week_around(r, span)) if r.word(i) == "week" else whole[0]
        return None if changed is None else (changed, whole[1])
    return None


def _week_around(r: Reader, span: Span) -> Span | None:
    if span.days != 1:
        return None
    weeks = r.calendar.weekly_days(0, 6)
    return weeks.nth(weeks.number(span.start.date()))
