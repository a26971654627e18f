"""Counted English: "three weeks ago", "two and a half months ago", "the last few days"."""

from __future__ import annotations

import re
from typing import Final

from recalld_server.text.time_ranges import parts
from recalld_server.text.time_ranges.english.words import NUMBERS, ROLLING, SHORT_UNITS, TENS, UNITS
from recalld_server.text.time_ranges.parts import FEW, Amount, Unit
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Value

_SHORT: Final = re.compile(rf"(\d{{1,3}})({'|'.join(SHORT_UNITS)})", re.ASCII)
Parsed = tuple[Value, int] | None
Counted = tuple[Amount, Unit, int]
"""How many of what, and the word after."""


def distance(r: Reader, i: int, counted: Counted) -> Parsed:
    """ "n units ago", "n units back", "n units from now"; `counted` stands at `i`."""
    if r.word(i - 1) == "and" and r.word(i - 2) in UNITS:
        return None
    amount, unit, i = counted
    if r.word(i) in ("ago", "back"):
        return parts.ago(r.calendar, amount, unit), i + 1
    if r.says(i, "from", "now"):
        return parts.from_now(r.calendar, amount, unit), i + 2
    if r.word(i) == "hence":
        return parts.from_now(r.calendar, amount, unit), i + 1
    return None


def weeks_away(r: Reader, i: int) -> tuple[int, int] | None:
    """ "two weeks ago", "a fortnight ago" as a number of weeks, and the word after."""
    counted = counted_units(r, i)
    if counted is None or r.word(counted[2]) not in ("ago", "back"):
        return None
    weeks = counted[0].low * {Unit.WEEK: 1, Unit.FORTNIGHT: 2}.get(counted[1], 0)
    exact = counted[0].low == counted[0].high and weeks > 0 and weeks % 1 == 0
    return (-int(weeks), counted[2] + 1) if exact else None


def rolling(r: Reader, i: int, preposition: str, article: bool) -> Parsed:
    """ "last 3 days", "past week", "next two months"; `i` is at last, past, previous, next or coming."""
    word = r.word(i)
    counted = counted_units(r, i + 1)
    if counted is None:
        unit = UNITS.get(r.word(i + 1))
        if unit in (None, Unit.SECOND, Unit.MINUTE, Unit.QUARTER) or r.word(i + 1).endswith("s"):
            return None
        up_to_now = article and preposition in ROLLING and unit is not Unit.HOUR and unit is not Unit.DAY
        # no calendar numbers its fortnights
        lasting = word in ("last", "next") and (up_to_now or unit is Unit.HOUR)
        if word != "past" and not lasting and unit is not Unit.FORTNIGHT:
            return None
        counted = (Amount(1, 1), unit, i + 2)
    amount, unit, stop = counted
    if r.word(stop) in ("of", "before", "after"):
        return None
    if word in ("last", "past", "previous"):
        return parts.past(r.calendar, amount, unit), stop
    return (parts.ahead(r.calendar, amount, unit), stop) if word in ("next", "coming") else None


def counted_units(r: Reader, i: int) -> Counted | None:
    """ "three weeks", "a year and two months", "24h"."""
    first = _counted(r, i)
    if first is None:
        return None
    second = _counted(r, first[2] + (r.word(first[2]) == "and"))
    whole = parts.together(first[0], first[1], second[0], second[1]) if second is not None else None
    return first if second is None or whole is None else (whole, second[1], second[2])


def _counted(r: Reader, i: int) -> Counted | None:
    short = _SHORT.fullmatch(r.word(i))
    if short is not None and not (short[0] in ("2d", "3d") and r.word(i + 1) != "ago" and not r.closes(i + 1)):
        count = int(short[1])
        return Amount(count, count), SHORT_UNITS[short[2]], i + 1
    amount = _amount(r, i)
    if amount is None:
        return None
    many, i = amount
    if r.word(i) == "more":
        i += 1
    unit = UNITS.get(r.word(i))
    if unit is None:
        return None
    if r.says(i + 1, "and", "a", "half"):
        return many.plus(0.5), unit, i + 4
    if r.says(i + 1, "or", "so"):
        return many, unit, i + 3
    if many.high == 1 and r.says(i + 1, "or", "two"):
        return Amount(1, 2), unit, i + 3
    return many, unit, i + 1


def _amount(r: Reader, i: int) -> tuple[Amount, int] | None:
    word = r.word(i)
    if word in ("a", "an"):
        following = _amount(r, i + 1) if r.word(i + 1) in ("few", "couple", "half") else None
        return following or (Amount(1, 1), i + 1)
    if word in ("few", "several", "some"):
        return FEW, i + 1
    if word == "couple":
        return Amount(2, 3), i + (2 if r.word(i + 1) == "of" else 1)
    if word == "half":
        return Amount(0.5, 0.5), i + (2 if r.word(i + 1) in ("a", "an") else 1)
    first = _number(r, i)
    if first is None:
        return None
    value, i = first
    if r.says(i, "and", "a", "half"):
        return Amount(value + 0.5, value + 0.5), i + 3
    second = _number(r, i + 1) if r.word(i) in ("or", "to", "-") else None
    if second is not None and second[0] > value:
        return Amount(value, second[0]), second[1]
    return Amount(value, value), i


def whole_number(r: Reader, i: int) -> int | None:
    """A number of one word: "two", "3"."""
    return int(NUMBERS[r.word(i)]) if r.word(i) in NUMBERS else r.number(i)


def _number(r: Reader, i: int) -> tuple[float, int] | None:
    word = r.word(i)
    if word in NUMBERS:
        return NUMBERS[word], i + 1
    if word in TENS:
        j = i + 2 if r.word(i + 1) == "-" else i + 1
        ones = NUMBERS.get(r.word(j), 10)
        return (TENS[word] + ones, j + 1) if ones < 10 else (TENS[word], i + 1)
    whole = r.number(i)
    if whole is None or (r.joined(i) and r.word(i - 1) in (".", ":", "/")):
        return None
    fraction = r.number(i + 2) if r.word(i + 1) == "." and r.joined(i + 1) and r.joined(i + 2) else None
    return (whole, i + 1) if fraction is None else (float(f"{whole}.{r.word(i + 2)}"), i + 3)
