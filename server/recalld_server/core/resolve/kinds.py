"""What a word leaves out: the foods that a diet does without, in a word for all of them, and what somebody cannot have who is single."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from .tokens import Token

_DIET = "diet"
_FOODS = frozenset({"food", "drink_kind"})


@cache
def _kinds() -> dict[str, frozenset[str]]:
    """Every kind with all that it holds, itself too."""
    table = tomllib.loads(files(__package__).joinpath("data/kinds.toml").read_text("utf-8"))

    def held(key: str) -> frozenset[str]:
        return frozenset({key}).union(*map(held, table.get(key, ())))

    return {key: held(key) for key in table}


@cache
def lacking() -> dict[str, frozenset[str]]:
    """What there is no room for, by the state."""
    table = tomllib.loads(files(__package__).joinpath("data/lacking.toml").read_text("utf-8"))
    return {state: frozenset(things) for state, things in table.items()}


def eaten(family: str, value: Sequence[Token]) -> frozenset[str]:
    """The foods that a clause of a taste speaks of, when it speaks of nothing else."""
    if family != "taste" or not all(t.group in _FOODS for t in value):
        return frozenset()
    return frozenset([t.key for t in value])


def left_out(family: str, value: Sequence[Token], negative: bool) -> frozenset[str]:
    """The foods that somebody does not take: those that a clause denies, or those that a diet leaves out."""
    if negative:
        named = eaten(family, value)
    else:
        named = frozenset([t.key for t in value]) if value and all(t.group == _DIET for t in value) else frozenset()
    return frozenset[str]().union(*(_kinds().get(key, {key}) for key in named))
