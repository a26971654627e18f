"""Chinese days with a name: 国庆节, 春节期间, 去年中秋, 暑假."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges import feasts
from recalld_server.text.time_ranges.chinese.amounts import Parsed
from recalld_server.text.time_ranges.chinese.characters import DAY_PART_WORDS, NUMERAL_CHARACTERS
from recalld_server.text.time_ranges.feasts import (
    BLACK_FRIDAY,
    FATHERS_DAY,
    MOTHERS_DAY,
    THANKSGIVING,
    Feast,
    easter,
    fixed,
    whole_months,
    widened,
)
from recalld_server.text.time_ranges.lunar import (
    DOUBLE_NINTH,
    DOUBLE_SEVENTH,
    DRAGON_BOAT,
    LAST_MONTH,
    MID_AUTUMN,
    NEW_YEAR,
    SPRING_FESTIVAL,
    lunar_days,
    new_years_eve,
    qingming,
    winter_solstice,
)
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Recurring

_FEASTS: Final[dict[str, Feast]] = {
    "元旦": fixed(1, 1),
    "情人节": fixed(2, 14),
    "妇女节": fixed(3, 8),
    "三八妇女节": fixed(3, 8),
    "龙抬头": lunar_days(2, 2),
    "三八节": fixed(3, 8),
    "女神节": fixed(3, 8),
    "植树节": fixed(3, 12),
    "愚人节": fixed(4, 1),
    "劳动节": fixed(5, 1),
    "五一劳动节": fixed(5, 1),
    "五一": fixed(5, 1, 5),
    "青年节": fixed(5, 4),
    "护士节": fixed(5, 12),
    "儿童节": fixed(6, 1),
    "六一儿童节": fixed(6, 1),
    "六一": fixed(6, 1),
    "建党节": fixed(7, 1),
    "建军节": fixed(8, 1),
    "教师节": fixed(9, 10),
    "国庆": fixed(10, 1, 7),
    "十一期间": fixed(10, 1, 7),
    "十一假期": fixed(10, 1, 7),
    "十一长假": fixed(10, 1, 7),
    "十一黄金周": fixed(10, 1, 7),
    "万圣节前夜": fixed(10, 31),
    "万圣节": fixed(10, 31),
    "光棍节": fixed(11, 11),
    "双十一": fixed(11, 11),
    "双11": fixed(11, 11),
    "双十二": fixed(12, 12),
    "双12": fixed(12, 12),
    "平安夜": fixed(12, 24),
    "圣诞": fixed(12, 25),
    "跨年夜": fixed(12, 31),
    "母亲节": MOTHERS_DAY,
    "父亲节": FATHERS_DAY,
    "感恩节": THANKSGIVING,
    "黑色星期五": BLACK_FRIDAY,
    "黑五": BLACK_FRIDAY,
    "复活节": easter(),
    "除夕": new_years_eve,
    "除夕夜": new_years_eve,
    "大年夜": new_years_eve,
    "大年三十": new_years_eve,
    "年三十": new_years_eve,
    "春节": SPRING_FESTIVAL,
    "农历新年": SPRING_FESTIVAL,
    "过年": SPRING_FESTIVAL,
    **{f"大年初{day}": lunar_days(1, number) for number, day in enumerate("一二三四五六七八", start=1)},
    "元宵节": lunar_days(1, 15),
    "清明": qingming,
    "端午": lunar_days(*DRAGON_BOAT),
    "七夕": lunar_days(*DOUBLE_SEVENTH),
    "中元节": lunar_days(7, 15),
    "中秋": lunar_days(*MID_AUTUMN),
    "重阳": lunar_days(*DOUBLE_NINTH),
    "冬至": winter_solstice,
    "腊八": lunar_days(LAST_MONTH, 8),
    "小年": lunar_days(LAST_MONTH, 23),
    "暑假": whole_months(7, 8),
    # Two weeks on either side of the new year, up to 元宵节: schools differ by a week or two.
    "寒假": lunar_days(*NEW_YEAR, shift=-14, count=29),
}
FIRST_CHARACTERS: Final = frozenset(name[0] for name in _FEASTS)
_NAMES: Final = {
    first: tuple(sorted((name for name in _FEASTS if name[0] == first), key=len, reverse=True))
    for first in FIRST_CHARACTERS
}
_BREAKS: Final = ("小长假", "黄金周", "期间", "假期", "长假", "前后")
_LEADS: Final = frozenset("在从自到于过")
# What may go on after a feast that no 节 marks: 春节我们, 中秋吃了什么; not 清明上河图, 五一路, 圣诞树.
_FOLLOWING: Final = frozenset("那期在当前后以之到假至我你他她咱谁去吃回做放送收买花怎有的")
# 春节联欢晚会, 圣诞节快乐, 复活节岛, 春节档, 暑假作业, 寒假工
_NOT_FOLLOWING: Final = frozenset("联快愉岛档作工")
# 不|过年, 超过|年费, 政治清明
_NOT_BEFORE: Final = frozenset("不难超经通第治")
# 李国庆 is a person.
_SURNAMES: Final = frozenset("李王张刘陈杨赵黄周吴徐孙马朱胡林郭何高罗郑梁谢宋唐许韩冯邓曹彭曾姓叫")


def feast(r: Reader, i: int) -> tuple[Recurring, int] | None:
    """A day with a name, each year; its 期间, 假期 and 前后 are a day more on either side of a single one."""
    word = r.longest(i, _NAMES.get(r.word(i), ()))
    if not word:
        return None
    # figures are one word
    stop = i + len(word) - (word[-1].isdigit())
    if r.ends[stop - 1] - r.starts[i] != len(word):
        return None
    stop += r.word(stop) == "节"
    return with_break(r, _FEASTS[word], stop)


def with_break(r: Reader, days: Feast, stop: int) -> tuple[Recurring, int]:
    """The days of each year, or with the 期间, 假期 or 前后 that follows them."""
    long = r.longest(stop, _BREAKS)
    return r.calendar.feast(widened(days, feasts.around) if long else days), stop + len(long)


def holiday(r: Reader, i: int) -> Parsed:
    """A day with a name, where it can be nothing else: 圣诞节那天, 在国庆期间, 春节我们去了哪里."""
    found = feast(r, i)
    before = r.word(i - 1)
    if found is None or before in _SURNAMES or before in _NOT_BEFORE or before in NUMERAL_CHARACTERS or has_year(r, i):
        return None
    stop = found[1]
    if r.word(stop) in _NOT_FOLLOWING:
        return None
    sure = before in _LEADS or follows(r, stop) or stop - i > 4
    return found if sure or r.word(stop - 1) in ("节", "间", "假", "期") else None


def follows(r: Reader, stop: int) -> bool:
    """Whether a day can end here: the clause does too, or goes on as one does after a time."""
    return r.closes(stop) or r.word(stop) in _FOLLOWING or bool(r.longest(stop, DAY_PART_WORDS)) or r.word(stop) == "第"


def has_year(r: Reader, i: int) -> bool:
    """Whether a year stands before; had it such a day, they would have been read together."""
    return r.word(i - 1) == "年" or r.says(i - 2, "年", "的")
