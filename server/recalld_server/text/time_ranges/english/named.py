"""English days with a name and numbered weeks: "last Christmas", "over Easter", "week 42 of 2025", "KW 42"."""

from __future__ import annotations

import re
from typing import Final

from recalld_server.text.time_ranges import parts
from recalld_server.text.time_ranges.english import dates
from recalld_server.text.time_ranges.english.dates import Parsed
from recalld_server.text.time_ranges.english.words import DAY_PARTS
from recalld_server.text.time_ranges.feasts import (
    DRAGON_BOAT,
    MID_AUTUMN,
    NEW_YEAR,
    QINGMING,
    SUNDAY,
    THURSDAY,
    Feast,
    around,
    chinese,
    easter,
    fixed,
    nth_weekday,
)
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Recurring, Span

# Words as the reader has them: an apostrophe is one of its own.
_FEASTS: Final[dict[str, Feast]] = {
    "christmas eve": fixed(12, 24),
    "christmas day": fixed(12, 25),
    "christmas": fixed(12, 25),
    "xmas eve": fixed(12, 24),
    "xmas": fixed(12, 25),
    "boxing day": fixed(12, 26),
    "halloween": fixed(10, 31),
    "valentine ' s day": fixed(2, 14),
    "valentine ' s": fixed(2, 14),
    "valentines day": fixed(2, 14),
    "new year ' s eve": fixed(12, 31),
    "nye": fixed(12, 31),
    "new year ' s": fixed(1, 1),
    "new year": fixed(1, 1),
    "new years eve": fixed(12, 31),
    "new year ' s day": fixed(1, 1),
    "new years day": fixed(1, 1),
    "thanksgiving day": nth_weekday(11, THURSDAY, 4),
    "thanksgiving": nth_weekday(11, THURSDAY, 4),
    "black friday": nth_weekday(11, THURSDAY, 4, shift=1),
    "cyber monday": nth_weekday(11, THURSDAY, 4, shift=4),
    "mother ' s day": nth_weekday(5, SUNDAY, 2),
    "mothers day": nth_weekday(5, SUNDAY, 2),
    "fathers day": nth_weekday(6, SUNDAY, 3),
    "father ' s day": nth_weekday(6, SUNDAY, 3),
    "good friday": easter(-2),
    "easter sunday": easter(),
    "easter monday": easter(1),
    "easter": easter(),
    "chinese new year ' s eve": chinese(NEW_YEAR, shift=-1),
    "lunar new year ' s eve": chinese(NEW_YEAR, shift=-1),
    "chinese new year": chinese(NEW_YEAR, count=7),
    "lunar new year": chinese(NEW_YEAR, count=7),
    "spring festival": chinese(NEW_YEAR, count=7),
    "qingming": chinese(QINGMING),
    "dragon boat festival": chinese(DRAGON_BOAT),
    "mid - autumn festival": chinese(MID_AUTUMN),
    "mid - autumn": chinese(MID_AUTUMN),
}


def _by_first_word() -> dict[str, tuple[tuple[tuple[str, ...], Feast], ...]]:
    split = sorted(((tuple(words.split()), feast) for words, feast in _FEASTS.items()), key=lambda pair: -len(pair[0]))
    return {first: tuple(pair for pair in split if pair[0][0] == first) for first in {words[0] for words, _ in split}}


_BY_FIRST_WORD: Final = _by_first_word()
_AROUND: Final = frozenset({"over", "during", "around"})
_BREAKS: Final = frozenset({"break", "holiday", "holidays", "weekend"})
_WEEK_WORDS: Final = frozenset({"week", "weeks", "wk", "cw", "kw"})
_SHORT_WEEK: Final = re.compile(r"(\d{4})?(w|wk|cw|kw)(\d{1,2})", re.ASCII)
_BEFORE_NO_WEEK: Final = frozenset({"a", "one", "per"})
_TO: Final = frozenset({"to", "-", "through", "until"})
FIRST_WORDS: Final = frozenset({*_BY_FIRST_WORD, *_WEEK_WORDS})


def feast(r: Reader, i: int, preposition: str) -> tuple[Recurring, int] | None:
    """A day with a name, each year; "over" it, and its "break", are a day more on either side."""
    for words, days in _BY_FIRST_WORD.get(r.word(i), ()):
        if r.says(i, *words):
            stop = i + len(words)
            long = r.word(stop) in _BREAKS
            return r.calendar.feast(around(days) if long or preposition in _AROUND else days), stop + long
    return None


def holiday(r: Reader, i: int, preposition: str, anchored: bool) -> Parsed:
    """Days with a name, after a preposition or with a year: "at Christmas", "Halloween 2024"."""
    found = feast(r, i, preposition)
    if found is None:
        return None
    recurring, stop = found
    hours = DAY_PARTS.get(r.word(stop))
    year = dates.stated_year(r, stop + (hours is not None))
    if year is not None:
        span = recurring.nth(year[0])
        return _spanned(span if span is None or hours is None else parts.day_part(r.calendar, span, hours), year[1])
    if r.word(stop - 1) == "year" and preposition in ("", "in"):
        # "in the new year" is all of it
        return None
    return found if anchored or hours is not None else None


def numbered_week(r: Reader, i: int, preposition: str) -> Parsed:
    """ "week 42", "weeks 40 to 42", "CW 42/2025", "2025-W42", "week 42 of last year": weeks as ISO 8601 counts them."""
    word = r.word(i)
    year = r.year(i)
    if year is None and word.isdigit():
        return None
    j = i if year is None else i + 1 + (r.word(i + 1) == "-")
    short = _SHORT_WEEK.fullmatch(r.word(j))
    if short is not None:
        year = int(short[1]) if year is None and short[1] else year
        first, stop = int(short[3]), j + 1
    elif r.word(j) in _WEEK_WORDS and (number := r.number(j + 1)) is not None:
        first, stop = number, j + 2
    else:
        return None
    last = r.number(stop + 1) if r.word(stop) in _TO else None
    if last is not None:
        stop += 2
    weeks = r.calendar.numbered_weeks(first, last or first)
    if year is None and r.word(stop) == "/" and (year := r.year(stop + 1)) is not None:
        stop += 2
    if r.glued_after(stop):
        return None
    parsed = dates.in_year(r, weeks, stop) if year is None else _spanned(weeks.nth(year), stop)
    if parsed is None or isinstance(parsed[0], Span):
        return parsed
    return parsed if _stands_alone(r, i, stop, preposition, plural=last is not None) else None


def _stands_alone(r: Reader, i: int, stop: int, preposition: str, plural: bool) -> bool:
    """Whether a numbered week without a year can only be one of the calendar: no "week 3 of the course", no "5 kW 3"."""
    word = r.word(i)
    if r.word(stop) == "of" or r.word(i - 1) in _BEFORE_NO_WEEK or (word[0] == "w" and word[1:].isdigit()):
        return False
    if (word == "weeks" and not plural) or (word in ("cw", "kw") and not r.capital(i)):
        return False
    return bool(preposition) or len(r.word(stop - 1)) > 1 or r.closes(stop)


def _spanned(span: Span | None, stop: int) -> Parsed:
    return None if span is None else (span, stop)
