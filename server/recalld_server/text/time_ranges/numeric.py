"""Dates in figures, which both languages write."""

from __future__ import annotations

from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Span, Value


def behind_fiscal_year(r: Reader, i: int) -> bool:
    """2025财年Q3, 2025财政年度第三季度: companies begin their years in different months."""
    return r.says(i - 2, "财", "年") or r.says(i - 4, "财", "政", "年", "度")


def numeric_date(r: Reader, i: int) -> tuple[Value, int] | None:
    """2025-03-04, 2025/3/4, 2025.3.4, 2025-03, 04.03.2025, and with slashes where only one order can be meant."""
    separator = r.word(i + 1)
    if separator not in ("-", "/", ".") or not r.joined(i + 1) or not r.joined(i + 2):
        return None
    ends_range = separator != "-" and r.word(i - 1) in ("-", "~") and r.word(i - 2).isdigit()
    begins = _is_cjk_or_bracket(r.word(i - 1)) or (r.word(i - 1) == ":" and not r.glued_before(i))
    if r.joined(i) and not begins and not ends_range:
        return None
    if r.word(i - 1) in ("version", "v", "release", "build") and separator == ".":
        return None
    if r.joined(i) and r.word(i - 1) in ("号", "第", "码"):
        # 编号2025-03
        return None
    whole = r.joined(i + 3) and r.word(i + 3) == separator and r.joined(i + 4)
    first, second = r.number(i), r.number(i + 2)
    if not whole and separator == "/" and r.year(i + 2) is not None:
        # 03/2025; 3/2000 counts
        is_month = first is not None and len(r.word(i)) == 2 and 1 <= first <= 12 and not r.is_part_of_number(i, i + 3)
        return (r.calendar.months(r.year(i + 2) or 0, first or 0), i + 3) if is_month else None
    if not whole:
        is_month = separator != "." and len(r.word(i + 2)) == 2 and r.year(i) is not None
        if not is_month or first is None or second is None or r.is_part_of_number(i, i + 3):
            return None
        return (r.calendar.months(first, second), i + 3) if 1 <= second <= 12 else None
    third_word, clock, _ = r.word(i + 4).partition("t")
    if first is None or second is None or not third_word.isdigit() or len(third_word) > 4:
        return None
    if not clock and r.joined(i + 5) and r.word(i + 5) == separator:
        return None
    day = _ordered(r, (first, second, int(third_word)), separator, r.year(i) is not None)
    return None if day is None else (day, _after_clock(r, i + 5))


def _ordered(r: Reader, numbers: tuple[int, int, int], separator: str, year_first: bool) -> Span | None:
    first, second, third = numbers
    if year_first:
        year, month, day = first, second, third
    elif not 1900 <= third <= 2100:
        return None
    elif separator == "." or first > 12:
        year, month, day = third, second, first
    elif second > 12 or first == second:
        year, month, day = third, first, second
    else:
        # 03/04/2025 is March in one country and April in another.
        return None
    return r.calendar.yearly_days(month, day, day).nth(year) if 1 <= month <= 12 else None


def _after_clock(r: Reader, i: int) -> int:
    """Past the rest of an ISO time ("04T10:00:00Z"): the day is what counts."""
    while r.joined(i) and r.word(i) in (":", ".", "+") and r.joined(i + 1) and r.word(i + 1)[:1].isdigit():
        i += 2
    return i


def _is_cjk_or_bracket(word: str) -> bool:
    return word in ("(", "[", "{", '"', "'", ",", ";", "=") or word > "\u2e80"
