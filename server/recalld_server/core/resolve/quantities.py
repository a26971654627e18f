"""Numbers, clock times, dates and amounts of both languages, each as one key, however they are written.

Keys: `#12` a number, `#12.5.1` a version, `@clock:14:30`, `@date:10-03`, `@date:2026-10-03`, `@day:5` (Friday),
`@day:+5` (next Friday), `@month:5`.
"""

from __future__ import annotations

import re

ZH_DIGITS = {"零": 0, "〇": 0, **{c: i for i, c in enumerate("一二三四五六七八九", 1)}, "两": 2}
_ZH_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_N = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"

ZH_NUMBER = re.compile(r"[零〇一二两三四五六七八九十百千万亿]{1,12}")
ZH_DATE = re.compile(rf"(?:(\d{{4}})\s*年\s*)?({_N})\s*月\s*({_N})\s*[日号]")
ZH_CLOCK = re.compile(
    rf"(凌晨|早上|上午|中午|下午|傍晚|晚上)?\s*(?!一点[点儿些也都])(\d{{1,2}}|[一二两三四五六七八九十]{{1,3}})点"
    # 3点了茶 is an order and no hour
    rf"(?!了[\u4e00-\u9fff]|赞|单|菜|名|外卖)(半|{_N}分|\d{{2}}(?!\d))?钟?"
)
ZH_DAY = re.compile(r"(每|这|本|上|下)?个?(?:周|星期|礼拜)([一二三四五六日天])(?!级|员)")
CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::\d{2})?\s*(am|pm)?(?![A-Za-z\d])|(\d{1,2})\s*(am|pm)(?![A-Za-z\d])", re.I)
ISO_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?!\d)")
ORDINAL = re.compile(r"(\d{1,4})(?:st|nd|rd|th)(?![A-Za-z\d])", re.I)
AMOUNT = re.compile(r"([$€£¥])\s*(\d[\d,]*(?:\.\d+)?)")
NUMBER = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*")

CURRENCY = {"$": "usd", "€": "eur", "£": "gbp", "¥": "cny"}
_AFTERNOON = ("下午", "傍晚", "晚上")

_ONES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {w: i for i, w in enumerate(_ONES.split())} | {w: 20 + 10 * i for i, w in enumerate(_TENS.split())}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
TIMES = {"once": 1, "twice": 2, "thrice": 3}
_MONTH_NAMES = "january february march april may june july august september october november december"
MONTHS = {n: i for i, n in enumerate(_MONTH_NAMES.split(), 1)} | {
    n[:3]: i for i, n in enumerate(_MONTH_NAMES.split(), 1)
}
MONTHS |= {"sept": 9}
_DAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday"
DAYS = {n: i for i, n in enumerate(_DAY_NAMES.split(), 1)} | {n + "s": i for i, n in enumerate(_DAY_NAMES.split(), 1)}


def zh_number(text: str) -> int:
    """Return the value of a Chinese numeral such as 三千二百; digits alone are read one by one (二〇二六)."""
    if all(c in ZH_DIGITS for c in text):
        return int("".join(str(ZH_DIGITS[c]) for c in text))
    total = section = digit = 0
    for c in text:
        if c in ZH_DIGITS:
            digit = ZH_DIGITS[c]
            continue
        unit = _ZH_UNITS[c]
        if unit >= 10_000:
            total = (total + section + digit) * unit
            section = 0
        else:
            section += (digit or 1) * unit
        digit = 0
    return total + section + digit


def _small(text: str) -> int:
    return int(text) if text.isdigit() else zh_number(text)


def zh_date(match: re.Match[str]) -> str:
    """Return the key of a ZH_DATE match."""
    year, month, day = match.groups()
    return date_key(_small(month), _small(day), year)


def date_key(month: int, day: int, year: str | None = None) -> str:
    """Return the key of a date; the year is part of it only when it was written."""
    return f"@date:{year + '-' if year else ''}{month:02}-{day:02}"


def zh_clock(match: re.Match[str]) -> str:
    """Return the key of a ZH_CLOCK match, on the 24-hour clock when the part of the day is given."""
    part, hour_text, rest = match.groups()
    hour = _small(hour_text)
    if part in _AFTERNOON and hour < 12:
        hour += 12
    minute = 30 if rest == "半" else _small(rest.removesuffix("分")) if rest else 0
    return f"@clock:{hour:02}:{minute:02}"


def zh_day(match: re.Match[str]) -> str:
    """Return the key of a ZH_DAY match."""
    sign = {"下": "+", "上": "-"}.get(match[1] or "", "")
    return f"@day:{sign}{'一二三四五六日天'.index(match[2]) + 1 if match[2] != '天' else 7}"


def clock(match: re.Match[str]) -> str:
    """Return the key of a CLOCK match."""
    hour, minute = int(match[1] or match[4]), int(match[2] or 0)
    half = (match[3] or match[5] or "").lower()
    if half == "pm" and hour < 12:
        hour += 12
    elif half == "am" and hour == 12:
        hour = 0
    return f"@clock:{hour:02}:{minute:02}"


def begins_number(word: str) -> bool:
    """Whether an English number may begin with `word`."""
    return word in _WORDS


def english_number(words: list[str]) -> tuple[int, int]:
    """Return the number that `words` begin with and how many words it took; (0, 0) when they begin with none."""
    total = current = used = 0
    for i, word in enumerate(words):
        if word in _WORDS:
            current += _WORDS[word]
        elif word in _SCALES and used:
            current *= _SCALES[word]
            if _SCALES[word] > 100:
                total, current = total + current, 0
        elif word == "and" and used and i + 1 < len(words) and words[i - 1] in _SCALES and words[i + 1] in _WORDS:
            continue
        else:
            break
        used = i + 1
    return total + current, used
