"""How many somebody needs, and what a field holds when it holds nothing."""

from __future__ import annotations

import pytest
from tests.unit.core.resolve.pairs import DUPLICATE, NEW, SUPERSEDES, verdict


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I need two plugs", "I need five plugs"),
        ("We need 4 tents for the camp", "We need 7 tents for the camp"),
        ("The recipe requires three lemons", "The recipe requires two lemons"),
        ("我需要两个插头", "我需要五个插头"),
        ("我要两张船票", "我要四张船票"),
        ("露营需要四顶帐篷", "露营需要七顶帐篷"),
    ],
)
def test_another_number_of_what_is_needed_supersedes(old: str, new: str) -> None:
    assert verdict(old, new) is SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I need two plugs", "I need five lamps"),
        ("I need two plugs", "Nell needs five plugs"),
        ("I need two plugs", "I have two plugs"),
        ("I have two plugs", "I need two plugs"),
        ("I need two berths to Cork", "I need three berths to Brest"),
        ("I bought two plugs", "I bought five plugs"),
        ("我需要两个插头", "我需要五个灯泡"),
        ("我有两个插头", "我需要两个插头"),
        ("我买了两个插头", "我买了五个插头"),
    ],
)
@pytest.mark.parametrize("similarity", [0.6, 0.9])
def test_other_needs_are_other_needs(old: str, new: str, similarity: float) -> None:
    assert verdict(old, new, similarity) is NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The middle name is None", "The middle name is Ines"),
        ("The default timeout is null", "The default timeout is 45 seconds"),
        ("The deadline is 9 June", "The deadline is N/A"),
        ("The port is None", "The port is 7443"),
        ("The value of y is null", "The value of y is 12"),
        ("超时是 null", "超时是 45 秒"),
        ("截止日期:无", "截止日期是6月9日"),
        ("截止日期是6月9日", "截止日期:无"),
    ],
)
def test_no_value_is_a_value(old: str, new: str) -> None:
    assert verdict(old, new) is SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("default value: None", "default value"),
        ("The value of y is None", "The value of y"),
        ("The value of y is null", "The value of z is null"),
        ("The parser yields None", "The parser yields"),
        ("My first name is Ines", "My middle name is None"),
        ("过敏史:无", "手术史:无"),
        ("这个方法返回 null", "这个方法返回"),
    ],
)
def test_no_value_denies_nothing(old: str, new: str) -> None:
    assert verdict(old, new) is NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("All of the valves leak", "None of the valves leak"),
        ("The valves leak", "None of the valves leak"),
    ],
)
def test_none_of_them_is_a_denial(old: str, new: str) -> None:
    assert verdict(old, new, 0.9) is not DUPLICATE
