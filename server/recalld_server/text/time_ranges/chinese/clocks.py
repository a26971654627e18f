"""Chinese times of the clock after a day or a part of one: 三点半, 三点到五点, 15:30, 九点到下午两点."""

from __future__ import annotations

import re
from typing import Final

from recalld_server.text.time_ranges.chinese.amounts import number
from recalld_server.text.time_ranges.chinese.characters import DAY_PART_WORDS, DAY_PARTS, RANGE_TO
from recalld_server.text.time_ranges.clocks import Clock, clocked
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Value

_WITH_HALF: Final = re.compile(r"(\d{1,2})(am|pm)", re.ASCII)
_MARKS: Final = ("点", "时")
# 点了茶, 点击, 三点建议, 三点式: a word of its own, or points that are counted.
_NO_MARK: Final = frozenset("了击赞心名评餐菜头燃火滴儿外单数播建意要原理注式间候期")
_QUARTERS: Final = {"半": 30, "一刻": 15, "三刻": 45}
_QUARTER_WORDS: Final = tuple(_QUARTERS)
_AFTER_ONE: Final = frozenset((*RANGE_TO, *"和与的以之前后左多开"))
_AFTER_MINUTES: Final = frozenset((*RANGE_TO, "的", "以", "之", "前", "后", "左"))


def then_clock(r: Reader, day: Value, i: int) -> tuple[Value, int]:
    """The day, or the time of it that follows."""
    j = i + 1 if r.word(i) == "的" else i
    first = _clock(r, j) or _hour_of_range(r, j)
    if first is None:
        return day, i
    joint = r.word(first[1])
    last = _clock(r, _past_part(r, first[1] + 1)) if joint in RANGE_TO or joint in ("和", "与") else None
    if last is not None and joint not in RANGE_TO and not r.has(last[1], "之间"):
        last = None
    if last is not None:
        part = r.longest(first[1] + 1, DAY_PART_WORDS)
        ending = last[0].inside(DAY_PARTS[part]) if part and not last[0].exact else last[0]
        timed, stop = clocked(r.calendar, day, first[0], ending), last[1] + 2 * r.has(last[1], "之间")
    else:
        timed, stop = clocked(r.calendar, day, first[0], None), first[1]
    return (day, i) if timed is None else (timed, stop)


def _past_part(r: Reader, i: int) -> int:
    return i + len(r.longest(i, DAY_PART_WORDS))


def _clock(r: Reader, i: int) -> tuple[Clock, int] | None:
    """三点, 3点20分, 三点半, 15:30 and the word after it."""
    half = _WITH_HALF.fullmatch(r.word(i))
    if half is not None and 1 <= int(half[1]) <= 12:
        # 昨天3pm
        return Clock((int(half[1]) % 12 + 12 * (half[2] == "pm")) * 60, exact=True), i + 1
    parsed = number(r, i)
    if parsed is None or parsed[0] > 24:
        return None
    hour, j = parsed
    exact = hour > 12 or r.word(i)[0] in "0零"
    if r.word(j) == ":" and r.joined(j) and r.joined(j + 1) and len(r.word(j + 1)) == 2:
        minute = r.number(j + 1)
        return None if minute is None or minute > 59 else (Clock(hour * 60 + minute, exact, digital=True), j + 2)
    if r.word(j) not in _MARKS or r.word(j + 1) in _NO_MARK:
        return None
    minute, stop = _minutes(r, j + 1)
    if r.word(i) == "一" and stop == j + 1 and not r.closes(stop) and r.word(stop) not in _AFTER_ONE:
        # 今天早上一点都不冷
        return None
    return Clock(hour * 60 + minute, exact), stop


def _hour_of_range(r: Reader, i: int) -> tuple[Clock, int] | None:
    """The 三 of 三到五点: it has no mark of its own."""
    parsed = number(r, i)
    if parsed is None or parsed[0] > 24 or r.word(parsed[1]) not in RANGE_TO or _clock(r, parsed[1] + 1) is None:
        return None
    return Clock(parsed[0] * 60, exact=parsed[0] > 12), parsed[1]


def _minutes(r: Reader, i: int) -> tuple[int, int]:
    """What follows 点: 半, 一刻, 二十分, 整, 钟."""
    quarter = r.longest(i, _QUARTER_WORDS)
    if quarter:
        return _QUARTERS[quarter], i + len(quarter)
    parsed = number(r, i)
    if parsed is not None and parsed[0] <= 59:
        minute, stop = parsed
        if r.word(stop) == "分":
            return minute, stop + 1
        if minute >= 10 and (r.closes(stop) or r.word(stop) in _AFTER_MINUTES):
            return minute, stop
    return 0, i + (r.word(i) in ("整", "钟"))
