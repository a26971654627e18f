"""What comes back each year, in Chinese: 3月4日, 三月底, 第一季度, 上半年, 夏天; and the parts of a day."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges import parts
from recalld_server.text.time_ranges.chinese import clocks, lunar_dates, named, weeks
from recalld_server.text.time_ranges.chinese.amounts import Parsed, number
from recalld_server.text.time_ranges.chinese.characters import (
    DAY_PART_WORDS,
    DAY_PARTS,
    DIGITS,
    HALVES,
    PART_WORDS,
    PARTS,
    RANGE_TO,
    SEASON_WORDS,
    SEASONS,
)
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Recurring, Value, mapped

QUARTERS: Final = frozenset({"q1", "q2", "q3", "q4"})
_AFTER_UNMARKED: Final = frozenset("的去那之以前后到至起在我你他她咱吃买开和与早上下晚凌")


def with_day_part(r: Reader, value: Value, i: int) -> Parsed:
    """The value, or the day, the part or the time of it that follows: 国庆第三天晚上, 3月4日的上午, 昨天下午三点."""
    value, i = _nth_day(r, value, i + (r.word(i) == "的")) or (value, i)
    j = i + 1 if r.word(i) == "的" else i
    word = "" if r.has(j, "下午茶") else r.longest(j, DAY_PART_WORDS)
    changed = mapped(value, lambda span: parts.day_part(r.calendar, span, DAY_PARTS[word])) if word else None
    return clocks.then_clock(r, *((value, i) if changed is None else (changed, j + len(word))))


def _nth_day(r: Reader, value: Value, i: int) -> Parsed:
    parsed = number(r, i + 1) if r.word(i) == "第" else None
    if parsed is None or r.word(parsed[1]) != "天":
        return None
    changed = mapped(value, lambda span: parts.nth_of(r.calendar, span, parsed[0] - 1, 1))
    return None if changed is None else (changed, parsed[1] + 1)


def yearly(r: Reader, i: int) -> tuple[Recurring, int] | None:
    """A month, quarter, half, season, feast or numbered week after a year."""
    lunar = lunar_dates.lunar_date(r, i)
    if lunar is not None:
        return lunar
    parsed = month_of_year(r, i)
    if parsed is not None:
        return (parsed[0], parsed[1]) if isinstance(parsed[0], Recurring) else None
    named_or_numbered = named.feast(r, i) or weeks.numbered_week(r, i)
    if named_or_numbered is not None:
        return named_or_numbered
    found = quarter_or_half(r, i)
    if found is not None and isinstance(found[0], Recurring):
        return found[0], found[1]
    season = r.longest(i, SEASON_WORDS)
    return (r.calendar.season(SEASONS[season]), i + len(season)) if season else None


def month_of_year(r: Reader, i: int) -> tuple[Value, int, bool] | None:
    """A month of the year with what belongs to it, the word after it, and whether it stands bare."""
    found = _numbers_of_months(r, i)
    if found is None or not 1 <= found[0] <= found[1] <= 12 or r.is_part_of_number(i, i):
        return None
    first, last, j = found
    if r.word(j) != "月" or (first < last and r.word(j + 1)[:1].isdigit()):
        return None
    j += 1
    months = r.calendar.yearly_months(first, last - first + 1)
    if last > first:
        return months, j + (r.word(j) == "份"), False
    part = r.longest(j, PART_WORDS)
    if part and not (part == "中" and r.word(j + 1) in ("国", "午", "文", "秋")):
        changed = mapped(months, lambda span: parts.part_of(r.calendar, span, PARTS[part]))
        return None if changed is None else (changed, j + len(part), False)
    if r.word(j) == "份":
        return months, j + 1, False
    days = _days(r, first, j) or part_of_month(r, months, j)
    return (months, j, True) if days is None else (days[0], days[1], False)


def _numbers_of_months(r: Reader, i: int) -> tuple[int, int, int] | None:
    """The first and the last of 三, 3-5, 七八, 3、5 before 月, and the word after them; of a list what lies between too."""
    one, two = DIGITS.get(r.word(i), 0), DIGITS.get(r.word(i + 1), 0)
    if 0 < one == two - 1 and r.word(i + 2) == "月":
        return one, two, i + 2
    first = number(r, i)
    if first is None:
        return None
    last = first
    while (joint := r.word(last[1])) == "、" or (joint in RANGE_TO and last == first):
        following = number(r, last[1] + 1)
        if following is None or following[0] <= last[0]:
            break
        last = following
    return (first[0], last[0], last[1]) if r.word(last[1]) == "月" else (first[0], first[0], first[1])


def part_of_month(r: Reader, month: Value, i: int) -> Parsed:
    """The week or half of a month that follows it: 第二周, 最后一周, 上半月."""
    j = i + 1 if r.word(i) == "的" else i
    if r.longest(j, HALVES):
        half = mapped(month, lambda span: parts.half_of(r.calendar, span, second=r.word(j) == "下"))
        return None if half is None else (half, j + 3)
    if r.has(j, "最后一周"):
        index, stop = -1, j + 4
    else:
        found = weeks.week_number(r, j)
        if found is None or found[0] > 5:
            return None
        index, stop = found[0] - 1, found[1]
    changed = mapped(month, lambda span: parts.nth_of(r.calendar, span, index, 7))
    return None if changed is None else (changed, stop)


def _days(r: Reader, month_number: int, i: int) -> tuple[Value, int] | None:
    """4日, 4号, 1日到5日, 1-5日 after a month."""
    found = days_in_a_row(r, i)
    if found is None:
        unmarked = number(r, i)
        if unmarked is None or not _is_day_unmarked(r, i, *unmarked):
            return None
        found = unmarked[0], *unmarked
    first, last, stop = found
    return r.calendar.yearly_days(month_number, first, last), stop


def days_in_a_row(r: Reader, i: int) -> tuple[int, int, int] | None:
    """The first and the last of 4号, 1号到5号, 1-5号, and the word after them."""
    first = number(r, i)
    if first is None:
        return None
    start, j = first
    marked = r.word(j) in ("日", "号")
    j += marked
    if r.word(j) in RANGE_TO and (last := day_number(r, j + 1)) is not None:
        return start, *last
    return (start, start, j) if marked else None


def _is_day_unmarked(r: Reader, i: int, day: int, stop: int) -> bool:
    """8月15去的 and 三月二十五 leave out the 号; 三月三个会议 counts."""
    written = r.word(i)[0].isdigit() or day > 10
    return written and day <= 31 and not r.glued_after(stop) and (r.closes(stop) or r.word(stop) in _AFTER_UNMARKED)


def day_number(r: Reader, i: int) -> tuple[int, int] | None:
    parsed = number(r, i)
    if parsed is None or r.word(parsed[1]) not in ("日", "号") or not 1 <= parsed[0] <= 31:
        return None
    return parsed[0], parsed[1] + 1


def quarter_or_half(r: Reader, i: int) -> Parsed:
    whole = _quarter_or_half(r, i)
    part = PARTS.get(r.word(whole[1])) if whole is not None else None
    if whole is None or part is None or (part is parts.Part.MIDDLE and not r.closes(whole[1] + 1)):
        return whole
    changed = mapped(whole[0], lambda span: parts.part_of(r.calendar, span, part))
    return None if changed is None else (changed, whole[1] + 1)


def _quarter_or_half(r: Reader, i: int) -> Parsed:
    for words, first in (("上半年", 1), ("下半年", 7)):
        if r.has(i, words):
            return r.calendar.yearly_months(first, 6), i + 3
    word = r.word(i)
    if word in QUARTERS and not r.glued_before(i):
        return r.calendar.yearly_months(3 * int(word[1]) - 2, 3), i + 1
    j = i + 1 if word == "第" else i
    parsed = number(r, j)
    if parsed is None or not 1 <= parsed[0] <= 4:
        return None
    stop = parsed[1] + (r.word(parsed[1]) == "个")
    if not r.has(stop, "季度") or (stop > parsed[1] and word != "第"):
        return None
    return r.calendar.yearly_months(3 * parsed[0] - 2, 3), stop + 2
