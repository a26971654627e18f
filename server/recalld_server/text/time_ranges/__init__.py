"""Time words in a query, in English and Chinese, as a range of time.

A small grammar over words and tables: each place of a text is looked at once, with a bounded number of words ahead, so
time grows with the length of the text and no phrase can make it blow up. The first phrase in the text wins; of a text of more than
4,000 characters the first and the last 2,000 are read.

What is decided where people differ:

- Days run from midnight to midnight in the caller's zone, weeks from Monday. "this week" is the whole week.
- Without a year people look back: "in March", "on Friday", "5月1日" are the latest that have begun. "last Friday" and
  "last spring" are the latest that are over; "next Friday" is the first to come. 上周五 is the Friday of last week.
- "the past 3 days", "since Tuesday" run to the end of today, "the past 2 hours" to now; what has no start begins at
  `EARLIEST`.
- "3 days ago" and "two weeks ago" are that day, "3 months ago" that calendar month, "2 years ago" that year. 两个半月前,
  "two and a half months ago": the fortnight around the day. "an hour ago": half an hour either side.
- "this time last year" is the fortnight around the day, "this time last month" the week around it, of a week ago the day, of
  yesterday the hour. "a week ago Friday" is the Friday of that week.
- "in 3 days" is that day, unless what stands around it tells of the past: then it is a duration and no range. "within 3 days"
  and 三天内 lie ahead where the words tell of what is to come, behind where they tell of the past, else on either side of now.
- "a few" is two to six. Morning is 5 to 12, afternoon to 18, evening to 24, "last night" 18 to 6.
- Times of the clock count inside a day that is named: "between 3 and 5 pm yesterday". One alone is half an hour either
  side. Where the half of the day stays open ("from 9 to 11 yesterday") the whole day is meant.
- Numbered weeks are those of ISO 8601. Days with a name are one day, 春节 and 国庆 seven, 五一 five; "over" a day and its
  holidays (假期, 期间) are a day more on either side; its weekend goes from the day to the nearest one, its week from Monday to
  Sunday. 暑假 is July and August, 寒假 two weeks before and after 春节.
- Days of the Chinese calendar are known for 2000 to 2050. 正月, 腊月, 初 and 农历 tell of it; so do 八月十五, 七月七 and their like, which
  are known by it, without 日 or 号.
- "the week before Easter" and 春节前一周 are the seven days up to it, "two weeks before Easter" that day, "the Friday before
  Easter" the last one that is over by then; the 前三个月 of a longer period are its first. Two periods that touch are one
  range when "and" joins them; of others the first counts. 3、5月 is all from the one to the other.
- Years of two digits are at most twenty years ahead.
- Fiscal years and their quarters ("Q3 FY2025", 2025财年) begin when a company says so, and are no ranges.
- Early, middle and late are thirds; the beginning and the end of a year are two months each.
- Habits ("every Friday", 每周五), vague words ("recently", 最近) and dates that two countries read differently
  (03/04/2025) are no ranges.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from recalld_server.text.time_ranges import chinese, clocks, english
from recalld_server.text.time_ranges.calendar import Calendar
from recalld_server.text.time_ranges.reader import Found, Reader
from recalld_server.text.time_ranges.spans import EARLIEST, LATEST

__all__ = ["EARLIEST", "LATEST", "TimeRange", "find_time_range"]

LOOKED_AT: Final = 2_000
"""Characters that are read at the start and at the end of a longer text, which is a document and no question."""
_LATIN: Final = "\u2e80"
"""Below the first CJK character."""


@dataclass(frozen=True, slots=True)
class TimeRange:
    """Half-open and aware: start <= t < end. `phrase` is the part of the text that said so.

    Both ends are in the caller's zone (open ends in UTC), where subtracting one from the other ignores changes of the
    clock: convert to UTC first.
    """

    start: datetime
    end: datetime
    phrase: str


def find_time_range(text: str, now: datetime, zone: ZoneInfo) -> TimeRange | None:
    """The first range of time that `text` names, seen from `now` in `zone`; None when it names none.

    ValueError if `now` has no zone.
    """
    if now.tzinfo is None:
        raise ValueError("now must be aware of its zone")
    try:
        calendar = Calendar(now, zone)
    except OverflowError:
        # In that zone the years 1 to 9999 have not begun or are over.
        return None
    parts = (text,) if len(text) <= 2 * LOOKED_AT else (text[:LOOKED_AT], text[-LOOKED_AT:])
    return next((found for part in parts if (found := _first(part, calendar)) is not None), None)


def _first(text: str, calendar: Calendar) -> TimeRange | None:
    reader = Reader(text, calendar)
    index = 0
    while index < reader.size:
        found = _read(reader, index)
        if found is not None and found.span is not None and found.span.start < found.span.end:
            phrase = text[reader.starts[index] : reader.ends[found.stop - 1]]
            return TimeRange(found.span.start, found.span.end, phrase)
        index = found.stop if found is not None else index + 1
    return None


def _read(reader: Reader, index: int) -> Found | None:
    first = reader.word(index)[0]
    try:
        # Figures and quarters begin phrases in both: 3月4日, 3 days ago, Q2末.
        maybe_chinese = first > _LATIN or first.isdigit() or reader.word(index + 1) > _LATIN
        found = chinese.read(reader, index) if maybe_chinese else None
        if found is None and first <= _LATIN:
            found = english.read(reader, index)
        if found is not None and found.span is not None and found.span.start == found.span.end:
            return Found(clocks.around(reader.calendar, found.span.start), found.stop)
        return found
    except (OverflowError, ValueError):
        # The calendar ends at the years 1 and 9999: "9000 years ago" is no range.
        return None
