"""Times told by now, in both languages: the same time of another year, so long ahead, within so long; now is 2026-11-18."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.text.time_ranges import find_time_range, lunar

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 11, 18, 15, 30, tzinfo=SHANGHAI)


def days(text: str, now: datetime = NOW) -> list[str]:
    found = find_time_range(text, now, SHANGHAI)
    assert found is not None, text
    assert (found.start.hour, found.end.hour) == (0, 0), found
    return [found.start.date().isoformat(), (found.end.date() - timedelta(days=1)).isoformat()]


@pytest.mark.parametrize(
    ("english", "chinese", "first", "last"),
    [
        ("this time last year", "去年这个时候", "2025-11-11", "2025-11-25"),
        ("this time next year", "明年这个时候", "2027-11-11", "2027-11-25"),
        ("this time last month", "上个月这个时候", "2026-10-15", "2026-10-21"),
        ("this time last week", "上周这个时候", "2026-11-11", "2026-11-11"),
        ("this time two years ago", "两年前这个时候", "2024-11-11", "2024-11-25"),
        ("the same day last year", "去年的今天", "2025-11-18", "2025-11-18"),
        ("three years ago today", "三年前的今天", "2023-11-18", "2023-11-18"),
        ("this month last year", "去年这个月", "2025-11-01", "2025-11-30"),
        ("this week last year", "去年这周", "2025-11-17", "2025-11-23"),
        ("two weeks ago on Friday", "两周前的周五", "2026-11-06", "2026-11-06"),
        ("a week ago Friday", "一周前的周五", "2026-11-13", "2026-11-13"),
        ("due in 3 days", "三天后到期", "2026-11-21", "2026-11-21"),
        ("what must I do within two weeks", "两周内要做什么", "2026-11-18", "2026-12-02"),
        ("what did we do within two weeks", "两周内做了什么", "2026-11-04", "2026-11-18"),
        ("meetings within two weeks", "两周内的会议", "2026-11-04", "2026-12-02"),
        ("within the last two weeks", "过去两周内", "2026-11-04", "2026-11-18"),
        ("within the next two weeks", "未来两周内", "2026-11-18", "2026-12-02"),
    ],
)
def test_both_languages_tell_times_by_now(english: str, chinese: str, first: str, last: str) -> None:
    assert days(english) == [first, last]
    assert days(chinese) == [first, last]


@pytest.mark.parametrize(("text", "now"), [("this time last year", "2024-02-29"), ("去年今天", "2024-02-29")])
def test_a_leap_day_has_its_time_in_other_years(text: str, now: str) -> None:
    noon = datetime.combine(date.fromisoformat(now), datetime.min.time().replace(hour=12), SHANGHAI)
    first, last = (date.fromisoformat(day) for day in days(text, noon))
    assert first <= date(2023, 2, 28) <= last


AMOUNTS = st.integers(1, 400)


@given(AMOUNTS)
def test_in_so_many_days_mirrors_so_many_days_ago(many: int) -> None:
    for ahead, ago in ((f"due in {many} days", f"{many} days ago"), (f"{many}天后", f"{many}天前")):
        if many == 1 and ahead.startswith("due"):
            continue
        there, back = (date.fromisoformat(days(text)[0]) for text in (ahead, ago))
        assert there - NOW.date() == NOW.date() - back == timedelta(days=many)


@given(AMOUNTS, st.sampled_from(["days", "weeks", "months"]))
def test_within_so_long_is_the_last_and_the_next_together(many: int, unit: str) -> None:
    within = days(f"within {many} {unit}")
    assert within == [days(f"the last {many} {unit}")[0], days(f"the next {many} {unit}")[1]]


@given(st.integers(2001, 2049), st.integers(1, 12), st.integers(1, 29))
def test_a_day_of_the_chinese_calendar_lies_in_its_month(year: int, month: int, day: int) -> None:
    name = "初" + "一二三四五六七八九十"[day - 1] if day <= 10 else str(day)
    first, last = days(f"农历{year}年{month}月{name}")
    whole = lunar.lunar_month(month)(year)
    assert first == last
    assert whole is not None
    assert date.fromisoformat(first) == whole[0] + timedelta(days=day - 1)
    assert whole[0] <= date.fromisoformat(first) <= whole[1]
