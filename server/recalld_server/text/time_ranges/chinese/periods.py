"""Chinese periods and dates: 上周五, 这个月底, 去年夏天, 2025年3月4日, 第一季度, 上半年."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges import parts
from recalld_server.text.time_ranges.chinese import clocks, named, weekdays, yearly
from recalld_server.text.time_ranges.chinese.amounts import Parsed, number
from recalld_server.text.time_ranges.chinese.characters import (
    AFTER_A_MONTH,
    AFTER_NO_MONTH,
    AFTER_NO_YEAR,
    BEFORE_A_MONTH,
    DAY_WITH_PART,
    DAY_WORDS,
    DAYS,
    DAYS_WITH_PART,
    DIGITS,
    HALVES,
    NOT_DAYS,
    NOT_MONTHS,
    NOT_OFFSETS,
    NOT_YEARS,
    NUMERAL_CHARACTERS,
    NUMERALS,
    OFFSET_WORDS,
    OFFSETS,
    PART_WORDS,
    PARTS,
    RANGE_TO,
    SEASON_WORDS,
    SEASONS,
    WEEKS,
    YEAR_WORDS,
    YEARS,
)
from recalld_server.text.time_ranges.numeric import behind_fiscal_year
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Span, mapped

# 三五年 and 一两年 count years, 九八年 is one.
_BEGIN_SHORT_YEARS: Final = frozenset("零〇七八九")


def named_day(r: Reader, i: int) -> Parsed:
    """今天, 昨天下午, 大前天, 昨晚."""
    word = r.longest(i, DAYS_WITH_PART)
    if word:
        offset, hours = DAY_WITH_PART[word]
        stop = i + len(word) + (r.word(i + 2) == "上" and word.endswith("晚"))
        return clocks.then_clock(r, r.calendar.hours(r.calendar.day(offset).start.date(), hours), stop)
    word = r.longest(i, DAYS)
    if not word:
        return None
    before, after = NOT_DAYS.get(word, ("", ""))
    if (r.word(i - 1) or " ") in before or (r.word(i + len(word)) or " ") in after:
        return None
    return yearly.with_day_part(r, r.calendar.day(DAY_WORDS[word]), i + len(word))


def relative(r: Reader, i: int) -> Parsed:
    """上周, 上周五, 这个月底, 下个季度, 上个月5号, 这个夏天."""
    lead = r.longest(i, OFFSET_WORDS)
    if not lead or (r.word(i - 1) or " ") in NOT_OFFSETS.get(lead[0], ""):
        return None
    offset = OFFSETS[lead]
    j = i + len(lead)
    if r.word(j) == "个":
        j += 1
    week = r.longest(j, WEEKS)
    if week:
        return weekdays.in_week(r, offset, j + len(week), sure=week != "周")
    if r.has(j, "季度"):
        whole = r.calendar.quarter(offset)
        part = r.word(j + 2)
        return (parts.part_of(r.calendar, whole, PARTS[part]), j + 3) if part in PARTS else (whole, j + 2)
    if r.word(j) == "月":
        return _in_month(r, offset, j + 1)
    season = r.longest(j, SEASON_WORDS)
    if season and lead in ("上", "这", "下"):
        recurring = r.calendar.season(SEASONS[season])
        span = {-1: r.calendar.last, 0: r.calendar.this, 1: r.calendar.next}[offset](recurring)
        return _spanned(span, j + 2)
    feast = named.feast(r, j)
    if feast is not None and j > i + len(lead):
        span = {-1: r.calendar.last, 0: r.calendar.this, 1: r.calendar.next}[max(-1, min(offset, 1))](feast[0])
        return _spanned(span, feast[1])
    if r.word(j) == "年" and len(lead) == 2 and r.word(j + 1) not in AFTER_NO_YEAR:
        return in_year(r, r.calendar.today.year + offset, j + 1)
    return None


def named_year(r: Reader, i: int) -> Parsed:
    """去年, 前年夏天, 今年三月."""
    word = r.longest(i, YEARS)
    if not word or (r.word(i - 1) or " ") in NOT_YEARS.get(word, "") or r.word(i + len(word)) in AFTER_NO_YEAR:
        return None
    return in_year(r, r.calendar.today.year + YEAR_WORDS[word], i + len(word))


def numbered_year(r: Reader, i: int) -> Parsed:
    """2025年3月, 二〇二五年底, 1990年代."""
    stated, j = _year_number(r, i)
    if stated and r.word(j) in RANGE_TO:
        return _years(r, stated, j + 1)
    if not stated:
        return _short_year(r, i)
    if r.word(j) != "年" or r.word(j + 1) in AFTER_NO_YEAR:
        return None
    if r.word(j + 1) == "代":
        return decade_of(r, stated, j + 2) if stated % 10 == 0 else None
    return in_year(r, stated, j + 1)


def _years(r: Reader, first: int, i: int) -> Parsed:
    """2024到2025年: the first year needs no 年 of its own."""
    last, j = _year_number(r, i)
    if first >= last or r.word(j) != "年" or r.word(j + 1) in AFTER_NO_YEAR:
        return None
    return r.calendar.year(first, last - first + 1), j + 1


def _short_year(r: Reader, i: int) -> Parsed:
    """25年3月, 98年夏天: a year of two digits needs something of it, since 25年 is also an age; 08年 is none."""
    if r.word(i) in _BEGIN_SHORT_YEARS and (ones := DIGITS.get(r.word(i + 1))) is not None:
        short, j = 10 * DIGITS[r.word(i)] + ones, i + 2
    elif (figures := r.number(i)) is not None and len(r.word(i)) == 2 and not r.is_part_of_number(i, i + 1):
        short, j = figures, i + 1
    else:
        return None
    if r.word(j) != "年" or r.word(j + 1) in AFTER_NO_YEAR:
        return None
    found = in_year(r, r.calendar.short_year(short), j + 1)
    return found if found is not None and (found[1] > j + 1 or short < 10) else None


def in_year(r: Reader, stated: int, i: int) -> Parsed:
    """What stands after a year: a part, a month, a quarter, a season, a feast; else the whole year."""
    if r.word(i) == "度":
        i += 1
    j = i + 1 if r.word(i) == "的" else i
    found = yearly.yearly(r, j)
    if found is not None:
        span = found[0].nth(stated)
        return yearly.with_day_part(r, span, found[1]) if span is not None else None
    if r.word(i) == "年" and r.word(i + 1) in ("初", "中", "底", "末"):
        i += 1
    part = r.longest(i, PART_WORDS)
    whole = r.calendar.year(stated)
    if part and len(part) == 1:
        return parts.part_of(r.calendar, whole, PARTS[part]), i + 1
    return whole, i


def month(r: Reader, i: int) -> Parsed:
    """3月, 三月份, 三月底, 3月4日, 5月1日-5日, 3-5月."""
    parsed = yearly.month_of_year(r, i)
    if parsed is None or (r.word(i) in NUMERALS and r.word(i - 1) in NUMERALS) or named.has_year(r, i):
        return None
    value, stop, bare = parsed
    after = r.word(stop)
    if after in AFTER_NO_MONTH:
        return None
    if bare and not r.word(i).isdigit():
        led = r.word(i - 1) in BEFORE_A_MONTH and after not in NOT_MONTHS
        if not (led or r.closes(stop) or not "\u3400" <= after[:1] <= "\u9fff" or after in AFTER_A_MONTH):
            return None
    if bare and (after in ("兔", "兰") or r.word(i - 1) == "第"):
        return None
    return yearly.with_day_part(r, value, stop)


def bare_part(r: Reader, i: int) -> Parsed:
    """月初, 月底, 年初, 年底: of the month or year that is meant by now."""
    unit, part = r.word(i), r.word(i + 1)
    if unit not in ("月", "年") or part not in ("初", "中", "底", "末"):
        return None
    if part == "初" and r.word(i + 2) in NUMERAL_CHARACTERS:
        # 年初一 is a day of the lunar calendar
        return None
    before = r.word(i - 1)
    if before in NUMERAL_CHARACTERS or before in ("个", "每", "多") or before[-1:].isdigit():
        return None
    if part == "中" and not r.closes(i - 1) and before not in ("在", "到", "于", "从", "自", "至"):
        # 青年中, 三年中: "in the middle" only where nothing else can be meant.
        return None
    recurring = r.calendar.every_month() if unit == "月" else r.calendar.yearly_months(1, 12)
    changed = mapped(recurring, lambda span: parts.part_of(r.calendar, span, PARTS[part]))
    return None if changed is None else (changed, i + 2)


def quarter_or_half(r: Reader, i: int) -> Parsed:
    """第一季度, 三季度, 上半年."""
    if r.word(i - 1) in ("前", "近", "去", "这", "最", "第") or behind_fiscal_year(r, i):
        return None
    if r.longest(i, HALVES):
        return yearly.part_of_month(r, r.calendar.every_month(), i)
    return yearly.quarter_or_half(r, i)


def decade(r: Reader, i: int) -> Parsed:
    """90年代, 八十年代, 上世纪九十年代."""
    lead = r.longest(i, ("二十世纪", "上个世纪", "上世纪"))
    j = i + 3 if r.says(i, "20", "世", "纪") else i + len(lead)
    parsed = number(r, j)
    if parsed is None or not r.has(parsed[1], "年代") or parsed[0] % 10 or not 10 <= parsed[0] <= 90:
        return None
    return decade_of(r, (2000 if parsed[0] < 30 and i == j else 1900) + parsed[0], parsed[1] + 2)


def decade_of(r: Reader, first: int, i: int) -> Parsed:
    """The ten years from `first`, or the part of them that follows: 九十年代初."""
    whole = r.calendar.year(first, 10)
    part = r.word(i)
    return (parts.part_of(r.calendar, whole, PARTS[part]), i + 1) if part in PARTS else (whole, i)


def _in_month(r: Reader, offset: int, i: int) -> Parsed:
    if r.word(i) in AFTER_NO_MONTH:
        return None
    whole = r.calendar.month(offset)
    j = i + 1 if r.word(i) == "的" else i
    part = r.longest(i, PART_WORDS)
    if part:
        return parts.part_of(r.calendar, whole, PARTS[part]), i + len(part)
    days = yearly.days_in_a_row(r, j)
    if days is not None:
        first, last, stop = days
        span = r.calendar.at(r.calendar.monthly_days(first, last), offset)
        return None if span is None else yearly.with_day_part(r, span, stop)
    return yearly.part_of_month(r, whole, i) or (whole, i)


def _year_number(r: Reader, i: int) -> tuple[int, int]:
    """A year of four digits or characters and the word after it; 0 when there is none."""
    stated = r.year(i)
    if stated is not None:
        return stated, i + 1
    if r.word(i + 4) != "年":
        return 0, i
    characters = [r.word(i + step) for step in range(4)]
    if all(character in DIGITS and character != "两" for character in characters):
        value = int("".join(str(DIGITS[character]) for character in characters))
        return (value if 1900 <= value <= 2100 else 0), i + 4
    return 0, i


def _spanned(span: Span | None, stop: int) -> Parsed:
    return None if span is None else (span, stop)
