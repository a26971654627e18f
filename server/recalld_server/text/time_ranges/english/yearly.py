"""English parts of years and decades: "Q1 2025", "H2 last year", "the summer of 2024", "winter 2024/25", "the 90s"."""

from __future__ import annotations

import re
from typing import Final

from recalld_server.text.time_ranges.english import dates
from recalld_server.text.time_ranges.english.dates import Parsed
from recalld_server.text.time_ranges.english.words import (
    DECADES,
    OTHER_YEARS,
    PARTS,
    POSSESSIVES,
    SEASONS,
)
from recalld_server.text.time_ranges.numeric import behind_fiscal_year
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Span

_DECADE: Final = re.compile(r"(?:19|20)?\d0s")
_FISCAL: Final = re.compile(r"fy(?:\d\d){1,2}")
_QUARTER: Final = re.compile(r"(\d{4}|\d\d(?=q))?([qh])([1-4])|([1-4])([qh])(\d\d)?")


def season(r: Reader, i: int, preposition: str, article: bool) -> Parsed:
    """ "summer 2024", "the summer of last year", "during the winter"; "in summer" alone is a habit."""
    index = SEASONS.get(r.word(i))
    if index is None:
        return None
    winter = _over_the_new_year(r, i + 1 + (r.word(i + 1) == "of"))
    if winter is not None:
        return _spanned(r.calendar.season(index).nth(winter[0]), winter[1])
    parsed = dates.in_year(r, r.calendar.season(index), i + 1)
    if parsed is None or isinstance(parsed[0], Span):
        return parsed
    return parsed if preposition and article else None


def _over_the_new_year(r: Reader, i: int) -> tuple[int, int] | None:
    """The first year of "2024/25" or "2024-2025", and the word after."""
    first, last = r.year(i), r.number(i + 2)
    if first is None or last is None or r.word(i + 1) not in ("/", "-"):
        return None
    return (first, i + 3) if last in (first + 1, (first + 1) % 100) and not r.glued_after(i + 3) else None


def quarter(r: Reader, i: int, preposition: str) -> Parsed:
    """ "Q1", "Q1 2025", "2025 Q1", "H2 last year", "3Q 2025", "24Q3"."""
    year = r.year(i)
    j = i if year is None else i + 1 + (r.word(i + 1) == "-")
    match = _QUARTER.fullmatch(r.word(j))
    if match is None:
        return None
    kind, number = (match[2], int(match[3])) if match[2] else (match[5], int(match[4]))
    stated = match[1] or match[6]
    # 1h24 is a length of time
    if (year is not None and stated) or (kind == "h" and (number > 2 or match[6])):
        return None
    if _is_fiscal(r, i, j + 1):
        return None
    size = 3 if kind == "q" else 6
    recurring = r.calendar.yearly_months((number - 1) * size + 1, size)
    if stated:
        year = int(stated) if len(stated) > 2 else r.calendar.short_year(int(stated))
    if year is not None:
        return _spanned(recurring.nth(year), j + 1)
    if r.word(j + 1) in ("-", "/") and (year := r.year(j + 2)) is not None and not r.is_part_of_number(j, j + 3):
        return _spanned(recurring.nth(year), j + 3)
    parsed = dates.in_year(r, recurring, j + 1)
    if parsed is None or isinstance(parsed[0], Span):
        return parsed
    ranges = r.word(j + 1) == "-" and _QUARTER.fullmatch(r.word(j + 2)) is not None
    whole = not r.glued_before(j) and (ranges or not r.glued_after(j + 1))
    # "1h" is an hour
    bare = match[2] == "q" and r.word(j + 1) != ":" and whole
    return parsed if (preposition and match[2]) or bare else None


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


def _spanned(span: Span | None, stop: int) -> Parsed:
    return None if span is None else (span, stop)
