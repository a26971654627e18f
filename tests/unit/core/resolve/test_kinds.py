"""A diet and a denial leave out what belongs to a kind; who then likes some of it is asked about."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest
from tests.unit.core.resolve.pairs import CONFLICT, NEW, SUPERSEDES, verdict

from recalld_server.core.resolve.lexicon import Entry, load


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I'm vegetarian", "I love bacon"),
        ("I am a vegetarian", "I eat lamb"),
        ("I'm vegan", "I like yoghurt"),
        ("My daughter is vegan", "My daughter likes tuna"),
        ("I don't eat seafood", "I love crab"),
        ("I don't drink alcohol", "I enjoy whisky"),
        ("我吃素", "我爱吃排骨"),
        ("我是素食者", "我喜欢吃烤鸭"),
        ("我不吃海鲜", "我爱吃螃蟹"),
        ("我不喝酒", "我喜欢喝威士忌"),
    ],
)
def test_a_taste_that_a_diet_leaves_out_is_asked_about(first: str, second: str) -> None:
    assert verdict(first, second) is CONFLICT
    assert verdict(second, first) is CONFLICT


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I'm vegetarian", "I love cheese"),
        ("I'm vegetarian", "I hate bacon"),
        ("I'm vegetarian", "My son loves bacon"),
        ("My daughter is vegan", "I like yoghurt"),
        ("I'm vegetarian", "I used to like bacon"),
        ("I'm vegetarian", "I'm allergic to crab"),
        ("I'm vegan", "I like oat milk"),
        ("I don't eat seafood", "I love lamb"),
        ("我吃素", "我爱吃奶酪"),
        ("我吃素", "我讨厌培根"),
        ("我吃素", "我儿子爱吃烤鸭"),
        ("我不吃海鲜", "我爱吃羊肉"),
    ],
)
def test_what_a_diet_allows_or_others_eat_stays(first: str, second: str) -> None:
    assert verdict(first, second) is NEW
    assert verdict(second, first) is NEW


def test_a_diet_that_has_ended_is_superseded() -> None:
    assert verdict("I'm vegetarian", "I'm no longer vegetarian") is SUPERSEDES
    assert verdict("我吃素", "我不再吃素了") is SUPERSEDES


def test_kinds_hold_words_of_the_tables() -> None:
    lexicon = load()
    known = {e.key for table in (lexicon.english, lexicon.chinese) for e in table.values() if isinstance(e, Entry)}
    kinds = tomllib.loads(files("recalld_server.core.resolve").joinpath("data/kinds.toml").read_text("utf-8"))
    for kind, held in kinds.items():
        assert {kind, *held} - kinds.keys() <= known
