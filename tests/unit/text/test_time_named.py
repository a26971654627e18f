"""Days with a name, and years that are not the calendar's, in both languages; today is 2026-11-18."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.text.time_ranges import EARLIEST, feasts, find_time_range, lunar

SHANGHAI = ZoneInfo("Asia/Shanghai")
NEW_YORK = ZoneInfo("America/New_York")
NOW = datetime(2026, 11, 18, 15, 30, tzinfo=SHANGHAI)


def days(text: str, now: datetime = NOW, zone: ZoneInfo = SHANGHAI) -> list[str]:
    """First and last day of the range that a text names."""
    found = find_time_range(text, now, zone)
    assert found is not None, text
    assert (found.start.hour, found.end.hour) == (0, 0), found
    return [found.start.date().isoformat(), (found.end.date() - timedelta(days=1)).isoformat()]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("Who cooked on Christmas Eve?", "2025-12-24", "2025-12-24"),
        ("presents opened on Christmas Day 2023", "2023-12-25", "2023-12-25"),
        ("Where were we over Christmas?", "2025-12-24", "2025-12-26"),
        ("the cabin we rented over Christmas 2022", "2022-12-24", "2022-12-26"),
        ("photos from the Christmas holidays 2024", "2024-12-24", "2024-12-26"),
        ("Xmas 2021 guest list", "2021-12-25", "2021-12-25"),
        ("What did Tom dress up as last Halloween?", "2026-10-31", "2026-10-31"),
        ("flowers on Valentine’s Day", "2026-02-14", "2026-02-14"),
        ("our plans for next Valentine's Day", "2027-02-14", "2027-02-14"),
        ("the fireworks on New Year's Eve", "2025-12-31", "2025-12-31"),
        ("hangover on new year's day 2024", "2024-01-01", "2024-01-01"),
        ("Who brought the pie last Thanksgiving?", "2025-11-27", "2025-11-27"),
        ("dinner on Thanksgiving 2024", "2024-11-28", "2024-11-28"),
        ("next Thanksgiving", "2026-11-26", "2026-11-26"),
        ("What did I buy on Black Friday 2024?", "2024-11-29", "2024-11-29"),
        ("orders on Cyber Monday last year", "2025-12-01", "2025-12-01"),
        ("What did I give mum on Mother's Day?", "2026-05-10", "2026-05-10"),
        ("flowers on Mothers Day", "2026-05-10", "2026-05-10"),
        ("a tie on father's day 2025", "2025-06-15", "2025-06-15"),
        ("Who hid the eggs at Easter?", "2026-04-05", "2026-04-05"),
        ("the trip on Good Friday 2025", "2025-04-18", "2025-04-18"),
        ("over Easter 2024 it snowed", "2024-03-30", "2024-04-01"),
        ("the parade last Chinese New Year", "2026-02-17", "2026-02-23"),
        ("the reunion during Spring Festival 2025", "2025-01-29", "2025-02-04"),
        ("mooncakes at the Mid-Autumn Festival in 2025", "2025-10-06", "2025-10-06"),
        ("the race at the dragon boat festival", "2026-06-19", "2026-06-19"),
        ("what went wrong since Halloween?", "2026-10-31", "2026-11-18"),
        ("between Christmas and New Year's Eve we rested", "2025-12-25", "2025-12-31"),
        ("resolutions of New Year 2025", "2025-01-01", "2025-01-01"),
        ("a walk at New Year's", "2026-01-01", "2026-01-01"),
        ("between Christmas and New Year", "2025-12-25", "2026-01-01"),
        ("Christmas three years ago", "2023-12-25", "2023-12-25"),
        ("in March two years ago", "2024-03-01", "2024-03-31"),
        ("the Christmas before last", "2024-12-25", "2024-12-25"),
        ("the summer before last", "2025-06-01", "2025-08-31"),
        ("国庆第三天去哪了", "2026-10-03", "2026-10-03"),
        ("去年春节第二天", "2025-01-30", "2025-01-30"),
        ("正月初三去了哪", "2026-02-19", "2026-02-19"),
        ("农曆新年的红包", "2026-02-17", "2026-02-23"),
        ("除夕夜谁做的饭", "2026-02-16", "2026-02-16"),
        ("2024年除夕在哪过的", "2024-02-09", "2024-02-09"),
        ("去年春节去了哪里", "2025-01-29", "2025-02-04"),
        ("春节我们回老家了吗", "2026-02-17", "2026-02-23"),
        ("春节期间的开销", "2026-02-17", "2026-02-23"),
        ("大年初二去了谁家", "2026-02-18", "2026-02-18"),
        ("元宵节的灯会", "2026-03-03", "2026-03-03"),
        ("元旦去爬山了吗", "2026-01-01", "2026-01-01"),
        ("元旦假期的航班", "2025-12-31", "2026-01-02"),
        ("清明节扫墓的照片", "2026-04-05", "2026-04-05"),
        ("2024年清明下雨了吗", "2024-04-04", "2024-04-04"),
        ("五一去哪玩了", "2026-05-01", "2026-05-05"),
        ("去年五一假期的酒店", "2025-05-01", "2025-05-05"),
        ("五一劳动节那天加班了吗", "2026-05-01", "2026-05-01"),
        ("六一儿童节送了什么礼物", "2026-06-01", "2026-06-01"),
        ("端午吃了什么粽子", "2026-06-19", "2026-06-19"),
        ("前年端午节的龙舟赛", "2024-06-10", "2024-06-10"),
        ("七夕送的花", "2026-08-19", "2026-08-19"),
        ("去年中秋的月饼是谁送的", "2025-10-06", "2025-10-06"),
        ("國慶假期去了哪裡", "2026-10-01", "2026-10-07"),
        ("去年十一长假的机票", "2025-10-01", "2025-10-07"),
        ("重阳节陪外婆", "2026-10-18", "2026-10-18"),
        ("双十一买了什么", "2026-11-11", "2026-11-11"),
        ("去年过年在哪里", "2025-01-29", "2025-02-04"),
        ("万圣节前夜的派对", "2026-10-31", "2026-10-31"),
        ("双11以来的退货", "2026-11-11", "2026-11-18"),
        ("去年感恩节请了谁", "2025-11-27", "2025-11-27"),
        ("上个圣诞节的礼物", "2025-12-25", "2025-12-25"),
        ("下个元旦的安排", "2027-01-01", "2027-01-01"),
        ("圣诞前后的订单", "2025-12-24", "2025-12-26"),
        ("从中秋到国庆的安排", "2026-09-25", "2026-10-07"),
    ],
)
def test_days_with_a_name(text: str, first: str, last: str) -> None:
    assert days(text) == [first, last]


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("bugs filed before Halloween", "2026-10-31"),
        ("everything until Easter 2025", "2025-04-21"),
        ("open before week 10", "2026-03-02"),
        ("春节前签的合同", "2026-02-17"),
        ("去年国庆之前的版本", "2025-10-01"),
        ("第10周以前的日志", "2026-03-02"),
        ("截至元旦的余额", "2026-01-02"),
    ],
)
def test_before_a_day_with_a_name_or_a_week(text: str, end: str) -> None:
    found = find_time_range(text, NOW, SHANGHAI)
    assert found is not None
    assert found.start == EARLIEST
    assert found.end.date().isoformat() == end


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("after Easter it got worse", "2026-04-06", "2026-11-18"),
        ("春节后入职的人", "2026-02-24", "2026-11-18"),
        ("since week 40", "2026-09-28", "2026-11-18"),
        ("第40周以来的告警", "2026-09-28", "2026-11-18"),
    ],
)
def test_after_and_since_run_to_today(text: str, first: str, last: str) -> None:
    assert days(text) == [first, last]


@pytest.mark.parametrize(
    "text",
    [
        "Christmas tree",
        "a Halloween costume",
        "Thanksgiving recipes",
        "easter egg in the code",
        "new years resolutions",
        "Black Friday budget",
        "Good Friday agreement",
        "happy new year",
        "in the new year",
        "年初一",
        "编号2025-03",
        "week 3 of the training plan",
        "week 30 of the training plan",
        "we hire a week 12 people",
        "5 kW 20 panels",
        "week 54",
        "week 53 of 2025",
        "第三周",
        "怀孕第30周",
        "课程第12周的作业",
        "第20周年庆",
        "第60周",
        "五一路的房子",
        "清明上河图在哪里",
        "圣诞树多少钱",
        "李国庆推荐的餐馆",
        "李国庆的电话",
        "超过年费",
        "复活节岛在哪",
        "春节档电影",
        "重阳糕怎么做",
        "春节联欢晚会的主持人",
        "Q2 FY2024 revenue",
        "FY24 Q2",
        "revenue in Q2 of fiscal 2024",
        "the last quarter of the fiscal year",
        "fiscal year 2024",
        "school year 2024",
        "2024财年的预算",
        "2024财年第二季度的营收",
        "2024财年Q2的营收",
        "2024财政年度第二季度",
        "政治清明",
        "the last year of school",
        "1999年春节",
    ],
)
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert find_time_range(text, NOW, SHANGHAI) is None


@pytest.mark.parametrize(
    ("text", "now", "first"),
    [
        ("at Christmas", "2026-12-25", "2026-12-25"),
        ("at Christmas", "2026-12-24", "2025-12-25"),
        ("last Christmas", "2026-12-25", "2025-12-25"),
        ("this Christmas", "2026-12-01", "2026-12-25"),
        ("春节", "2026-02-17", "2026-02-17"),
        ("春节", "2026-02-16", "2025-01-29"),
        ("in week 1", "2026-12-31", "2025-12-29"),
        ("in week 1", "2025-12-29", "2025-12-29"),
        ("in week 53", "2026-12-31", "2026-12-28"),
        ("in week 53", "2026-12-27", "2020-12-28"),
        ("第1周", "2027-01-04", "2027-01-04"),
    ],
)
def test_without_a_year_the_last_one_that_has_begun(text: str, now: str, first: str) -> None:
    noon = datetime.combine(date.fromisoformat(now), datetime.min.time().replace(hour=12), NEW_YORK)
    assert days(text, noon, NEW_YORK)[0] == first


YEARS = st.integers(2000, 2050)
ENGLISH = st.sampled_from(
    """
    Christmas;Christmas Eve;Halloween;Valentine's Day;New Year's Eve;New Year's Day;Thanksgiving;Black Friday;Easter;
    Good Friday;Chinese New Year;the Mid-Autumn Festival;Mother's Day
    """.replace("\n", "").split(";")
)
CHINESE = st.sampled_from(
    [
        "除夕",
        "春节",
        "元旦",
        "国庆",
        "国庆假期",
        "五一",
        "清明",
        "端午节",
        "中秋",
        "圣诞节",
        "双十一",
        "七夕",
        "重阳节",
        "感恩节",
        "母亲节",
        "复活节",
    ]
)


@given(YEARS, ENGLISH, CHINESE)
def test_a_day_with_a_name_lies_in_the_year_that_is_named(year: int, english: str, chinese: str) -> None:
    for text in (f"{english.strip()} {year}", f"{year}年{chinese}"):
        first, last = days(text)
        assert first[:4] == last[:4] == str(year), text
        assert first <= last


@given(st.integers(1583, 4000))
def test_easter_is_a_sunday_after_the_spring_equinox(year: int) -> None:
    days_of_year = feasts.easter()(year)
    assert days_of_year is not None
    assert days_of_year[0].weekday() == 6
    assert date(year, 3, 22) <= days_of_year[0] <= date(year, 4, 25)


@given(YEARS)
def test_the_table_of_the_chinese_calendar_keeps_its_order(year: int) -> None:
    days_of_year = (
        lunar.lunar_days(*lunar.NEW_YEAR),
        lunar.qingming,
        lunar.lunar_days(*lunar.DRAGON_BOAT),
        lunar.lunar_days(*lunar.DOUBLE_SEVENTH),
        lunar.lunar_days(*lunar.MID_AUTUMN),
        lunar.lunar_days(*lunar.DOUBLE_NINTH),
        lunar.winter_solstice,
    )
    found = [feast(year) for feast in days_of_year]
    starts = [span[0] for span in found if span is not None]
    assert len(starts) == len(days_of_year)
    assert starts == sorted(starts)
    assert date(year, 1, 21) <= starts[0] <= date(year, 2, 20)
    # a lunar month has 29 or 30 days, and the table leaves a leap month out of none of them
    assert (starts[5] - starts[4]).days in (23, 24)
    assert 29 + 38 - 7 <= (starts[3] - starts[2]).days <= 93


@given(st.integers(2000, 2049))
def test_a_chinese_year_ends_where_the_next_begins(year: int) -> None:
    last_month, next_year = lunar.lunar_month(lunar.LAST_MONTH)(year), lunar.lunar_days(*lunar.NEW_YEAR)(year + 1)
    assert last_month is not None
    assert next_year is not None
    # where a month was put in after the twelfth, it would come between; 2000 to 2050 have none
    assert last_month[1] + timedelta(days=1) == next_year[0]


def test_a_feast_is_the_callers_day() -> None:
    now = datetime(2026, 12, 24, 20, tzinfo=UTC)
    assert days("at Christmas", now, SHANGHAI)[0] == "2026-12-25"
    assert days("at Christmas", now, NEW_YORK)[0] == "2025-12-25"
