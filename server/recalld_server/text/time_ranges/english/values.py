"""One English period or date, with the parts that it may nest: "the end of the first week of May"."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from recalld_server.text.time_ranges import parts
from recalld_server.text.time_ranges.clocks import clocked
from recalld_server.text.time_ranges.english import (
    amounts,
    beside,
    clocks,
    dates,
    named,
    ordinals,
    periods,
    present,
    weekdays,
    weeks,
    yearly,
)
from recalld_server.text.time_ranges.english.dates import Parsed
from recalld_server.text.time_ranges.english.words import (
    DAY_PARTS,
    DECADES,
    MONTHS,
    NUMBERS,
    ORDINAL_DAYS,
    ORDINALS,
    OTHER_YEARS,
    PARTS,
    RELATIVE,
    SEASONS,
    TENS,
    WEEKDAYS,
)
from recalld_server.text.time_ranges.feasts import nearest_saturday, week
from recalld_server.text.time_ranges.numeric import numeric_date
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Span, mapped

_MOST_NESTED: Final = 3
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
        *present.FIRST_WORDS,
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
        so_far = present.so_far(r, parsed[0], parsed[1])
        parsed = so_far or beside.narrowed(r, parsed[0], parsed[1], depth, value)
    return clocks.then_clock(r, *parsed)


def _period(r: Reader, i: int, preposition: str, depth: int) -> Parsed:
    if depth > _MOST_NESTED:
        return None
    article = r.word(i) == "the"
    if article:
        i += 2 if r.word(i + 1) == "'" else 1
    word = r.word(i)
    if word == "'":
        return dates.short_year_alone(r, i, preposition)
    if not word or not may_begin(word):
        return None
    anchored = article or bool(preposition)
    if word[0].isdigit():
        return _from_digits(r, i, preposition, article, depth)
    if word in RELATIVE:
        return (
            present.told_by_now(r, i)
            or (_last(r, i, depth) if word == "last" else None)
            or periods.relative(r, i, preposition, article)
        )
    return (
        (beside.nearest(r, i, depth, value) if article else None)
        or named.holiday(r, i, preposition, anchored)
        or (dates.month_first(r, i, preposition) if not article else None)
        or present.told_by_now(r, i)
        or present.up_to_now(r, i, depth, value)
        or weeks.numbered_week(r, i, preposition)
        or periods.named_day(r, i)
        or (weekdays.weekday(r, i, preposition) if not article or preposition == "" else None)
        or _counted(r, i, preposition, article, depth)
        or _part(r, i, depth)
        or ordinals.nth_of(r, i, depth, value)
        or _day_part_of(r, i, depth)
        or dates.day_first(r, i, preposition)
        or yearly.quarter(r, i, preposition)
        or yearly.season(r, i, preposition, article)
        or _said(r, i, depth)
        or weekdays.weekend(r, i, anchored)
        or yearly.decade(r, i, anchored)
        or _clock_of(r, i, preposition, depth)
    )


def _last(r: Reader, i: int, depth: int) -> Parsed:
    """ "the last week of May", "last Friday before Easter", "last week before Easter"."""
    return (
        ordinals.nth_of(r, i, depth, value)
        or beside.nearest(r, i + 1, depth, value)
        or (beside.whole(r, i + 1, depth, value) if r.word(i + 2) == "before" else None)
    )


def _from_digits(r: Reader, i: int, preposition: str, article: bool, depth: int) -> Parsed:
    if r.joined(i) and r.word(i - 1) in _INSIDE_A_NUMBER and r.glued_before(i):
        return None
    return (
        numeric_date(r, i)
        or dates.day_first(r, i, preposition)
        or _counted(r, i, preposition, article, depth)
        or ordinals.nth_of(r, i, depth, value)
        or yearly.quarter(r, i, preposition)
        or yearly.decade(r, i, article or bool(preposition))
        or weeks.numbered_week(r, i, preposition)
        or (dates.year_alone(r, i, preposition) if not article else None)
        or _clock_of(r, i, preposition, depth)
    )


def _counted(r: Reader, i: int, preposition: str, article: bool, depth: int) -> Parsed:
    """ "3 days ago", "two weeks ago on Friday", "in 3 days", "two weeks before Easter", "the week before Easter"."""
    many = amounts.counted_units(r, i)
    if many is None:
        return present.times_back(r, i) or beside.whole(r, i, depth, value)
    told = present.to_the_day(r, many) or _day_of_a_week_ago(r, i)
    told = told or amounts.distance(r, i, many) or beside.counted(r, many, depth, value)
    ahead = preposition in ("in", "within") and not article and told is None
    return present.ahead(r, i, many, preposition) if ahead else told


def _day_of_a_week_ago(r: Reader, i: int) -> Parsed:
    """ "a week ago Friday", "two weeks ago on Tuesday"."""
    away = amounts.weeks_away(r, i)
    if away is None:
        return None
    j = away[1] + (r.word(away[1]) == "on")
    return periods.day_of_week(r, r.word(j), away[0], j + 1) if r.word(j) in WEEKDAYS else None


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
    """ "early March", "mid-2024", "the end of last month", "end-of-March"."""
    word = r.word(i)
    part = PARTS.get(word)
    if part is None:
        return None
    j = i + 4 if r.says(i + 1, "-", "of", "-") else i + 2 if r.word(i + 1) in ("-", "of", "in") else i + 1
    of = "of" in (r.word(j - 1), r.word(j - 2)) or r.says(j - 1, "in", "the")
    whole = value(r, j, "in", depth + 1)
    if whole is None:
        whole = periods.current(r, j + (r.word(j) == "the")) if of else None
    if whole is None or (word in ("end", "start", "beginning", "middle") and not of):
        return None
    changed = mapped(whole[0], lambda span: parts.part_of(r.calendar, span, part))
    return None if changed is None else (changed, whole[1])


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


def _said(r: Reader, i: int, depth: int) -> Parsed:
    """ "the year 2024", "the month of March", "the week of May 5", "the weekend of May 9"."""
    if r.word(i) == "year" and r.word(i - 1) not in (*OTHER_YEARS, "new") and (year := r.year(i + 1)) is not None:
        return r.calendar.year(year), i + 2
    if r.word(i) not in ("month", "week", "weekend") or r.word(i + 1) != "of":
        return None
    whole = value(r, i + 2, "on", depth + 1)
    if whole is None or r.word(i) == "month":
        return whole
    changed = mapped(whole[0], lambda span: _around_a_day(r, span, r.word(i)))
    return None if changed is None else (changed, whole[1])


def _around_a_day(r: Reader, span: Span, noun: str) -> Span | None:
    if span.days != 1:
        return None
    day = span.start.date()
    if noun == "weekend":
        saturday = nearest_saturday(day)
        return r.calendar.days(saturday, saturday + timedelta(days=1))
    return r.calendar.days(*week(day, day))
