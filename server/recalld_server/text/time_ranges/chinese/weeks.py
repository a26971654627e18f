"""Chinese numbered weeks: 第42周, 2025年第42周, 第四十二个星期."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges.chinese.amounts import Parsed, number
from recalld_server.text.time_ranges.chinese.characters import AFTER_NO_WEEK, NUMERALS, WEEKS
from recalld_server.text.time_ranges.chinese.named import has_year
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Recurring

_COUNTED_IN_WEEKS: Final = frozenset("孕学程期产赛季月训课")


def numbered_week(r: Reader, i: int) -> tuple[Recurring, int] | None:
    """第42周, 第四十二个星期: a week as ISO 8601 counts them."""
    found = week_number(r, i)
    return None if found is None else (r.calendar.numbered_weeks(found[0], found[0]), found[1])


def week_number(r: Reader, i: int) -> tuple[int, int] | None:
    """The number of 第42周 and the word after it."""
    parsed = number(r, i + 1) if r.word(i) == "第" else None
    if parsed is None or not 1 <= parsed[0] <= 53:
        return None
    j = parsed[1] + (r.word(parsed[1]) == "个")
    week = r.longest(j, WEEKS)
    if not week or (week == "周" and r.word(j + 1) in AFTER_NO_WEEK):
        return None
    return parsed[0], j + len(week)


def week_alone(r: Reader, i: int) -> Parsed:
    """第42周 without a year. 第三周 may be one of a course; so may each after a noun that weeks are counted of."""
    found = numbered_week(r, i)
    if found is None or r.word(i - 1) in _COUNTED_IN_WEEKS or has_year(r, i):
        return None
    small = r.word(i + 1) in NUMERALS and r.word(i + 2) in ("周", "星", "礼", "个")
    return None if small and r.word(i + 1) != "十" else found
