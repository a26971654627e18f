"""Numbered weeks, and months and quarters counted in a year, in both languages; today is 2026-11-18."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.text.time_ranges import find_time_range

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 11, 18, 15, 30, tzinfo=SHANGHAI)
YEARS = st.integers(2000, 2050)


def days(text: str) -> list[str]:
    """First and last day of the range that a text names."""
    found = find_time_range(text, NOW, SHANGHAI)
    assert found is not None, text
    assert (found.start.hour, found.end.hour) == (0, 0), found
    return [found.start.date().isoformat(), (found.end.date() - timedelta(days=1)).isoformat()]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("What did we ship in week 38?", "2026-09-14", "2026-09-20"),
        ("week 38 report", "2026-09-14", "2026-09-20"),
        ("week 38 /", "2026-09-14", "2026-09-20"),
        ("the tickets of week 5 of 2025", "2025-01-27", "2025-02-02"),
        ("week 1, 2025", "2024-12-30", "2025-01-05"),
        ("week 53 of 2026", "2026-12-28", "2027-01-03"),
        ("in week 50", "2025-12-08", "2025-12-14"),
        ("release planned for CW 38", "2026-09-14", "2026-09-20"),
        ("KW38 Protokoll", "2026-09-14", "2026-09-20"),
        ("CW 38/2025", "2025-09-15", "2025-09-21"),
        ("2025-W38", "2025-09-15", "2025-09-21"),
        ("W38 2025", "2025-09-15", "2025-09-21"),
        ("weeks 36 to 38", "2026-08-31", "2026-09-20"),
        ("between week 36 and week 38", "2026-08-31", "2026-09-20"),
        ("第38周发布了什么", "2026-09-14", "2026-09-20"),
        ("第三十八周的周报", "2026-09-14", "2026-09-20"),
        ("2025年第５周的会议", "2025-01-27", "2025-02-02"),
        ("去年第三周的数据", "2025-01-13", "2025-01-19"),
        ("3月第二周的值班表", "2026-03-08", "2026-03-14"),
        ("上个月最后一周谁请假了", "2026-10-25", "2026-10-31"),
        ("the last quarter of 2023", "2023-10-01", "2023-12-31"),
        ("the last month of 2023", "2023-12-01", "2023-12-31"),
    ],
)
def test_numbered_weeks_and_months(text: str, first: str, last: str) -> None:
    assert days(text) == [first, last]


@given(YEARS, st.integers(1, 53))
def test_a_numbered_week_is_the_one_of_the_standard(year: int, week: int) -> None:
    for text in (f"week {week} of {year}", f"{year}-W{week:02}", f"{year}年第{week}周"):
        found = find_time_range(text, NOW, SHANGHAI)
        if found is None:
            assert week == 53
            continue
        assert found.start.date().isocalendar()[:2] == (year, week)
        assert found.end.date() - found.start.date() == timedelta(days=7)
