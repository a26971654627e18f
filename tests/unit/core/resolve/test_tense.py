"""What was so, what is under way, what shall be, and what happened in a year that is named."""

from __future__ import annotations

import pytest
from tests.unit.core.resolve.pairs import CONFLICT, DUPLICATE, NEW, SUPERSEDES, verdict


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I'm engaged", "I was single"),
        ("The gate is closed", "The gate was open"),
        ("The port is 7070", "The port was 7060"),
        ("I'm a pilot", "I was a nurse"),
        ("My rent is 850", "My first rent was 500"),
        ("The crew has 9 welders", "The crew had 4 welders"),
        ("I get up at 7", "I got up at 9 today"),
        ("I live in Tartu", "I was living in Ghent"),
        ("Parcel 5 is shipped", "Parcel 5 was blocked at first"),
        ("端口是7070", "端口起初是7060"),
        ("我是飞行员", "我当初是护士"),
    ],
)
@pytest.mark.parametrize("similarity", [0.6, 0.9])
def test_what_was_so_ends_nothing(old: str, new: str, similarity: float) -> None:
    assert verdict(old, new, similarity) is NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The gate is unlocked", "The gate was locked yesterday"),
        ("The office is in Tartu", "The office was moved to Ghent"),
        ("I moved to Tartu in 2009", "I moved to Ghent in 2015"),
        ("The launch is in May 2026", "The launch was postponed to March 2027"),
        ("The port is 7060", "Correction: the port was 7070"),
    ],
)
def test_what_became_of_a_thing_and_what_is_corrected_ends_what_was(old: str, new: str) -> None:
    assert verdict(old, new) is SUPERSEDES


def test_to_have_had_a_thing_is_not_to_have_it() -> None:
    assert verdict("I have a scooter", "I had a scooter", 0.95) is CONFLICT
    assert verdict("I have to file the report", "I had to file the report", 0.95) is not SUPERSEDES


def test_of_what_was_one_account_is_wrong() -> None:
    assert verdict("The outage was planned", "The outage was not planned") is CONFLICT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The office is in Tartu", "The office is moving to Ghent"),
        ("The team is in Tartu", "The team is being moved to Ghent"),
        ("We use SQLite", "We are migrating to MariaDB"),
        ("The limit is 30", "The limit is being raised to 60"),
        ("The limit is 30", "We should raise the limit to 60"),
        ("The limit is 30", "The limit will go up to 60"),
        ("办公室在塔林", "办公室正在搬到根特"),
        ("辦公室在塔林", "辦公室正在搬到根特"),
        ("限额是30", "限额应该提高到60"),
    ],
)
def test_what_is_under_way_or_ought_to_be_ends_nothing(old: str, new: str) -> None:
    assert verdict(old, new) is NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The retro is on Monday", "The retro will be moved to Thursday"),
        ("The deadline is 3 May", "The deadline is moving to 10 May"),
        ("The limit is 30", "The limit is set to 60"),
        ("班会在周一", "班会将改到周四"),
    ],
)
def test_another_day_is_so_as_soon_as_it_is_said(old: str, new: str) -> None:
    assert verdict(old, new) is SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Tartu", "I moved to Ghent in 2009"),
        ("I'm engaged", "I got divorced in 2009"),
        ("I work at Initech", "I joined Hooli in May 2009"),
        ("I have a scooter", "My scooter was stolen in 2009"),
        ("I moved to Ghent in 2015", "I moved to Tartu in 2009"),
    ],
)
def test_what_happened_in_a_year_may_have_come_first(old: str, new: str) -> None:
    assert verdict(old, new) is CONFLICT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Tartu", "I moved to Ghent when I was nine"),
        ("我住在塔林", "我小时候搬到根特"),
        ("我养了一只鹦鹉", "我小时候的鹦鹉死了"),
    ],
)
def test_what_happened_long_ago_ends_nothing(old: str, new: str) -> None:
    assert verdict(old, new) is NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I work at Initech", "I joined a choir"),
        ("I work at Initech", "I joined the call late"),
        ("I live in Tartu", "I moved to a new desk"),
        ("I live in Tartu", "I moved to the second chapter"),
        ("我在美团上班", "我加入了合唱团"),
    ],
)
def test_one_joins_and_moves_to_other_things_too(old: str, new: str) -> None:
    assert verdict(old, new) is NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I work at Initech", "I joined Hooli"),
        ("I live in Tartu", "I moved to a flat in Ghent"),
        ("我在美团上班", "我加入了字节跳动"),
    ],
)
def test_who_joins_a_firm_or_moves_to_a_place_is_there(old: str, new: str) -> None:
    assert verdict(old, new) is SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I smoke", "I can't quit smoking"),
        ("I work at Hooli", "I didn't quit Hooli"),
        ("I use Ubuntu", "I switched from Fedora to Ubuntu"),
        ("我抽烟", "我没戒烟"),
    ],
)
def test_what_is_denied_or_given_up_beside_it_says_more(old: str, new: str) -> None:
    assert verdict(old, new, 0.95) not in (DUPLICATE, SUPERSEDES)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I swim every day", "I didn't swim today"),
        ("I like my job", "I didn't like my job last year"),
        ("我每天游泳", "我今天没游泳"),
        ("我每天喝豆漿", "我昨天沒喝豆漿"),
    ],
)
@pytest.mark.parametrize("similarity", [0.6, 0.9])
def test_what_was_not_so_on_one_day_ends_no_habit(old: str, new: str, similarity: float) -> None:
    assert verdict(old, new, similarity) is NEW


@pytest.mark.parametrize(
    ("habit", "day"),
    [
        ("I go to the sauna", "I went to the sauna today"),
        ("I take the tram", "I took the tram yesterday"),
        ("I drink mate", "I drank mate today"),
        ("Ines visits her uncle", "Ines visited her uncle today"),
        ("We release the app", "We released the app yesterday"),
        ("我去游泳馆", "我昨天去游泳馆了"),
        ("我喝普洱茶", "我今天喝了普洱茶"),
    ],
)
def test_what_was_done_on_one_day_is_kept_beside_what_is_done_and_the_other_way_round(habit: str, day: str) -> None:
    assert verdict(habit, day, 0.95) is NEW
    assert verdict(day, habit, 0.95) is NEW
