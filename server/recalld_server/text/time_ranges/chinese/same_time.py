"""Chinese times told by now: 去年这个时候, 上个月此时, 去年今天, 两年前的今天."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges import same_time
from recalld_server.text.time_ranges.chinese import amounts
from recalld_server.text.time_ranges.chinese.characters import (
    AGO,
    DAY_WORDS,
    DAYS,
    FROM_NOW,
    OFFSET_WORDS,
    OFFSETS,
    WEEKS,
    YEAR_WORDS,
    YEARS,
)
from recalld_server.text.time_ranges.parts import Unit
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Span

_TIMES: Final = ("这个时候", "这个时间", "这时候", "这会儿", "同一时间", "同期", "此时", "这时")
_DAYS: Final = ("同一天", "这一天", "今天", "今日", "当天", "这天")
_PERIODS: Final = {"这个月": Unit.MONTH, "这个星期": Unit.WEEK, "这一周": Unit.WEEK, "这周": Unit.WEEK}
_PERIOD_WORDS: Final = tuple(_PERIODS)


def told_by_now(r: Reader, i: int) -> tuple[Span, int] | None:
    """The same time, day, week or month of another year, month, week or day."""
    away = _away(r, i)
    if away is None:
        return None
    amount, unit, j = away
    j += r.word(j) == "的"
    tail = r.longest(j, _TIMES)
    if tail:
        return _spanned(same_time.around_now(r.calendar, amount, unit), j + len(tail))
    tail = r.longest(j, _DAYS)
    if tail and unit is not Unit.DAY:
        return _spanned(same_time.same_day(r.calendar, amount, unit), j + len(tail))
    tail = r.longest(j, _PERIOD_WORDS)
    if tail and unit is Unit.YEAR and amount % 1 == 0:
        return _spanned(same_time.same_period(r.calendar, int(amount), _PERIODS[tail]), j + len(tail))
    return None


def _away(r: Reader, i: int) -> tuple[float, Unit, int] | None:
    """去年, 上个月, 上周, 昨天, 两年前: how many of what from now, and the word after."""
    word = r.longest(i, YEARS)
    if word:
        return YEAR_WORDS[word], Unit.YEAR, i + len(word)
    word = r.longest(i, DAYS)
    if word:
        return DAY_WORDS[word], Unit.DAY, i + len(word)
    word = r.longest(i, OFFSET_WORDS)
    if word:
        j = i + len(word)
        j += r.word(j) == "个"
        week = r.longest(j, WEEKS)
        unit = Unit.WEEK if week else Unit.MONTH
        return (OFFSETS[word], unit, j + max(1, len(week))) if week or r.word(j) == "月" else None
    counted = amounts.counted_units(r, i)
    if counted is None or counted[0].low < counted[0].high:
        return None
    amount, unit, j = counted[0].low, counted[1], counted[2]
    ago = r.longest(j, AGO)
    if ago:
        return -amount, unit, j + len(ago)
    later = r.longest(j, FROM_NOW)
    return (amount, unit, j + len(later)) if later else None


def _spanned(span: Span | None, stop: int) -> tuple[Span, int] | None:
    return None if span is None else (span, stop)
