"""English numbered weeks: "week 42 of 2025", "weeks 40 to 42", "KW 42"."""

from __future__ import annotations

import re
from typing import Final

from recalld_server.text.time_ranges import parts
from recalld_server.text.time_ranges.english import dates
from recalld_server.text.time_ranges.english.dates import Parsed
from recalld_server.text.time_ranges.english.words import MONTHS
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Span, mapped

_WEEK_WORDS: Final = frozenset({"week", "weeks", "wk", "cw", "kw"})
_SHORT_WEEK: Final = re.compile(r"(\d{4})?(w|wk|cw|kw)(\d{1,2})", re.ASCII)
_BEFORE_NO_WEEK: Final = frozenset({"a", "one", "per"})
_TO: Final = frozenset({"to", "-", "through", "until"})
FIRST_WORDS: Final = _WEEK_WORDS


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
    if r.word(j) == "week" and r.word(stop) == "of" and r.word(stop + 1) in MONTHS:
        return _of_month(r, first, stop + 1)
    parsed = dates.in_year(r, weeks, stop) if year is None else _spanned(weeks.nth(year), stop)
    if parsed is None or isinstance(parsed[0], Span):
        return parsed
    return parsed if _stands_alone(r, i, stop, preposition, plural=last is not None) else None


def _of_month(r: Reader, number: int, i: int) -> Parsed:
    """ "week 3 of March"."""
    month = dates.month_first(r, i, "in")
    changed = (
        mapped(month[0], lambda span: parts.nth_of(r.calendar, span, number - 1, 7)) if month is not None else None
    )
    return None if month is None or changed is None else (changed, month[1])


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
