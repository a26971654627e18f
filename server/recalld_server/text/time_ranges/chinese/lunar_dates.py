"""Dates of the Chinese calendar: 正月初一, 腊月二十三, 农历三月, 闰六月初一, and 八月十五, which is the day of 中秋."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges.chinese import named
from recalld_server.text.time_ranges.chinese.amounts import Parsed, number
from recalld_server.text.time_ranges.chinese.characters import DIGITS, NUMERAL_CHARACTERS, RANGE_TO
from recalld_server.text.time_ranges.lunar import lunar_days, lunar_month
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Recurring

_CALENDARS: Final = ("农历", "阴历", "旧历")
_MONTHS: Final = {"正": 1, "冬": 11, "腊": 12}
# Without 日 or 号 these are known by their day of the Chinese calendar; any other is one of the common calendar.
_FOLK: Final = frozenset({(2, 2), (3, 3), (5, 5), (7, 7), (7, 15), (8, 15), (9, 9)})
_TENS: Final = {"初": 0, "廿": 20}
_COUNTED: Final = frozenset("个名位人件次篇条场家台款只张本份种项轮批")
_DAY_MARKS: Final = frozenset("日号")
_AFTER_A_MONTH: Final = frozenset("里份的")
FIRST_CHARACTERS: Final = frozenset((*(name[0] for name in _CALENDARS), *_MONTHS, "闰"))


def lunar_date(r: Reader, i: int) -> tuple[Recurring, int] | None:
    """A day or a month of each Chinese year."""
    lead = r.longest(i, _CALENDARS)
    return _dated(r, i + len(lead), sure=bool(lead))


def lunar_date_alone(r: Reader, i: int) -> Parsed:
    """The same where no year stands before; it may follow the calendar: 农历2025年八月十五."""
    if r.word(i - 1) in NUMERAL_CHARACTERS or named.has_year(r, i):
        return None
    lead = r.longest(i, _CALENDARS)
    year = r.year(i + len(lead)) if lead else None
    if year is None or r.word(i + len(lead) + 1) != "年":
        return _dated(r, i + len(lead), sure=bool(lead))
    dated = _dated(r, i + len(lead) + 2, sure=True)
    span = dated[0].nth(year) if dated is not None else None
    return None if dated is None or span is None else (span, dated[1])


def _dated(r: Reader, i: int, sure: bool) -> tuple[Recurring, int] | None:
    leap = r.word(i) == "闰"
    i += leap
    own_name = r.word(i) in _MONTHS
    month = (_MONTHS[r.word(i)], i + 1) if own_name else number(r, i)
    if month is None or not 1 <= month[0] <= 12 or r.word(month[1]) != "月":
        return None
    sure = sure or leap or own_name
    stop = month[1] + 1
    ten = _TENS.get(r.word(stop))
    day = number(r, stop + (ten is not None))
    if day is None:
        alone = sure and (named.follows(r, stop) or r.word(stop) in _AFTER_A_MONTH)
        return (r.calendar.feast(lunar_month(month[0], leap)), stop) if alone else None
    of_month, stop = day[0] + (ten or 0), day[1]
    if ten is not None and (day[0] > 10 or r.word(stop) in _COUNTED):
        # 五月初三名员工: early in May
        return None
    if sure or ten is not None:
        stop += r.word(stop) in _DAY_MARKS
    elif not _is_folk(r, i, month[0], of_month, stop):
        return None
    last, stop = _last_day(r, of_month, stop)
    if not 1 <= of_month <= last <= 30:
        return None
    return named.with_break(r, lunar_days(month[0], of_month, count=last - of_month + 1, leap=leap), stop)


def _last_day(r: Reader, first: int, i: int) -> tuple[int, int]:
    """The 初七 of 正月初一到初七, and the word after it; else the first day itself."""
    ten = _TENS.get(r.word(i + 1)) if r.word(i) in RANGE_TO else None
    day = number(r, i + 2) if ten is not None else None
    if ten is None or day is None or ten + day[0] <= first:
        return first, i
    return ten + day[0], day[1]


def _is_folk(r: Reader, i: int, month: int, day: int, stop: int) -> bool:
    written_out = r.word(i) in DIGITS and r.word(stop - 1) in NUMERAL_CHARACTERS
    further = r.word(stop) in RANGE_TO and number(r, stop + 1) is not None
    ended = named.follows(r, stop) or r.has(stop, "前后")
    return written_out and (month, day) in _FOLK and not further and ended
