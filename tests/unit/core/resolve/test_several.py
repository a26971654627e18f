"""Of what one may have several, another value may be another one's: only a word of change makes it the new value."""

from __future__ import annotations

import pytest
from tests.unit.core.resolve.pairs import CONFLICT, DUPLICATE, NEW, SUPERSEDES, verdict


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My rabbit is called Pip", "My rabbit is called Moss"),
        ("My hamster's name is Pip", "My hamster's name is Moss"),
        ("My daughter is called Ines", "My daughter is called Nell"),
        ("My neighbour works at Hooli", "My neighbour works at Globex"),
        ("My colleague lives in Lyon", "My colleague lives in Brest"),
        ("My train leaves at 7:05 on Monday", "My train leaves at 16:40 on Thursday"),
        ("我的兔子叫小白", "我的兔子叫灰灰"),
        ("我女儿叫朵朵", "我女儿叫苗苗"),
        ("我同事住在沈阳", "我同事住在长春"),
        ("我的火车周一7:05出发", "我的火车周四16:40出发"),
    ],
)
def test_it_may_be_another_one(old: str, new: str) -> None:
    assert verdict(old, new) is CONFLICT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My rabbit is called Pip", "My rabbit is now called Moss"),
        ("My rabbit is called Pip", "I renamed my rabbit Moss"),
        ("My rabbit is called Pip", "My rabbit is not called Pip, it is called Moss"),
        ("My daughter is called Ines", "Correction: my daughter is called Inés Maria"),
        ("My colleague lives in Lyon", "My colleague moved to Brest"),
        ("My train leaves at 7:05 on Monday", "My train leaves at 7:20 on Monday"),
        ("My train leaves at 7:05 on Monday", "My train now leaves at 16:40 on Thursday"),
        ("My wife is called Ines", "My wife is called Nell"),
        ("My mother is called Ines", "My mother is called Nell"),
        ("The project is called Otter", "The project is called Stoat"),
        ("我的兔子叫小白", "我的兔子现在叫灰灰"),
        ("我的兔子叫小白", "我的兔子改名叫灰灰了"),
        ("我同事住在沈阳", "我同事搬到长春了"),
        ("我的火车周一7:05出发", "我的火车改到周四16:40出发"),
        ("我太太叫朵朵", "我太太叫苗苗"),
    ],
)
def test_a_word_of_change_or_one_of_a_kind_tells_that_it_is_the_same_one(old: str, new: str) -> None:
    assert verdict(old, new) is SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The budget was 300 in 2022", "The budget was 450 in 2023"),
        ("I work at Hooli on Mondays", "I work at Globex on Thursdays"),
        ("Nell owes me 30 euros", "I owe Nell 45 euros"),
        ("预算2022年是300万", "预算2023年是450万"),
        ("The next version is 7", "The version is 6"),
        ("The version is 6", "The next version is 7"),
        ("We use server 5", "We now use server 6 for mail"),
        ("I'm dating Igor", "I dated Pavel"),
        ("I don't have a kayak", "I bought a tent"),
        ("I don't have a kayak", "Nell bought a kayak"),
        ("I don't have a kayak", "I want to buy a kayak"),
        ("I may move to Brest", "I live in Lyon"),
    ],
)
def test_another_time_person_or_thing_is_another_statement(old: str, new: str) -> None:
    assert verdict(old, new) is NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We use Node 16", "We now use Node 22"),
        ("I'm dating Igor", "I'm dating Pavel now"),
        ("I don't have a kayak", "I bought a kayak"),
        ("我们用Node 16", "我们现在用Node 22"),
        ("我没有皮划艇", "我买了皮划艇"),
    ],
)
def test_what_is_used_and_whom_one_dates_now_and_what_one_has_since(old: str, new: str) -> None:
    assert verdict(old, new) is SUPERSEDES


def test_may_before_a_day_is_the_month() -> None:
    assert verdict("The deadline is 8 May", "The deadline is May 8th", 0.95) is DUPLICATE


def test_the_same_name_is_the_same_statement() -> None:
    assert verdict("My rabbit is called Pip", "My rabbit's name is Pip", 0.9) is DUPLICATE
    assert verdict("我的兔子叫小白", "我的兔子名字叫小白", 0.9) is DUPLICATE
