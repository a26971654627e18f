"""English times of the clock: "3 pm", "15:30", "noon", "9 to 11", "between 3 and 5 in the afternoon"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from recalld_server.text.time_ranges.clocks import Clock, clocked
from recalld_server.text.time_ranges.english.words import DAY_PARTS, NUMBERS
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Value

_FIGURES: Final = re.compile(r"(\d{1,2})(am|pm)?", re.ASCII)
_NAMED: Final = {"noon": 12, "midday": 12, "midnight": 0}
_PARTS_OF_AN_HOUR: Final = {"half": 30, "quarter": 15}
_LEADS: Final = frozenset({"at", "@", "from", "between", "around", "about"})
_TO: Final = frozenset({"to", "until", "till", "through", "-", "~", "到", "至"})
CLOCK_WORDS: Final = frozenset(_NAMED)


@dataclass(frozen=True, slots=True)
class Clocks:
    """One time or two, and the word after them; `marked` where the words can be nothing but a time."""

    first: Clock
    last: Clock | None
    stop: int
    marked: bool


def clocks(r: Reader, i: int, preposition: str) -> Clocks | None:
    """ "3 pm", "3 to 5 pm", and after "between" "3 and 5 pm"."""
    first = None if r.glued_before(i) and r.word(i - 1) != "-" else _clock(r, i)
    if first is None:
        return None
    joining = ("and",) if preposition == "between" else _TO
    last = _clock(r, first.stop + 1) if r.word(first.stop) in joining else None
    whole = first if last is None else Clocks(first.first, last.first, last.stop, first.marked or last.marked)
    return None if r.glued_after(whole.stop) or r.word(whole.stop) in ("%", "$") else whole


def then_clock(r: Reader, day: Value, i: int) -> tuple[Value, int]:
    """The day, or the time of it that follows: "yesterday at 3 pm", "Friday, 9:00-11:00"."""
    j = i + 1 if r.word(i) == "," else i
    lead = r.word(j) if r.word(j) in _LEADS else ""
    found = clocks(r, j + bool(lead), lead)
    if found is None or not (found.marked or (lead and r.closes(found.stop))):
        return day, i
    timed = clocked(r.calendar, day, found.first, found.last)
    return (day, i) if timed is None else (timed, found.stop)


def _clock(r: Reader, i: int) -> Clocks | None:
    word = r.word(i)
    if word in _NAMED:
        return Clocks(Clock(_NAMED[word] * 60, exact=True), None, i + 1, marked=True)
    if word in _PARTS_OF_AN_HOUR and r.word(i + 1) in ("past", "to"):
        hour_clock = _clock(r, i + 2)
        return None if hour_clock is None else _beside(hour_clock, _PARTS_OF_AN_HOUR[word], r.word(i + 1) == "to")
    match = _FIGURES.fullmatch(word)
    if match is None and word not in NUMBERS:
        return None
    hour, half = (int(match[1]), match[2]) if match is not None else (int(NUMBERS[word]), None)
    minute, digital, j = 0, False, i + 1
    separator = r.word(j) if r.joined(j) and r.joined(j + 1) and match is not None and half is None else ""
    if separator in (":", "."):
        after = _FIGURES.fullmatch(r.word(j + 1))
        if after is None or len(after[1]) != 2:
            return None
        minute, half, digital, j = int(after[1]), after[2], True, j + 2
    if half is None:
        half, j = _half(r, j)
    if separator == "." and half is None:
        # 3.30 is a number, 3.30 pm a time
        return None
    if hour > 23 or minute > 59 or (half and not 1 <= hour <= 12):
        return None
    if half in ("am", "pm"):
        clock = Clock((hour % 12 + 12 * (half == "pm")) * 60 + minute, exact=True)
    else:
        clock = Clock(hour * 60 + minute, exact=hour > 12 or word[0] == "0", digital=digital)
    if r.says(j, "in", "the") and r.word(j + 2) in DAY_PARTS and not clock.exact:
        return Clocks(clock.inside(DAY_PARTS[r.word(j + 2)]), None, j + 3, marked=True)
    return Clocks(clock, None, j, marked=digital or half is not None)


def _beside(hour: Clocks, minutes: int, before: bool) -> Clocks | None:
    """Half past, a quarter past or a quarter to an hour; None for 9:10."""
    clock = hour.first
    if clock.minutes % 60:
        return None
    moved = Clock((clock.minutes + (-minutes if before else minutes)) % (24 * 60), clock.exact)
    return Clocks(moved, None, hour.stop, marked=True)


def _half(r: Reader, i: int) -> tuple[str | None, int]:
    """ "pm", "p.m." or "o'clock" (which is no half, but marks a time), and the word after."""
    if r.word(i) in ("am", "pm"):
        return r.word(i), i + 1
    if r.word(i) in ("a", "p") and r.says(i + 1, ".", "m") and r.joined(i + 1) and r.joined(i + 2):
        return f"{r.word(i)}m", i + (4 if r.word(i + 3) == "." else 3)
    return ("", i + 3) if r.says(i, "o", "'", "clock") else (None, i)
