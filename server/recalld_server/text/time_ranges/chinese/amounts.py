"""Counted Chinese: 三天前, 两个半月前, 过去三天, 最近半年, 前几天."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges import parts
from recalld_server.text.time_ranges.chinese import tense
from recalld_server.text.time_ranges.chinese.characters import (
    AFTER_NO_AFTER,
    AFTER_NO_BEFORE,
    AFTER_NO_UNIT,
    AFTER_NO_WITHIN,
    AGO,
    AHEAD,
    DIGITS,
    FROM_NOW,
    NOT_NEAR,
    NUMERALS,
    ROLLING,
    UNIT_WORDS,
    UNITS,
    WITHIN,
)
from recalld_server.text.time_ranges.parts import FEW, Amount, Unit
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Recurring, Span, Value

_MONTH: Final = 28
_TENS: Final = {"十": 10, "百": 100}
_JOINTS: Final = frozenset("零又")
Parsed = tuple[Value, int] | None


def distance(r: Reader, i: int) -> Parsed:
    """三天前, 两周之前, 三天后, 三天内."""
    counted = counted_units(r, i)
    if counted is None or r.word(i - 1) in _JOINTS:
        return None
    amount, unit, j = counted
    if r.has(j, "以来") and unit is not Unit.QUARTER:
        return parts.past(r.calendar, amount, unit), j + 2
    word = r.longest(j, AGO)
    if word and not (word == "前" and r.word(j + 1) in AFTER_NO_BEFORE):
        return parts.ago(r.calendar, amount, unit), j + len(word)
    word = r.longest(j, FROM_NOW)
    if word and not (word == "后" and r.word(j + 1) in AFTER_NO_AFTER):
        return parts.from_now(r.calendar, amount, unit), j + len(word)
    word = r.longest(j, WITHIN)
    if word and not (word == "内" and r.word(j + 1) in AFTER_NO_WITHIN):
        return _within(r, amount, unit, i, j + len(word))
    return None


def _within(r: Reader, amount: Amount, unit: Unit, i: int, stop: int) -> Parsed:
    """三天内要交的 lies ahead, 三天内发生过的 behind; where nothing tells, either."""
    span = {-1: parts.past, 0: parts.within, 1: parts.ahead}[tense.direction(r, i, stop)]
    return span(r.calendar, amount, unit), stop


def weeks_away(r: Reader, i: int) -> tuple[int, int] | None:
    """两周前 as a number of weeks, and the word after it."""
    counted = counted_units(r, i)
    if counted is None or counted[1] is not Unit.WEEK or counted[0].low != counted[0].high or counted[0].low % 1:
        return None
    weeks, j = int(counted[0].low), counted[2]
    ago = r.longest(j, AGO)
    if ago:
        return -weeks, j + len(ago)
    later = r.longest(j, FROM_NOW)
    return (weeks, j + len(later)) if later else None


def rolling(r: Reader, i: int) -> Parsed:
    """过去三天, 最近半年, 近两周, 这几天, 前几天, 再过三天, 未来三天."""
    lead = r.longest(i, ROLLING)
    if lead:
        if lead == "近" and r.word(i - 1) in NOT_NEAR:
            return None
        counted = _counted(r, i + len(lead))
        return None if counted is None else (parts.past(r.calendar, counted[0], counted[1]), counted[2])
    if r.has(i, "再过"):
        counted = _counted(r, i + 2)
        return None if counted is None else (parts.from_now(r.calendar, counted[0], counted[1]), counted[2])
    lead = r.longest(i, AHEAD)
    if lead:
        counted = _counted(r, i + len(lead))
        return None if counted is None else (parts.ahead(r.calendar, counted[0], counted[1]), counted[2])
    if r.word(i) == "前" and r.word(i + 1) in ("几", "两", "些"):
        counted = (FEW, Unit.DAY, i + 3) if r.has(i, "前些天") else _counted(r, i + 1)
        if counted is not None:
            return parts.ago(r.calendar, Amount(1, counted[0].high + 1), counted[1]), counted[2]
    return None


def beside(r: Reader, value: Value, i: int) -> tuple[Span, int] | None:
    """The 前一天 of 春节前一天: so long up to a day, or from it on; but the 前三个月 of 去年前三个月 are its first."""
    j = i + (r.word(i) == "的")
    word = r.word(j)
    counted = _counted(r, j + 1) if word in ("前", "后") else None
    span = r.calendar.settled(value) if counted is not None else None
    if counted is None or span is None:
        return None
    if span.days >= _MONTH:
        found = parts.edge_of(r.calendar, span, counted[0], counted[1], word == "后")
    elif span.days == 1 or isinstance(value, Recurring):
        found = parts.next_to(r.calendar, span, counted[0], counted[1], word == "后")
    else:
        return None
    return None if found is None else (found, counted[2])


def counted_units(r: Reader, i: int) -> tuple[Amount, Unit, int] | None:
    """三天, 一年零三个月 and the word after it."""
    first = _counted(r, i)
    second = _counted(r, first[2] + (r.word(first[2]) in _JOINTS)) if first is not None else None
    if first is None or second is None:
        return first
    whole = parts.together(first[0], first[1], second[0], second[1])
    return first if whole is None else (whole, second[1], second[2])


def number(r: Reader, i: int) -> tuple[int, int] | None:
    """A whole number below a thousand in digits or characters: 3, 十二, 二十五, 一百."""
    whole = r.number(i)
    if whole is not None:
        return whole, i + 1
    total, current, j = 0, -1, i
    while (character := r.word(j)) in DIGITS or character in ("十", "百"):
        if character in DIGITS:
            if current > 0:
                return None
            current = DIGITS[character]
        else:
            total += (1 if current < 0 else current) * (10 if character == "十" else 100)
            current = -1
        j += 1
        if j - i > 6:
            return None
    return (total + max(current, 0), j) if j > i else None


def _counted(r: Reader, i: int) -> tuple[Amount, Unit, int] | None:
    """An amount with its unit: 三天, 两个半月, 一年半, 半个小时, 几个星期."""
    if r.word(i) == "好":
        i += 1
    first = _amount(r, i)
    if first is None:
        return None
    amount, j = first
    if r.word(j) in ("多", "来"):
        j += 1
    classified = r.word(j) == "个"
    if classified:
        j += 1
        if r.word(j) == "多":
            j += 1
        if r.word(j) == "半":
            amount, j = amount.plus(0.5), j + 1
    unit = r.longest(j, UNIT_WORDS)
    if not unit or r.word(j + len(unit)) in AFTER_NO_UNIT.get(unit, ()):
        return None
    # 三月前 is "before March"; only 三个月前 counts months.
    if unit == "月" and not classified and r.word(i) not in ("数", "几", "半"):
        return None
    j += len(unit)
    if r.word(j) == "半" and unit in ("年", "天"):
        amount, j = amount.plus(0.5), j + 1
    if r.word(j) == "多":
        j += 1
    return amount, UNITS[unit], j


def _amount(r: Reader, i: int) -> tuple[Amount, int] | None:
    word = r.word(i)
    if word in ("几", "数"):
        tens = _TENS.get(r.word(i + 1))
        return (FEW, i + 1) if tens is None else (Amount(2 * tens, 9 * tens), i + 2)
    if word == "半":
        return Amount(0.5, 0.5), i + 1
    whole = r.number(i)
    if whole is not None:
        return _after_digits(r, i, whole)
    if word not in NUMERALS:
        return None
    following = r.word(i + 1)
    if word in DIGITS and following in DIGITS and r.word(i + 2) not in NUMERALS:
        low, high = DIGITS[word], DIGITS[following]
        return (Amount(low, high), i + 2) if 0 < low < high <= low + 2 else None
    parsed = number(r, i)
    if parsed is None:
        return None
    many, j = parsed
    if r.word(j) == "几" and r.word(j - 1) == "十":
        return Amount(many + 1, many + 9), j + 1
    return Amount(many, many), j


def _after_digits(r: Reader, i: int, whole: int) -> tuple[Amount, int] | None:
    if r.joined(i) and r.word(i - 1) in (".", ":", "/"):
        return None
    second = r.number(i + 2)
    if r.word(i + 1) == "." and r.joined(i + 1) and r.joined(i + 2) and second is not None:
        value = float(f"{whole}.{r.word(i + 2)}")
        return Amount(value, value), i + 3
    if r.word(i + 1) in ("-", "~", "到", "至") and second is not None and second > whole:
        return Amount(whole, second), i + 3
    return Amount(whole, whole), i + 1
