"""Times told by others: before and after a day, the nth of something, two that touch, compound amounts; now is 2026-11-18."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.text.time_ranges import EARLIEST, find_time_range

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 11, 18, 15, 30, tzinfo=SHANGHAI)


def days(text: str) -> list[str]:
    found = find_time_range(text, NOW, SHANGHAI)
    assert found is not None, text
    assert (found.start.hour, found.end.hour) == (0, 0), found
    return [found.start.date().isoformat(), (found.end.date() - timedelta(days=1)).isoformat()]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("What did we buy the day before Halloween?", "2026-10-30", "2026-10-30"),
        ("the week after Easter was quiet", "2026-04-06", "2026-04-12"),
        ("the month before March 2025", "2025-02-01", "2025-02-28"),
        ("the year after 2021", "2022-01-01", "2022-12-31"),
        ("two weeks before May 1", "2026-04-17", "2026-04-17"),
        ("4 days after Easter 2025 she called", "2025-04-24", "2025-04-24"),
        ("a week from Friday we fly", "2026-11-27", "2026-11-27"),
        ("due a week from today", "2026-11-25", "2026-11-25"),
        ("the weekend before April 10, 2023", "2023-04-08", "2023-04-09"),
        ("over the weekend before 4th October, 2023", "2023-09-30", "2023-10-01"),
        ("on the Tuesday before July 20, 2023", "2023-07-18", "2023-07-18"),
        ("on the Saturday after October 28, 2023", "2023-11-04", "2023-11-04"),
        ("the summer before 2020", "2019-06-01", "2019-08-31"),
        ("the last Friday before Easter", "2026-04-03", "2026-04-03"),
        ("What did they build last week before 13 May, 2023?", "2023-05-06", "2023-05-12"),
        ("What did she finish last Friday on 21 July, 2023?", "2023-07-21", "2023-07-21"),
        ("during the first weekend of August 2023", "2023-08-05", "2023-08-06"),
        ("the last weekend in May", "2026-05-30", "2026-05-31"),
        ("in the first few weeks of September 2023", "2023-09-01", "2023-09-30"),
        ("the last 2 days of the month", "2026-10-30", "2026-10-31"),
        ("春节前一天谁来了", "2026-02-16", "2026-02-16"),
        ("中秋节前一周的订单", "2026-09-18", "2026-09-24"),
        ("国庆后三天", "2026-10-08", "2026-10-10"),
        ("上周五前三天", "2026-11-10", "2026-11-12"),
        ("the first three months of 2024", "2024-01-01", "2024-03-31"),
        ("the last two weeks of June", "2026-06-17", "2026-06-30"),
        ("去年前三个月的销量", "2025-01-01", "2025-03-31"),
        ("上个月后十天", "2026-10-22", "2026-10-31"),
        ("2024年前三季度的营收", "2024-01-01", "2024-09-30"),
        ("the second Tuesday of June", "2026-06-09", "2026-06-09"),
        ("the last Thursday in October 2025", "2025-10-30", "2025-10-30"),
        ("the first Monday of last month", "2026-10-05", "2026-10-05"),
        ("What did I plant last year in April?", "2025-04-01", "2025-04-30"),
        ("the tickets last year at Christmas", "2025-12-25", "2025-12-25"),
        ("rent paid last month on the 15th", "2026-10-15", "2026-10-15"),
        ("last year on Mondays", "2025-01-01", "2025-12-31"),
        ("last year on Monday", "2025-01-01", "2025-12-31"),
        ("last week on Tuesday", "2026-11-10", "2026-11-10"),
        ("last week's Friday", "2026-11-13", "2026-11-13"),
        ("last year's Easter trip", "2025-04-20", "2025-04-20"),
        ("between the 3rd and the 5th", "2026-11-03", "2026-11-05"),
        ("between the 3rd and the 5th of last month", "2026-10-03", "2026-10-05"),
        ("the first of this month", "2026-11-01", "2026-11-01"),
        ("from 2021 until now", "2021-01-01", "2026-11-18"),
        ("since May until July", "2026-05-01", "2026-07-31"),
        ("starting in March 2025", "2025-03-01", "2026-11-18"),
        ("on or after May 5", "2026-05-05", "2026-11-18"),
        ("as of 2024", "2024-01-01", "2024-12-31"),
        ("most of last year", "2025-01-01", "2025-12-31"),
        ("early in the week", "2026-11-16", "2026-11-17"),
        ("earlier in the week", "2026-11-16", "2026-11-18"),
        ("the prior month", "2026-10-01", "2026-10-31"),
        ("some weeks ago", "2026-10-07", "2026-11-04"),
        ("the logs of yesterday and today", "2026-11-17", "2026-11-18"),
        ("in March and April", "2026-03-01", "2026-04-30"),
        ("in December and January", "2025-12-01", "2026-01-31"),
        ("in 2021 and 2022", "2021-01-01", "2022-12-31"),
        ("in March and April 2024", "2024-03-01", "2024-04-30"),
        ("Q1 and Q2 2025", "2025-01-01", "2025-06-30"),
        ("in December and January 2024", "2023-12-01", "2024-01-31"),
        ("三季度以来的营收", "2026-07-01", "2026-11-18"),
        ("Q1-Q3 2025", "2025-01-01", "2025-09-30"),
        ("Q1到Q3的营收", "2026-01-01", "2026-09-30"),
        ("last wk", "2026-11-09", "2026-11-15"),
        ("2 wks ago", "2026-11-04", "2026-11-04"),
        ("in 2019 and 2022", "2019-01-01", "2019-12-31"),
        ("昨天和今天的日志", "2026-11-17", "2026-11-18"),
        ("三月和四月的账单", "2026-03-01", "2026-04-30"),
        ("昨天、今天谁请假", "2026-11-17", "2026-11-18"),
        ("2021到2022年的病历", "2021-01-01", "2022-12-31"),
        ("2021-2022年", "2021-01-01", "2022-12-31"),
        ("2025年3月-5月", "2025-03-01", "2025-05-31"),
        ("from Monday through Wednesday", "2026-11-16", "2026-11-18"),
        ("Monday through Wednesday", "2026-11-16", "2026-11-18"),
        ("a year and two months ago", "2025-09-01", "2025-09-30"),
        ("2 weeks and 3 days ago", "2026-11-01", "2026-11-01"),
        ("一年零两个月前", "2025-09-01", "2025-09-30"),
        ("二十几天前", "2026-10-20", "2026-10-28"),
        ("the deploys of the last 7d", "2026-11-11", "2026-11-18"),
        ("3d ago", "2026-11-15", "2026-11-15"),
        ("a fortnight ago", "2026-11-04", "2026-11-04"),
        ("on March the 4th", "2026-03-04", "2026-03-04"),
        ("the twenty-first of May 2025", "2025-05-21", "2025-05-21"),
        ("access log 04/Mar/2025", "2025-03-04", "2025-03-04"),
        ("4-Mar-2025", "2025-03-04", "2025-03-04"),
        ("on Friday 13 march", "2026-03-13", "2026-03-13"),
        ("the mid-2024 review", "2024-05-01", "2024-08-31"),
        ("2024-Q3", "2024-07-01", "2024-09-30"),
        ("Q3/2024", "2024-07-01", "2024-09-30"),
        ("the summer of '87", "1987-06-01", "1987-08-31"),
        ("the summer of '24", "2024-06-01", "2024-08-31"),
        ("24年3月签的", "2024-03-01", "2024-03-31"),
        ("98年夏天", "1998-06-01", "1998-08-31"),
        ("周一周二谁值班", "2026-11-16", "2026-11-17"),
        ("上周周五吃了什么", "2026-11-13", "2026-11-13"),
        ("上周的周一", "2026-11-09", "2026-11-09"),
        ("三月底四月初的出差", "2026-03-21", "2026-04-10"),
        ("去年底今年初", "2025-11-01", "2026-02-28"),
        ("三个月以来的体重", "2026-08-18", "2026-11-18"),
        ("七八月份的电费", "2026-07-01", "2026-08-31"),
        ("去年三四月去了哪", "2025-03-01", "2025-04-30"),
        ("2025年5、6月的账", "2025-05-01", "2025-06-30"),
        ("上周四五请假的人", "2026-11-12", "2026-11-13"),
        ("周六日做了什么", "2026-11-14", "2026-11-15"),
        ("3月1日起至5月1日止", "2026-03-01", "2026-05-01"),
        ("不早于周一的消息", "2026-11-16", "2026-11-18"),
        ("三月上半月的账单", "2026-03-01", "2026-03-15"),
        ("上个月下半月", "2026-10-16", "2026-10-31"),
        ("今年早些时候搬的家", "2026-01-01", "2026-11-18"),
        ("去年晚些时候", "2025-09-01", "2025-12-31"),
        ("三年前的夏天去了哪", "2023-06-01", "2023-08-31"),
        ("日期：2025-03-04", "2025-03-04", "2025-03-04"),
        ("date:2025-03-04", "2025-03-04", "2025-03-04"),
        ("时间：3月4日", "2026-03-04", "2026-03-04"),
    ],
)
def test_periods_told_by_others(text: str, first: str, last: str) -> None:
    assert days(text) == [first, last]


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("prior to last week", "2026-11-09"),
        ("up to last week", "2026-11-16"),
        ("no later than Friday", "2026-11-14"),
        ("on or before May 5", "2026-05-06"),
        ("earlier than 2024", "2024-01-01"),
        ("不晚于周五", "2026-11-14"),
        ("直至昨天的总数", "2026-11-18"),
    ],
)
def test_several_words_that_lead_to_an_end(text: str, end: str) -> None:
    found = find_time_range(text, NOW, SHANGHAI)
    assert found is not None
    assert found.start == EARLIEST
    assert found.end.date().isoformat() == end


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("the night before Christmas", "2025-12-24T18:00", "2025-12-25T06:00"),
        ("the morning after Halloween", "2026-11-01T05:00", "2026-11-01T12:00"),
        ("errors in the last 24h", "2026-11-17T15:30", "2026-11-18T15:30"),
        ("an hour and 20 minutes ago", "2026-11-18T14:05", "2026-11-18T14:15"),
        ("今天早些时候说的", "2026-11-18T00:00", "2026-11-18T15:30"),
        ("三天前的晚上", "2026-11-15T18:00", "2026-11-16T06:00"),
        ("十几分钟前", "2026-11-18T15:06", "2026-11-18T15:24"),
    ],
)
def test_hours_told_by_others(text: str, start: str, end: str) -> None:
    found = find_time_range(text, NOW, SHANGHAI)
    assert found is not None
    assert [f"{moment:%Y-%m-%dT%H:%M}" for moment in (found.start, found.end)] == [start, end]


@pytest.mark.parametrize(
    "text",
    [
        "the day before the wedding",
        "the morning after",
        "a month and 3 days ago",
        "一个月零三天前",
        "in her early 30s",
        "people in their 40s",
        "early 20s",
        "十一二月份",
        "周一二三",
        "25年的老房子",
        "the first Monday",
        "a past 3d art show",
        "first of all",
        "it's up to May",
        "up to 5 people",
        "starting salary",
        "prior art",
        "from the 3rd to the 5th floor",
        "the second of two",
        "the weekday before the talk",
        "at 10:30:2025",
        "10.20.2024.5",
    ],
)
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert find_time_range(text, NOW, SHANGHAI) is None


ANCHORS = st.sampled_from(["Easter 2025", "May 5, 2024", "March 2023", "2022", "yesterday", "last week"])


@given(ANCHORS, st.sampled_from(["day", "week", "month", "year"]))
def test_what_stands_beside_a_period_touches_it(anchor: str, unit: str) -> None:
    whole = find_time_range(f"from {anchor}", NOW, SHANGHAI)
    before = find_time_range(f"the {unit} before {anchor}", NOW, SHANGHAI)
    after = find_time_range(f"the {unit} after {anchor}", NOW, SHANGHAI)
    assert whole is not None
    assert before is not None
    assert after is not None
    if (unit, anchor) != ("day", "yesterday"):
        assert before.end == whole.start
        assert after.start == whole.end
    assert before.start < before.end < after.start < after.end
