"""The small words that no comparison of contents sees: to or from, on or off, can or must, last or next."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from .tokens import Token

_PAST = "@past"
_DOUBLED = "@doubled"

Pairs = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Particles:
    """The tables of data/particles.toml; a pair stands in both orders."""

    apart: Pairs
    opposed: Pairs
    modal: Pairs
    limits: frozenset[str]
    more: frozenset[str]
    known: frozenset[str]


@cache
def load() -> Particles:
    """Read the tables."""
    table = tomllib.loads(files(__package__).joinpath("data/particles.toml").read_text("utf-8"))
    apart, opposed, modal = (_pairs(table[name]) for name in ("apart", "opposed", "modal"))
    limits, more = frozenset(table["limits"]), frozenset(table["more"])
    return Particles(apart, opposed, modal, limits, more, (limits | more).union(*apart, *opposed, *modal))


def _pairs(sides: Iterable[list[list[str]]]) -> Pairs:
    one_way = {(a, b) for first, second in sides for a in first for b in second}
    return frozenset(one_way | {(b, a) for a, b in one_way})


def particles(tokens: Iterable[Token], past: bool, doubled: bool) -> frozenset[str]:
    """The particles among the tokens of a clause, by their keys; `past`: the clause is in a past tense;
    `doubled`: it denies a denial."""
    known = load().known
    return frozenset([t.key for t in tokens if t.key in known] + [_PAST] * past + [_DOUBLED] * doubled)


def paired(old: frozenset[str], new: frozenset[str], pairs: Pairs) -> bool:
    """Whether each side has a particle of a pair whose other one only the other side has."""
    gone, come = old - new, new - old
    return bool(gone) and bool(come) and any((a, b) in pairs for a in gone for b in come)
