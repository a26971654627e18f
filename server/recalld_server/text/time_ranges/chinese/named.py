"""Chinese days with a name and numbered weeks: 国庆节, 春节期间, 去年中秋, 第42周."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges.chinese.amounts import Parsed, number
from recalld_server.text.time_ranges.chinese.characters import (
    AFTER_NO_WEEK,
    DAY_PART_WORDS,
    NUMERAL_CHARACTERS,
    NUMERALS,
    WEEKS,
)
from recalld_server.text.time_ranges.feasts import (
    DOUBLE_NINTH,
    DOUBLE_SEVENTH,
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
from recalld_server.text.time_ranges.spans import Recurring

_EVE: Final = chinese(NEW_YEAR, shift=-1)
_FEASTS: Final[dict[str, Feast]] = {
    "元旦": fixed(1, 1),
    "情人节": fixed(2, 14),
    "妇女节": fixed(3, 8),
    "三八妇女节": fixed(3, 8),
    "劳动节": fixed(5, 1),
    "五一劳动节": fixed(5, 1),
    "五一": fixed(5, 1, 5),
    "青年节": fixed(5, 4),
    "儿童节": fixed(6, 1),
    "六一儿童节": fixed(6, 1),
    "六一": fixed(6, 1),
    "教师节": fixed(9, 10),
    "国庆": fixed(10, 1, 7),
    "十一假期": fixed(10, 1, 7),
    "十一长假": fixed(10, 1, 7),
    "十一黄金周": fixed(10, 1, 7),
    "万圣节前夜": fixed(10, 31),
    "万圣节": fixed(10, 31),
    "双十一": fixed(11, 11),
    "双11": fixed(11, 11),
    "双十二": fixed(12, 12),
    "双12": fixed(12, 12),
    "平安夜": fixed(12, 24),
    "圣诞": fixed(12, 25),
    "跨年夜": fixed(12, 31),
    "母亲节": nth_weekday(5, SUNDAY, 2),
    "父亲节": nth_weekday(6, SUNDAY, 3),
    "感恩节": nth_weekday(11, THURSDAY, 4),
    "黑色星期五": nth_weekday(11, THURSDAY, 4, shift=1),
    "复活节": easter(),
    "除夕": _EVE,
    "除夕夜": _EVE,
    "大年三十": _EVE,
    "年三十": _EVE,
    "春节": chinese(NEW_YEAR, count=7),
    "农历新年": chinese(NEW_YEAR, count=7),
    "过年": chinese(NEW_YEAR, count=7),
    **{
        f"{month}初{day}": chinese(NEW_YEAR, shift=shift)
        for shift, day in enumerate("一二三四五六七八")
        for month in ("大年", "正月")
    },
    "正月十五": chinese(NEW_YEAR, shift=14),
    "元宵节": chinese(NEW_YEAR, shift=14),
    "清明": chinese(QINGMING),
    "端午": chinese(DRAGON_BOAT),
    "七夕": chinese(DOUBLE_SEVENTH),
    "中秋": chinese(MID_AUTUMN),
    "重阳": chinese(DOUBLE_NINTH),
}
FIRST_CHARACTERS: Final = frozenset(name[0] for name in _FEASTS)
_NAMES: Final = {
    first: tuple(sorted((name for name in _FEASTS if name[0] == first), key=len, reverse=True))
    for first in FIRST_CHARACTERS
}
_BREAKS: Final = ("小长假", "黄金周", "期间", "假期", "长假", "前后")
_LEADS: Final = frozenset("在从自到于过")
# What may go on after a feast that no 节 marks: 春节我们, 中秋吃了什么; not 清明上河图, 五一路, 圣诞树.
_FOLLOWING: Final = frozenset("那期当前后以之到假至我你他她咱谁去吃回做放送收买花怎有的")
# 春节联欢晚会, 圣诞节快乐, 复活节岛, 春节档
_NOT_FOLLOWING: Final = frozenset("联快岛档")
# 不|过年, 超过|年费, 政治清明
_NOT_BEFORE: Final = frozenset("不难超经通第治")
# 李国庆 is a person.
_SURNAMES: Final = frozenset("李王张刘陈杨赵黄周吴徐孙马朱胡林郭何高罗郑梁谢宋唐许韩冯邓曹彭曾姓叫")

_COUNTED_IN_WEEKS: Final = frozenset("孕学程期产赛季月训课")


def feast(r: Reader, i: int) -> tuple[Recurring, int] | None:
    """A day with a name, each year; 期间, 假期 and 前后 are a day more on either side of a single one."""
    word = r.longest(i, _NAMES.get(r.word(i), ()))
    if not word:
        return None
    # figures are one word
    stop = i + len(word) - (word[-1].isdigit())
    if r.ends[stop - 1] - r.starts[i] != len(word):
        return None
    stop += r.word(stop) == "节"
    long = r.longest(stop, _BREAKS)
    days = _FEASTS[word]
    return r.calendar.feast(around(days) if long else days), stop + len(long)


def holiday(r: Reader, i: int) -> Parsed:
    """A day with a name, where it can be nothing else: 圣诞节那天, 在国庆期间, 春节我们去了哪里."""
    found = feast(r, i)
    before = r.word(i - 1)
    if found is None or before in _SURNAMES or before in _NOT_BEFORE or before in NUMERAL_CHARACTERS or _has_year(r, i):
        return None
    stop = found[1]
    if r.word(stop) in _NOT_FOLLOWING:
        return None
    sure = before in _LEADS or r.closes(stop) or r.word(stop) in _FOLLOWING or stop - i > 4
    sure = sure or bool(r.longest(stop, DAY_PART_WORDS)) or r.word(stop) == "第"
    return found if sure or r.word(stop - 1) in ("节", "间", "假", "期") else None


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
    if found is None or r.word(i - 1) in _COUNTED_IN_WEEKS or _has_year(r, i):
        return None
    small = r.word(i + 1) in NUMERALS and r.word(i + 2) in ("周", "星", "礼", "个")
    return None if small and r.word(i + 1) != "十" else found


def _has_year(r: Reader, i: int) -> bool:
    """Whether a year stands before; had it such a day, they would have been read together."""
    return r.word(i - 1) == "年" or r.says(i - 2, "年", "的")
