"""Chinese days of the week: 周五, 星期天晚上, 周末, 上周五, 两周前的周五."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges.chinese import yearly
from recalld_server.text.time_ranges.chinese.amounts import Parsed
from recalld_server.text.time_ranges.chinese.characters import (
    AFTER_NO_WEEK,
    AFTER_NO_WEEKDAY,
    NOT_WEEKDAYS,
    NUMERAL_CHARACTERS,
    WEEKDAYS,
    WEEKS,
)
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Span

_GREETINGS: Final = ("愉快", "快乐")
# 周一鸣, 周日新: 周 is a surname too, and these end a given name where what follows is said of a person.
_GIVEN_NAMES: Final = frozenset("鸣围凡帆丹楠诺涵轩铭鹏岚霖琳珊萱彤妍瑶菲娟燕杰伟俊豪昊峰磊宸梵泓恒航野福宇浩海新明行")
_OF_A_PERSON: Final = frozenset("说讲问教演写唱提推喜叫是和跟给先女老同医律经主导著也")
# 上周的星期五, 三月的星期五 are days
_ENDS_OF_PERIODS: Final = frozenset("周期拜月年前后旬初中底末天日度")
# 周六新的菜单 is of a day, 周一鸣的电话 of a person.
_WORDS_TOO: Final = frozenset("新明行海")


def weekday(r: Reader, i: int) -> Parsed:
    """周五, 星期天晚上, 周末."""
    week = r.longest(i, WEEKS)
    counted = r.word(i - 1) in NUMERAL_CHARACTERS and r.word(i - 2) not in ("周", "期", "拜")
    if not week or counted or r.word(i - 1)[-1:].isdigit():
        return None
    j = i + len(week)
    if _in_a_name(r, i, j) or _greets(r, j + 1):
        return None
    if r.word(j) == "末":
        return r.calendar.weekly_days(5, 6), j + 1
    pair = _two_weekdays(r, j)
    if pair is not None:
        return r.calendar.weekly_days(pair, pair + 1), j + 2
    day = _weekday_number(r, j)
    return None if day is None else yearly.with_day_part(r, r.calendar.weekly_days(day, day), j + 1)


def day_of_week(r: Reader, offset: int, i: int) -> Parsed:
    """The 周五 of 两周前的周五: a day of that week."""
    j = i + (r.word(i) == "的")
    week = r.longest(j, WEEKS)
    if not week or not (r.word(j + len(week)) == "末" or _weekday_number(r, j + len(week)) is not None):
        return None
    return in_week(r, offset, j + len(week), sure=True)


def in_week(r: Reader, offset: int, i: int, sure: bool) -> Parsed:
    """The week `offset` weeks on, or the day or the weekend of it that follows."""
    if r.word(i) == "末":
        return _spanned(r.calendar.at(r.calendar.weekly_days(5, 6), offset), i + 1)
    pair = _two_weekdays(r, i)
    if pair is not None:
        return _spanned(r.calendar.at(r.calendar.weekly_days(pair, pair + 1), offset), i + 2)
    day = _weekday_number(r, i)
    if day is not None:
        span = r.calendar.at(r.calendar.weekly_days(day, day), offset)
        return None if span is None else yearly.with_day_part(r, span, i + 1)
    # 上周到北京 is a week, 周到 a quality: after 上, 这, 下 the verb is meant.
    if not sure and r.word(i) in AFTER_NO_WEEK and r.word(i) != "到":
        return None
    return r.calendar.week(offset), i


def _in_a_name(r: Reader, i: int, j: int) -> bool:
    """周一鸣说, 周六福的戒指, and 鲁滨逊的星期五, whom only the whole week's name names; `j` is the day's character."""
    owned = r.word(i - 1) == "的" and r.word(i - 2) not in _ENDS_OF_PERIODS
    if owned and r.has(i, "星期") and r.closes(j + 1):
        return True
    name = r.word(j + 1)
    if j != i + 1 or name not in _GIVEN_NAMES or r.word(j) not in WEEKDAYS:
        return False
    after = r.word(j + 2)
    return r.closes(j + 2) or after in _OF_A_PERSON or (after == "的" and name not in _WORDS_TOO)


def _greets(r: Reader, i: int) -> bool:
    """周末愉快, 周五快乐, 周末好."""
    return bool(r.longest(i, _GREETINGS)) or (r.word(i) == "好" and r.closes(i + 1))


def _two_weekdays(r: Reader, i: int) -> int | None:
    """The first of two days that follow one another: 上周四五, 周六日."""
    first, second, after = (r.word(i + step) for step in range(3))
    if first not in WEEKDAYS or WEEKDAYS.get(second) != WEEKDAYS[first] + 1 or second == "天":
        return None
    counted = after in AFTER_NO_WEEKDAY or (after or " ") in NOT_WEEKDAYS.get(second, "")
    return None if counted or after in ("人", "点", "天", "日", "月") else WEEKDAYS[first]


def _weekday_number(r: Reader, i: int) -> int | None:
    character = r.word(i)
    after = r.word(i + 1)
    if character not in WEEKDAYS or after in AFTER_NO_WEEKDAY or (after or " ") in NOT_WEEKDAYS.get(character, ""):
        return None
    return WEEKDAYS[character]


def _spanned(span: Span | None, stop: int) -> Parsed:
    return None if span is None else (span, stop)
