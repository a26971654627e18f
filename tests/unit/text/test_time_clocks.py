"""Times of the clock inside a day that is named, in both languages; now is Wednesday 2026-11-18, 15:30."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.text.time_ranges import EARLIEST, find_time_range

SHANGHAI = ZoneInfo("Asia/Shanghai")
BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 18, 15, 30, tzinfo=SHANGHAI)


def times(text: str) -> list[str]:
    found = find_time_range(text, NOW, SHANGHAI)
    assert found is not None, text
    return [f"{moment:%d %H:%M}" for moment in (found.start, found.end)]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("Who called between 2 and 4 pm yesterday?", "17 14:00", "17 16:00"),
        ("yesterday between 2 and 4 PM", "17 14:00", "17 16:00"),
        ("the outage from 10 to 11 this morning", "18 10:00", "18 11:00"),
        ("the outage this morning from 10 to 11", "18 10:00", "18 11:00"),
        ("between 11 and 1 pm yesterday", "17 11:00", "17 13:00"),
        ("from 10 pm to 2 am yesterday", "17 22:00", "18 02:00"),
        ("logs between 11 and 3 last night", "17 23:00", "18 03:00"),
        ("Monday 9-11am", "16 09:00", "16 11:00"),
        ("on Monday from 9:30 a.m. to 11:45 a.m.", "16 09:30", "16 11:45"),
        ("from 14:00 to 16:30 on November 3", "03 14:00", "03 16:30"),
        ("2026-11-03 14:00-16:30", "03 14:00", "03 16:30"),
        ("yesterday, 2 p.m. to 4 p.m.", "17 14:00", "17 16:00"),
        ("yesterday from noon until midnight", "17 12:00", "18 00:00"),
        ("between three and five in the afternoon yesterday", "17 15:00", "17 17:00"),
        ("from 3 pm Monday to noon Tuesday", "16 15:00", "17 12:00"),
        ("between 9 am yesterday and 5 pm today", "17 09:00", "18 17:00"),
        ("What did I say at 2 pm yesterday?", "17 13:30", "17 14:30"),
        ("yesterday at 14:00", "17 13:30", "17 14:30"),
        ("at 4 this morning", "18 03:30", "18 04:30"),
        ("at 4 o'clock yesterday afternoon", "17 15:30", "17 16:30"),
        ("what broke since 2 pm yesterday", "17 14:00", "19 00:00"),
        ("昨天下午两点到四点", "17 14:00", "17 16:00"),
        ("昨天下午2点到4点谁打过电话", "17 14:00", "17 16:00"),
        ("昨天下午两到四点", "17 14:00", "17 16:00"),
        ("今早十点到十一点的故障", "18 10:00", "18 11:00"),
        ("昨晚十一点到三点的日志", "17 23:00", "18 03:00"),
        ("昨晚十一点到凌晨三点的日志", "17 23:00", "18 03:00"),
        ("周一上午九点半至十一点三刻", "16 09:30", "16 11:45"),
        ("周一上午十点到下午两点", "16 10:00", "16 14:00"),
        ("１１月３日下午２点－４点", "03 14:00", "03 16:00"),
        ("11月3日14:00-16:30的会议", "03 14:00", "03 16:30"),
        ("昨天9点到17点", "17 09:00", "17 17:00"),
        ("昨天上午十点二十分到十点五十", "17 10:20", "17 10:50"),
        ("今天零点到六点", "18 00:00", "18 06:00"),
        ("昨天下午三点和五点之间", "17 15:00", "17 17:00"),
        ("昨天下午一点开会", "17 12:30", "17 13:30"),
        ("on Halloween night", "31 18:00", "01 06:00"),
        ("Thanksgiving evening 2024", "28 18:00", "29 00:00"),
        ("Christmas morning", "25 05:00", "25 12:00"),
        ("March 4 in the evening", "04 18:00", "05 00:00"),
        ("除夕晚上八点", "16 19:30", "16 20:30"),
        ("前天凌晨两点的报警", "16 01:30", "16 02:30"),
        ("昨天中午十二點半", "17 12:00", "17 13:00"),
        ("昨天下午三点到今天上午十点", "17 15:00", "18 10:00"),
        ("昨天下午两点以来的报错", "17 14:00", "19 00:00"),
        ("昨天下午两点之后", "17 14:00", "19 00:00"),
    ],
)
def test_times_of_a_day(text: str, start: str, end: str) -> None:
    assert times(text) == [start, end]


@pytest.mark.parametrize(
    ("text", "end"),
    [("before 9 am today", "18 09:00"), ("until noon yesterday", "17 12:00"), ("今早九点之前的消息", "18 09:00")],
)
def test_before_a_time(text: str, end: str) -> None:
    found = find_time_range(text, NOW, SHANGHAI)
    assert found is not None
    assert found.start == EARLIEST
    assert f"{found.end:%d %H:%M}" == end


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("from 9 to 11 yesterday", "17 00:00", "18 00:00"),
        ("from 3:00 to 5:00 yesterday", "17 00:00", "18 00:00"),
        ("yesterday 3 people came", "17 00:00", "18 00:00"),
        ("yesterday between 3 and 5 people came", "17 00:00", "18 00:00"),
        ("between 3 and 5 people came yesterday", "17 00:00", "18 00:00"),
        ("昨天傍晚一点到两点", "17 17:00", "17 20:00"),
        ("I took 3 this morning", "18 05:00", "18 12:00"),
        ("this morning at 3 places", "18 05:00", "18 12:00"),
        ("昨天9点到11点", "17 00:00", "18 00:00"),
        ("今早3点了一杯茶", "18 05:00", "18 12:00"),
        ("昨天提了三点建议", "17 00:00", "18 00:00"),
        ("今早三点建议", "18 05:00", "18 12:00"),
        ("今早一点都不冷", "18 05:00", "18 12:00"),
        ("昨天三点水的字", "17 00:00", "18 00:00"),
    ],
)
def test_where_the_half_of_the_day_is_open_the_whole_is_meant(text: str, start: str, end: str) -> None:
    assert times(text) == [start, end]


@pytest.mark.parametrize(
    "text",
    [
        "the shop is open from 9 to 5 pm",
        "call me at 3 pm",
        "between 3 and 5 items",
        "a score of 10:30",
        "noon is a good time",
        "Midnight Sun",
        "version 3.10 at 9",
        "下午三点到五点营业",
        "3点了茶",
        "这三点很重要",
        "他提了三点到五点意见",
        "每天下午三点到五点",
        "every day from 3 to 5 pm",
    ],
)
def test_a_time_without_a_day_is_none(text: str) -> None:
    assert find_time_range(text, NOW, SHANGHAI) is None


@pytest.mark.parametrize("text", ["yesterday from 1 am to 5 am", "昨天凌晨一点到五点"])
@pytest.mark.parametrize(("today", "hours"), [("2026-03-30", 3), ("2026-10-26", 5), ("2026-11-10", 4)])
def test_the_clock_is_the_one_on_the_wall_when_it_changes(text: str, today: str, hours: int) -> None:
    now = datetime.fromisoformat(f"{today}T12:00").replace(tzinfo=BERLIN)
    found = find_time_range(text, now, BERLIN)
    assert found is not None
    assert (found.start.hour, found.end.hour) == (1, 5)
    assert found.end.astimezone(UTC) - found.start.astimezone(UTC) == timedelta(hours=hours)


def test_half_an_hour_either_side_is_one_when_the_clock_changes() -> None:
    beirut = ZoneInfo("Asia/Beirut")
    now = datetime(2024, 4, 1, 12, tzinfo=beirut)
    for text in ("midnight yesterday", "昨天零点"):
        found = find_time_range(text, now, beirut)
        assert found is not None
        assert found.start.isoformat() == "2024-03-30T23:30:00+02:00"
        assert found.end.isoformat() == "2024-03-31T01:30:00+03:00"


@pytest.mark.parametrize("text", ["midnight today", "今天零点", "week 12 /", "at midnight on 1 January"])
def test_what_begins_before_the_calendar_is_none_and_no_error(text: str) -> None:
    found = find_time_range(text, datetime(1, 1, 1, 8, tzinfo=UTC), ZoneInfo("UTC"))
    assert found is None or found.start < found.end


HOURS = st.integers(1, 12)
HALVES = st.sampled_from(["am", "pm"])


@given(HOURS, HALVES, HOURS, HALVES)
def test_two_times_begin_on_the_day_and_end_within_a_day(first: int, half: str, last: int, other: str) -> None:
    for text in (
        f"from {first} {half} to {last} {other} yesterday",
        f"yesterday between {first}{half} and {last}{other}",
    ):
        found = find_time_range(text, NOW, SHANGHAI)
        assert found is not None
        assert f"{found.start:%d %I %p}".lower() == f"17 {first:02} {half}"
        assert f"{found.end:%I %p}".lower() == f"{last:02} {other}"
        assert timedelta() < found.end - found.start <= timedelta(days=1)


PARTS = {"凌晨": (0, 6), "上午": (5, 12), "下午": (12, 18), "晚上": (18, 30)}


@given(st.sampled_from(list(PARTS)), st.integers(1, 12), st.integers(0, 59))
def test_a_time_lies_in_the_part_of_the_day_or_near_it(part: str, hour: int, minute: int) -> None:
    found = find_time_range(f"昨天{part}{hour}点{minute}分", NOW, SHANGHAI)
    assert found is not None
    midnight = datetime(2026, 11, 17, tzinfo=SHANGHAI)
    low, high = PARTS[part]
    assert midnight + timedelta(hours=low - 4) < found.start < found.end < midnight + timedelta(hours=high + 4)
