"""Time words in both languages. Days in the table are the first and the last, both included; now is in Shanghai."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.text.time_ranges import EARLIEST, LATEST, TimeRange, find_time_range

SHANGHAI = ZoneInfo("Asia/Shanghai")
BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")
TABLE: dict[str, Any] = json.loads((Path(__file__).parent / "time_phrases.json").read_text(encoding="utf-8"))
AGREED, MORE = TABLE["agreed"], TABLE["more"]
NOW = datetime.fromisoformat(MORE["now"]).replace(tzinfo=SHANGHAI)


def agreed() -> Iterator[tuple[str, str, str, str]]:
    for language, sentences in AGREED["sentences"].items():
        for phrase, first, last in AGREED[language]:
            for sentence in ("{}", *sentences):
                yield sentence.format(phrase), phrase, first, last


def found(text: str, now: datetime = NOW, zone: ZoneInfo = SHANGHAI) -> TimeRange:
    time_range = find_time_range(text, now, zone)
    assert time_range is not None, text
    return time_range


def days(time_range: TimeRange) -> list[str]:
    """First and last day; fails unless the range runs from midnight to midnight."""
    assert (time_range.start.hour, time_range.end.hour) == (0, 0), time_range
    return [time_range.start.date().isoformat(), (time_range.end.date() - timedelta(days=1)).isoformat()]


@pytest.mark.parametrize(("text", "phrase", "first", "last"), list(agreed()))
def test_the_agreed_phrases_hold_inside_sentences(text: str, phrase: str, first: str, last: str) -> None:
    time_range = found(text, datetime.fromisoformat(AGREED["now"]).replace(tzinfo=SHANGHAI))
    assert days(time_range) == [first, last]
    assert time_range.phrase in phrase or phrase in time_range.phrase


@pytest.mark.parametrize(("text", "first", "last"), MORE["days"])
def test_dates_and_periods(text: str, first: str, last: str) -> None:
    assert days(found(text)) == [first, last]


@pytest.mark.parametrize(("text", "start", "end"), MORE["times"])
def test_hours_and_parts_of_a_day(text: str, start: str, end: str) -> None:
    time_range = found(text)
    assert [f"{moment:%Y-%m-%dT%H:%M}" for moment in (time_range.start, time_range.end)] == [start, end]


@pytest.mark.parametrize(("text", "end"), MORE["before"])
def test_ranges_without_a_start_begin_at_the_documented_extreme(text: str, end: str) -> None:
    time_range = found(text)
    assert time_range.start == EARLIEST
    assert f"{time_range.end:%Y-%m-%dT%H:%M}" == end


@pytest.mark.parametrize("text", ["after tomorrow", "明天以后"])
def test_ranges_that_start_in_the_future_have_no_end(text: str) -> None:
    assert found(text).end == LATEST


@pytest.mark.parametrize("text", MORE["none"])
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert find_time_range(text, NOW, SHANGHAI) is None


def test_the_phrase_is_the_part_of_the_text_as_it_was_written() -> None:
    assert found("So, what broke In The Last 2 Hours?").phrase == "In The Last 2 Hours"
    assert found("帮我看看２０２５年３月的账").phrase == "２０２５年３月"


@pytest.mark.parametrize(
    ("text", "phrase", "first", "last"),
    [
        ("trips between 8 and 12 June", "between 8 and 12 June", "2026-06-08", "2026-06-12"),
        (
            "trips between the 8th and the 12th of June 2024",
            "between the 8th and the 12th of June 2024",
            "2024-06-08",
            "2024-06-12",
        ),
        ("trips between June 8 and 12", "between June 8 and 12", "2026-06-08", "2026-06-12"),
        ("trips between 8 June and 12 July", "between 8 June and 12 July", "2026-06-08", "2026-07-12"),
        ("trips between June 8 and July 12", "between June 8 and July 12", "2026-06-08", "2026-07-12"),
        ("6月8日至12日的旅行", "6月8日至12日", "2026-06-08", "2026-06-12"),
    ],
)
def test_between_two_days_is_from_the_first_to_the_last(text: str, phrase: str, first: str, last: str) -> None:
    now = datetime(2026, 11, 18, 20, 0, tzinfo=UTC)
    assert days(found(text, now, SHANGHAI)) == [first, last]
    assert found(text, now, SHANGHAI).phrase == phrase


def test_between_two_amounts_is_no_time() -> None:
    for text in ("between 7 and 12 may be enough", "between 8 and 12 people", "7到12个人可能就够了"):
        assert find_time_range(text, datetime(2026, 11, 18, tzinfo=UTC), SHANGHAI) is None, text


def test_the_first_phrase_wins() -> None:
    assert days(found("what did she say yesterday about March 2025?")) == ["2026-11-17", "2026-11-17"]
    assert days(found("昨天谁提到了2025年3月")) == ["2026-11-17", "2026-11-17"]


def test_a_habit_hides_its_time_words_but_not_what_follows() -> None:
    assert days(found("every Friday, except last Friday")) == ["2026-11-13", "2026-11-13"]
    assert days(found("每周五都开会，但上周五没开")) == ["2026-11-13", "2026-11-13"]


@pytest.mark.parametrize(
    ("now", "text", "first", "last"),
    [
        ("2026-11-13", "last Friday", "2026-11-06", "2026-11-06"),
        ("2026-11-13", "next Friday", "2026-11-20", "2026-11-20"),
        ("2026-11-15", "this week", "2026-11-09", "2026-11-15"),
        ("2026-11-15", "last weekend", "2026-11-07", "2026-11-08"),
        ("2026-11-15", "over the weekend", "2026-11-14", "2026-11-15"),
        ("2026-03-10", "in March", "2026-03-01", "2026-03-31"),
        ("2026-03-10", "last March", "2025-03-01", "2025-03-31"),
        ("2026-02-10", "in March", "2025-03-01", "2025-03-31"),
        ("2027-01-20", "this winter", "2026-12-01", "2027-02-28"),
        ("2027-01-20", "last winter", "2025-12-01", "2026-02-28"),
        ("2027-01-02", "last week", "2026-12-21", "2026-12-27"),
        ("2027-01-02", "last month", "2026-12-01", "2026-12-31"),
        ("2027-01-02", "the last quarter of 2026", "2026-10-01", "2026-12-31"),
        ("2027-01-02", "last quarter", "2026-10-01", "2026-12-31"),
        ("2027-01-01", "yesterday", "2026-12-31", "2026-12-31"),
        ("2024-03-01", "yesterday", "2024-02-29", "2024-02-29"),
        ("2024-02-29", "last year", "2023-01-01", "2023-12-31"),
        ("2024-02-29", "the past year", "2023-02-28", "2024-02-29"),
        ("2026-03-31", "the past month", "2026-02-28", "2026-03-31"),
        ("2026-11-13", "上周五", "2026-11-06", "2026-11-06"),
        ("2026-11-14", "上周五", "2026-11-06", "2026-11-06"),
        ("2026-11-14", "周五", "2026-11-13", "2026-11-13"),
        ("2026-11-15", "这周", "2026-11-09", "2026-11-15"),
        ("2026-02-10", "三月份", "2025-03-01", "2025-03-31"),
        ("2027-01-01", "昨天", "2026-12-31", "2026-12-31"),
        ("2027-01-02", "上个月", "2026-12-01", "2026-12-31"),
        ("2027-01-02", "上季度", "2026-10-01", "2026-12-31"),
        ("2024-03-01", "昨天", "2024-02-29", "2024-02-29"),
        ("2026-12-31", "明天", "2027-01-01", "2027-01-01"),
        ("2026-03-31", "最近一个月", "2026-02-28", "2026-03-31"),
    ],
)
def test_the_edges_of_weeks_months_and_years(now: str, text: str, first: str, last: str) -> None:
    noon = datetime.combine(date.fromisoformat(now), datetime.min.time().replace(hour=12), SHANGHAI)
    assert days(found(text, noon)) == [first, last]


@pytest.mark.parametrize(
    ("zone", "now", "text", "hours"),
    [
        (BERLIN, "2026-03-30T09:00", "yesterday", 23),
        (BERLIN, "2026-03-30T09:00", "昨天", 23),
        (BERLIN, "2026-10-26T09:00", "yesterday", 25),
        (NEW_YORK, "2026-03-09T09:00", "yesterday", 23),
        (NEW_YORK, "2026-11-02T09:00", "昨天", 25),
        (NEW_YORK, "2026-11-02T09:00", "last week", 7 * 24 + 1),
        (SHANGHAI, "2026-10-26T09:00", "yesterday", 24),
    ],
)
def test_days_on_which_the_clocks_change(zone: ZoneInfo, now: str, text: str, hours: int) -> None:
    time_range = found(text, datetime.fromisoformat(now).replace(tzinfo=zone), zone)
    assert time_range.end.astimezone(UTC) - time_range.start.astimezone(UTC) == timedelta(hours=hours)


@pytest.mark.parametrize("text", ["in the last 2 hours", "过去两小时"])
def test_hours_are_hours_when_the_clocks_change(text: str) -> None:
    now = datetime(2026, 3, 29, 3, 30, tzinfo=BERLIN)
    time_range = found(text, now, BERLIN)
    assert time_range.end == now
    assert f"{time_range.start:%H:%M}" == "00:30"
    assert time_range.end.astimezone(UTC) - time_range.start.astimezone(UTC) == timedelta(hours=2)


def test_a_day_without_a_midnight_starts_at_its_first_moment() -> None:
    beirut = ZoneInfo("Asia/Beirut")
    time_range = found("yesterday", datetime(2024, 4, 1, 12, tzinfo=beirut), beirut)
    assert time_range.start.isoformat() == "2024-03-31T01:00:00+03:00"
    assert time_range.end.isoformat() == "2024-04-01T00:00:00+03:00"


def test_the_day_is_the_callers_not_the_servers() -> None:
    now = datetime(2026, 11, 18, 20, 0, tzinfo=UTC)
    assert days(found("today", now, SHANGHAI)) == ["2026-11-19", "2026-11-19"]
    assert days(found("今天", now, NEW_YORK)) == ["2026-11-18", "2026-11-18"]


def test_a_now_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        find_time_range("yesterday", datetime(2026, 11, 18), SHANGHAI)


@pytest.mark.parametrize(
    ("now", "zone"), [(datetime.max.replace(tzinfo=UTC), SHANGHAI), (datetime.min.replace(tzinfo=UTC), NEW_YORK)]
)
def test_where_the_calendar_has_no_today_no_words_name_a_time(now: datetime, zone: ZoneInfo) -> None:
    assert find_time_range("the day before yesterday", now, zone) is None
    assert find_time_range("前天", now, zone) is None


WORDS = st.sampled_from(
    """
    the a last past this next in on since before after until between from to and of every first second early late mid
    end week month year quarter day days hours ago March May Friday spring weekend morning 4 4th 2025 2025-03-04 90s Q1
    half few couple two - / . , ' noon 3 pm 15:30 at Christmas Easter new year's eve within this time today so far weeks KW 42 W42 FY25 的 点 分 内 正月 农历 初 这个时候 、 鸣 春节 中秋 五一 上 下 个 周 月 年 日 号 今 昨 天 前 后 每 过去 最近 三 十 半 两 几 星期 季度 到 至 从 以来 之前 第 初 底 中
    """.split()  # noqa: SIM905 - words read better in lines than in quotes
)
PHRASES = st.builds(lambda words, gap: gap.join(words), st.lists(WORDS, max_size=14), st.sampled_from(["", " "]))
TEXTS = st.one_of(PHRASES, st.text(max_size=60), st.text(alphabet=st.characters(), max_size=60))
ZONES = st.sampled_from([SHANGHAI, BERLIN, NEW_YORK, ZoneInfo("UTC"), ZoneInfo("Pacific/Apia")])
MOMENTS = st.datetimes(timezones=st.just(UTC))


@given(TEXTS, MOMENTS, ZONES)
def test_any_text_at_any_time_gives_a_range_in_order_or_none(text: str, now: datetime, zone: ZoneInfo) -> None:
    time_range = find_time_range(text, now, zone)
    if time_range is not None:
        assert time_range.start < time_range.end
        assert time_range.start.tzinfo is not None
        assert time_range.end.tzinfo is not None
        assert time_range.phrase
        assert time_range.phrase in text
