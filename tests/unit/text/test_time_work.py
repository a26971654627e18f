"""The work that looking for times takes grows with the length of the text, whatever it is made of."""

from __future__ import annotations

import sys
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from recalld_server.text.time_ranges import LOOKED_AT, find_time_range

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 11, 18, 15, 30, tzinfo=SHANGHAI)


def calls(text: str) -> int:
    """How many function calls reading `text` takes: a measure that no other process disturbs."""
    count = 0

    def counter(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counter)
    try:
        find_time_range(text, NOW, SHANGHAI)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "piece",
    [
        "early ",
        "the end of the first week of ",
        "the night of ",
        "a few couple of half a ",
        "two or ",
        "1-",
        "1.",
        "every year in ",
        "every ",
        "last ",
        "March ",
        "from ",
        "between the last ",
        "the week of ",
        "一",
        "两三",
        "每",
        "上",
        "第",
        "从",
        "过去",
        "每个月",
        "一个",
        "1月到",
        "é ",
        "3 pm on ",
        "between 3 and ",
        "yesterday at 3 ",
        "week 42 to ",
        "new year's ",
        "昨天三点到",
        "第42周",
        "大年",
        "春节",
        "a day before ",
        "the first two days of ",
        "last year's ",
        "no later than ",
        "all of ",
        "the 3rd and the ",
        "the weekend before ",
        "last week before ",
        "yesterday and ",
        "昨天和",
        "七八",
        "1、2",
        "上周四五",
        "春节前一天",
        "2024到",
        "in 3 days ",
        "within two weeks of ",
        "this time last ",
        "two Fridays ",
        "a week ago ",
        "so far this ",
        "the weekend of ",
        "三天内",
        "1、2、3、",
        "两周前的",
        "去年这个",
        "农历八月",
        "八月十五",
        "周一鸣",
        "word ",
    ],
)
def test_the_work_grows_with_the_length_of_the_text(piece: str) -> None:
    short, long = calls(piece * 100), calls(piece * 400)
    assert long < 4.5 * short + 500


@pytest.mark.parametrize(
    ("phrase", "filler"), [("last Friday", "so it goes and goes "), ("上周五", "就这样一直写下去")]
)
def test_a_long_text_is_read_at_both_ends(phrase: str, filler: str) -> None:
    long = filler * (2 * LOOKED_AT // len(filler) + 1)
    for text in (f"{phrase} {long}", f"{long} {phrase}", f"{phrase} {filler}"):
        found = find_time_range(text, NOW, SHANGHAI)
        assert found is not None
        assert found.phrase == phrase
    assert find_time_range(f"{long} {phrase} {long}", NOW, SHANGHAI) is None


@pytest.mark.parametrize("piece", ["1 ", "from 3 ", "3、", "二十"])
def test_a_very_long_text_takes_no_more_work_than_its_ends(piece: str) -> None:
    ends = calls(piece * (2 * LOOKED_AT // len(piece)))
    assert calls(piece * (32_768 // len(piece))) < 1.5 * ends
