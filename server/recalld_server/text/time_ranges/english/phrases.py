"""A whole English time phrase: a period or date, part of one, a range, or one that is open to one side."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges.english import dates
from recalld_server.text.time_ranges.english.dates import Parsed
from recalld_server.text.time_ranges.english.values import may_begin, value
from recalld_server.text.time_ranges.english.words import (
    BEFORE_A_TIME,
    MONTHS,
    NAMES,
    OPENINGS,
)
from recalld_server.text.time_ranges.reader import Found, Reader
from recalld_server.text.time_ranges.spans import Value

_HABITS: Final = frozenset({"every", "each"})
# What several words say, as one of those that lead to a time.
_LONG: Final = (
    (("prior", "to"), "before"),
    (("earlier", "than"), "before"),
    (("up", "to"), "by"),
    (("no", "later", "than"), "by"),
    (("on", "or", "before"), "by"),
    (("on", "or", "after"), "since"),
    (("starting", "from"), "since"),
    (("starting", "in"), "since"),
    (("starting", "on"), "since"),
    (("starting",), "since"),
    (("by", "eod"), "by"),
    (("by", "cob"), "by"),
    (("by", "end", "of", "day"), "by"),
    (("pre", "-"), "before"),
    (("post", "-"), "after"),
    (("later", "than"), "after"),
    (("as", "of"), "in"),
    (("all", "of"), "in"),
    (("most", "of"), "in"),
    (("rest", "of"), "in"),
)
_LONG_FIRST: Final = frozenset(words[0] for words, _ in _LONG)
_TO: Final = frozenset({"to", "through", "thru", "until", "till", "-", "~", "到", "至"})


def read(r: Reader, i: int) -> Found | None:
    """What the English words from `i` on say, if a time phrase begins here."""
    word = r.word(i)
    if word in _LONG_FIRST:
        for words, meaning in _LONG:
            if r.says(i, *words):
                found = _led(r, meaning, i + len(words))
                if found is not None:
                    return found
    if word in BEFORE_A_TIME or word in OPENINGS:
        return _led(r, word, i + 1)
    if word in _HABITS:
        return _habit(r, i)
    return _settled(r, _range(r, i, "")) if may_begin(word) else None


def _led(r: Reader, word: str, i: int) -> Found | None:
    """What stands at `i` behind such a word."""
    if word in BEFORE_A_TIME:
        return _settled(r, _range(r, i, word))
    if word == "between":
        return _between(r, i)
    return _from(r, i) if word == "from" else _open(r, word, i)


def _open(r: Reader, word: str, i: int) -> Found | None:
    if word == "by" and _may_be_a_person(r, i):
        return None
    parsed = value(r, i, word)
    span = r.calendar.settled(parsed[0]) if parsed is not None else None
    if parsed is None or span is None:
        return None
    if word == "since":
        last = _second(r, parsed[1] + 1, parsed) if r.word(parsed[1]) in _TO else None
        whole = r.calendar.between(parsed[0], last[0]) if last is not None else None
        if last is not None and whole is not None:
            return Found(whole, last[1])
        return Found(r.calendar.since(span.start), parsed[1])
    if word == "after":
        return Found(r.calendar.since(span.end), parsed[1])
    return Found(r.calendar.until(span.start if word == "before" else span.end), parsed[1])


def _between(r: Reader, i: int) -> Found | None:
    first = value(r, i, "between")
    if first is None:
        return None
    if "and" in map(r.word, range(i, first[1])):
        return _settled(r, first)
    if r.word(first[1]) != "and":
        return None
    last = _second(r, first[1] + 1, first)
    span = r.calendar.between(first[0], last[0]) if last is not None else None
    return None if last is None or span is None else Found(span, last[1])


def _from(r: Reader, i: int) -> Found | None:
    """ "from May to July", "from May on"; "from last week" alone says when something was."""
    first = value(r, i, "from")
    if first is None:
        return None
    stop = first[1]
    if r.word(stop) in _TO:
        last = _second(r, stop + 1, first)
        if last is not None:
            span = r.calendar.between(first[0], last[0])
            return None if span is None else Found(span, last[1])
        if r.year(stop - 1) is not None:
            # "from 1920 to 1080" are pixels.
            return None
    span = r.calendar.settled(first[0])
    if span is None:
        return None
    if r.word(stop) in ("on", "onwards", "onward", "forward"):
        return Found(r.calendar.since(span.start), stop + 1)
    return None if _may_be_a_person(r, i) else Found(span, stop)


def _may_be_a_person(r: Reader, i: int) -> bool:
    """A month that is a name as well, with neither day nor year."""
    return r.word(i) in NAMES and dates.day_number(r, i + 1) is None and dates.stated_year(r, i + 1) is None


def _range(r: Reader, i: int, preposition: str) -> Parsed:
    """A value, and the end of the range when another follows: "Monday to Wednesday", "March - May 2025"."""
    first = value(r, i, preposition) or _month_before_range(r, i)
    if first is not None and r.word(first[1]) == "and":
        return _and(r, first)
    if first is None or r.word(first[1]) not in _TO:
        return first
    last = _second(r, first[1] + 1, first)
    span = r.calendar.between(first[0], last[0]) if last is not None else None
    return first if last is None or span is None else (span, last[1])


def _and(r: Reader, first: tuple[Value, int]) -> Parsed:
    """ "yesterday and today", "March and April": two that touch are one range, of others the first counts."""
    last = _second(r, first[1] + 1, first)
    span = r.calendar.adjoining(first[0], last[0]) if last is not None else None
    return first if last is None or span is None else (span, last[1])


def _month_before_range(r: Reader, i: int) -> Parsed:
    """ "March to May" and "Jan and Feb 2026" need no preposition: two months in a row are no names."""
    joined = r.word(i + 1) in _TO or (r.word(i + 1) == "and" and r.year(i + 3) is not None)
    if r.word(i) in MONTHS and joined and r.word(i + 2) in MONTHS and r.capital(i):
        return r.calendar.yearly_months(MONTHS[r.word(i)]), i + 1
    return None


def _second(r: Reader, i: int, first: tuple[Value, int]) -> Parsed:
    # A bare number is a year only where the range began with one.
    if r.word(i) in ("now", "present"):
        return r.calendar.day(0), i + 1
    begun_with_year = r.year(first[1] - 1) is not None
    return value(r, i, "between" if begun_with_year else "on")


def _habit(r: Reader, i: int) -> Found:
    """ "every Friday", "each year in March": not one time, so nothing of it may be taken for one."""
    j = i + 2 if r.word(i + 1) in ("year", "month", "week", "day") else i + 1
    if r.word(j) in ("in", "on", "at"):
        j += 1
    whole = value(r, j, "on")
    return Found(None, whole[1] if whole is not None else i + 2)


def _settled(r: Reader, parsed: Parsed) -> Found | None:
    span = r.calendar.settled(parsed[0]) if parsed is not None else None
    return None if parsed is None or span is None else Found(span, parsed[1])
