"""One key for one thing, however it is written."""

from __future__ import annotations

import pytest

from recalld_server.core.resolve.normalise import normalise
from recalld_server.core.resolve.tokens import tokenise


def keys(text: str) -> list[str]:
    return [token.key for token in tokenise(normalise(text)) if token.role not in ("filler", "measure", "stop")]


@pytest.mark.parametrize(
    ("writings", "key"),
    [
        (["12", "twelve", "十二"], "#12"),
        (["3,200", "3200", "三千二百"], "#3200"),
        (["twenty-five", "25", "二十五"], "#25"),
        (["two hundred and five", "205", "二百零五"], "#205"),
        (["3 October", "October 3rd", "10月3日", "十月三号"], "@date:10-03"),
        (["2026-10-03", "2026年10月3日"], "@date:2026-10-03"),
        (["2 am", "02:00", "凌晨两点", "2 a.m."], "@clock:02:00"),
        (["3:30 pm", "15:30", "下午三点半"], "@clock:15:30"),
        (["Friday", "Fridays", "周五", "星期五", "每周五"], "@day:5"),
        (["next Friday", "下周五"], "@day:+5"),
        (["Shanghai", "上海"], "shanghai"),
        (["mum", "Mom's", "妈妈", "媽媽"], "mother"),
        (["C++"], "C++"),
        (["PAY-381"], "pay-381"),
        (["order 1182", "订单1182"], "order#1182"),
    ],
)
def test_writings_of_one_thing(writings: list[str], key: str) -> None:
    for writing in writings:
        assert keys(writing) == [key], writing


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("10⁵", "105"),
        ("1.5", "15"),
        ("-5", "5"),
        ("C", "C++"),
        ("aB3x", "ab3x"),
        ("Carole met us", "Carol met us"),
        ("👍", "👎"),
        ("周三", "下周三"),
        ("a < b", "a > b"),
        ("十分喜欢", "十个"),
    ],
)
def test_other_things_have_other_keys(first: str, second: str) -> None:
    assert keys(first) != keys(second)


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        ("$35", ["#35", "usd"]),
        ("35 dollars", ["#35", "usd"]),
        ("64GB内存", ["#64", "gb", "memory_size"]),
        ("三千块", ["#3000", "cny"]),
    ],
)
def test_amounts_have_a_number_and_a_unit(amount: str, expected: list[str]) -> None:
    assert keys(amount) == expected


def test_other_scripts_are_words_too() -> None:
    assert keys("Анна живёт") == ["анна", "живёт"]
    assert keys("カフェ") == ["カフェ"]
