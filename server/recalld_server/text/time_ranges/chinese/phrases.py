"""A whole Chinese time phrase: a period or date, a range, or one that is open to one side."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges import parts
from recalld_server.text.time_ranges.chinese import (
    amounts,
    lunar_dates,
    named,
    periods,
    same_time,
    weekdays,
    weeks,
    yearly,
)
from recalld_server.text.time_ranges.chinese.amounts import Parsed
from recalld_server.text.time_ranges.chinese.characters import (
    AFTER_NO_AFTER,
    AFTER_NO_BEFORE,
    AGO,
    DAY_PART_WORDS,
    DAYS,
    FROM_NOW,
    NUMERALS,
    RANGE_TO,
    SINCE,
    WEEKS,
    YEARS,
)
from recalld_server.text.time_ranges.numeric import numeric_date
from recalld_server.text.time_ranges.reader import Found, Reader
from recalld_server.text.time_ranges.spans import Recurring, Span, Value

_HABIT: Final = "每"
_FROM: Final = ("不早于", "自从", "打从", "从", "自")
_SINCE_LEADS: Final = frozenset({"不早于", "自从", "自"})
_UNTIL: Final = ("截止到", "不晚于", "截止", "截至", "直到", "直至", "最晚", "最迟")
_BETWEEN: Final = ("之间", "间")
_EARLIER_OR_LATER: Final = ("早些时候", "晚些时候")
_STARTERS: Final = (
    NUMERALS
    | frozenset("今昨明前后寻琴听大去本上下这过最近接未往第月年刚到好每再")
    | frozenset(word[0] for word in (*_FROM, *_UNTIL, *WEEKS))
    | yearly.QUARTERS
    | named.FIRST_CHARACTERS
    | lunar_dates.FIRST_CHARACTERS
)


def read(r: Reader, i: int) -> Found | None:
    """What the Chinese characters (or digits before them) from `i` on say, if a time phrase begins here."""
    word = r.word(i)
    if word not in _STARTERS and not ("0" <= word[0] <= "9"):
        return None
    if word == _HABIT:
        return _habit(r, i)
    until = r.longest(i, _UNTIL)
    if until:
        parsed = value(r, i + len(until))
        span = r.calendar.settled(parsed[0]) if parsed is not None else None
        return None if parsed is None or span is None else Found(r.calendar.until(span.end), _past_end(r, parsed[1]))
    lead = r.longest(i, _FROM)
    parsed = value(r, i + len(lead))
    return None if parsed is None else _completed(r, parsed, lead)


def value(r: Reader, i: int) -> Parsed:
    """A period or date at `i`."""
    word = r.word(i)
    if not word:
        return None
    told = same_time.told_by_now(r, i)
    if told is not None:
        return yearly.with_day_part(r, *told)
    if "0" <= word[0] <= "9" or word in NUMERALS or word == "第":
        return (
            _feast(r, i)
            or _lunar_date(r, i)
            or weeks.week_alone(r, i)
            or periods.numbered_year(r, i)
            or periods.decade(r, i)
            or periods.month(r, i)
            or _distance(r, i)
            or periods.quarter_or_half(r, i)
            or _date_in_figures(r, i)
        )
    return (
        periods.named_day(r, i)
        or periods.named_year(r, i)
        or periods.quarter_or_half(r, i)
        or periods.relative(r, i)
        or amounts.rolling(r, i)
        or _distance(r, i)
        or weekdays.weekday(r, i)
        or periods.bare_part(r, i)
        or _feast(r, i)
        or _lunar_date(r, i)
        or periods.decade(r, i)
        or _just_now(r, i)
    )


def _completed(r: Reader, parsed: tuple[Value, int], lead: str) -> Found | None:
    """The value with what follows it: …到…, …以来, …之前, …以后."""
    first, i = _narrowed(r, *parsed)
    joined = _joined(r, first, i)
    if joined is not None:
        return joined
    span = r.calendar.settled(first)
    if span is None:
        return None
    told = r.longest(i, _EARLIER_OR_LATER)
    if told:
        return Found(_earlier_or_later(r, span, told), i + len(told))
    beside = amounts.beside(r, first, i)
    if beside is not None:
        return Found(*beside)
    open_range = _open(r, span, i)
    if open_range is not None:
        return open_range
    if r.has(i, "为止"):
        return Found(r.calendar.until(span.end), i + 2)
    return Found(r.calendar.since(span.start) if lead in _SINCE_LEADS else span, i)


def _joined(r: Reader, first: Value, i: int) -> Found | None:
    """The value and another one: 三月到五月, 3月和5月之间, 昨天和今天; None where nothing joins them."""
    since = _since(r, i)
    if since in ("起", "开始") and r.word(i + len(since)) in RANGE_TO:
        i, since = i + len(since), ""
    joint = "" if since else r.longest(i, RANGE_TO)
    paired = not joint and r.word(i) in ("和", "与")
    if not joint:
        both = value(r, i + (paired or r.word(i) in ("跟", "及", "、")))
        touching = r.calendar.adjoining(first, both[0]) if both is not None else None
        if both is not None and touching is not None and not r.longest(both[1], _BETWEEN):
            return Found(touching, both[1])
    last = (value(r, i + 1) or numeric_date(r, i + 1)) if joint or paired else None
    if last is None or (paired and not r.longest(last[1], _BETWEEN)):
        return None
    return Found(r.calendar.between(first, last[0]), last[1] + len(r.longest(last[1], (*_BETWEEN, "为止", "止"))))


def _earlier_or_later(r: Reader, span: Span, told: str) -> Span:
    """今天早些时候: up to now; 去年晚些时候: its last third."""
    earlier = told.startswith("早")
    part = parts.beside_now(r.calendar, span, earlier)
    return part or parts.part_of(r.calendar, span, parts.Part.EARLY if earlier else parts.Part.LATE)


def _narrowed(r: Reader, whole: Value, i: int) -> tuple[Value, int]:
    """The part of a period that follows it, as in 上周的周五; else the period."""
    if not isinstance(whole, Span):
        return whole, i
    j = i + (r.word(i) == "的")
    inner = yearly.yearly(r, j) or value(r, j)
    part = r.calendar.within(whole, inner[0]) if inner is not None and isinstance(inner[0], Recurring) else None
    return (whole, i) if inner is None or part is None else (part, inner[1])


def _open(r: Reader, span: Span, i: int) -> Found | None:
    since = _since(r, i)
    if since:
        return Found(r.calendar.since(span.start), i + len(since))
    after = r.longest(i, FROM_NOW)
    if after and not (after == "后" and r.word(i + 1) in AFTER_NO_AFTER):
        return Found(r.calendar.since(span.end), i + len(after))
    before = r.longest(i, AGO)
    if before and not (before == "前" and r.word(i + 1) in AFTER_NO_BEFORE):
        return Found(r.calendar.until(span.start), i + len(before))
    return None


def _since(r: Reader, i: int) -> str:
    """以来, 至今 …, but not the 至今 of 三月至|今年五月 and the 到今天 of 到今天下午三点."""
    word = r.longest(i, SINCE)
    further = word == "到今天" and (r.longest(i + 3, DAY_PART_WORDS) or amounts.number(r, i + 3))
    return "" if further or (word == "至今" and r.longest(i + 1, (*YEARS, *DAYS))) else word


def _past_end(r: Reader, i: int) -> int:
    return i + 2 if r.has(i, "为止") else i


def _date_in_figures(r: Reader, i: int) -> Parsed:
    """2025-03-04 where Chinese goes on; in English text the range may go on in English."""
    parsed = numeric_date(r, i)
    return parsed if parsed is not None and r.word(parsed[1]) > "\u2e80" else None


def _distance(r: Reader, i: int) -> Parsed:
    """三天前, 三天前的晚上, 两周前的周五."""
    away = amounts.weeks_away(r, i)
    if away is not None:
        week = weekdays.day_of_week(r, *away)
        if week is not None:
            return week
    parsed = amounts.distance(r, i)
    return None if parsed is None else yearly.with_day_part(r, *parsed)


def _feast(r: Reader, i: int) -> Parsed:
    """除夕晚上, 国庆第三天."""
    parsed = named.holiday(r, i)
    return None if parsed is None else yearly.with_day_part(r, *parsed)


def _lunar_date(r: Reader, i: int) -> Parsed:
    """正月初一晚上."""
    parsed = lunar_dates.lunar_date_alone(r, i)
    return None if parsed is None else yearly.with_day_part(r, *parsed)


def _just_now(r: Reader, i: int) -> Parsed:
    if r.has(i, "刚才"):
        return parts.past(r.calendar, parts.Amount(1, 1), parts.Unit.HOUR), i + 2
    return None


def _habit(r: Reader, i: int) -> Found:
    """每周五, 每年三月, 每天早上: not one time, so nothing of it may be taken for one."""
    j = i + 1
    if r.word(j) in ("个", "逢", "到"):
        j += 1
    whole = value(r, j)
    if whole is not None:
        return Found(None, whole[1])
    unit = r.longest(j, ("星期", "礼拜", "周", "天", "日", "月", "年"))
    j += max(1, len(unit))
    whole = value(r, j)
    if whole is not None:
        return Found(None, whole[1])
    day = amounts.number(r, j)
    return Found(None, day[1] + 1 if day is not None and r.word(day[1]) in ("号", "日") else j)
