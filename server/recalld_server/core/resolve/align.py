"""Lay two frames side by side: which tokens they share, which slot of each differs, and of what kind the difference is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .frames import QUANTITY, Frame
from .lexicon import Role
from .tokens import Token

_NAMES = frozenset({Role.CODE, Role.IDENT})
_CHOICES = frozenset({Role.EXCLUSIVE, Role.KIN})


@dataclass(frozen=True, slots=True)
class Difference:
    """The tokens that only the old or only the new frame has, in their order, and the keys that both have."""

    old: tuple[Token, ...]
    new: tuple[Token, ...]
    common: frozenset[str]

    @property
    def two_sided(self) -> bool:
        """Each frame has something that the other has not."""
        return bool(self.old) and bool(self.new)

    @property
    def none(self) -> bool:
        """Both frames have the same content."""
        return not self.old and not self.new


def difference(old: Iterable[Token], new: Iterable[Token], ignored: frozenset[str] = frozenset()) -> Difference:
    """Compare two token sequences as sets of keys, without the `ignored` keys."""
    old, new = tuple(old), tuple(new)
    old_keys = {t.key for t in old}
    new_keys = {t.key for t in new}
    return Difference(
        old=tuple(t for t in old if t.key not in new_keys and t.key not in ignored),
        new=tuple(t for t in new if t.key not in old_keys and t.key not in ignored),
        common=frozenset(old_keys & new_keys),
    )


def keys(tokens: Iterable[Token]) -> frozenset[str]:
    """Return the keys of tokens."""
    return frozenset(t.key for t in tokens)


def quantities(tokens: tuple[Token, ...]) -> bool:
    """Whether there is something and all of it is numbers, times and units."""
    return bool(tokens) and all(t.role in QUANTITY for t in tokens)


def measured(tokens: Iterable[Token]) -> bool:
    """Whether a number or a time is among the tokens."""
    return any(t.role in (Role.NUMBER, Role.TIME) for t in tokens)


def timed(tokens: Iterable[Token]) -> bool:
    """Whether a clock time or a date is among the tokens."""
    return any(t.role is Role.TIME for t in tokens)


def named(tokens: tuple[Token, ...]) -> bool:
    """Whether there is something and all of it is written as names or codes."""
    return bool(tokens) and all(t.name or t.role in _NAMES for t in tokens)


def alternatives(old: tuple[Token, ...], new: tuple[Token, ...], role: Role | None = None) -> frozenset[str]:
    """Return the groups of which each side holds another member, so that they are a choice."""
    roles = _CHOICES if role is None else frozenset({role})
    return frozenset(t.group for t in old if t.role in roles) & frozenset(t.group for t in new if t.role in roles)


def chosen(tokens: tuple[Token, ...], groups: frozenset[str]) -> bool:
    """Whether the tokens are members of the groups and nothing else."""
    return all(t.group in groups for t in tokens)


def same_things(old: Frame, new: Frame) -> bool:
    """Whether persons, animals and numbered things are the same on both sides."""
    return _things(old) == _things(new)


def _things(frame: Frame) -> frozenset[str]:
    return frozenset(t.key for t in frame.content if t.role in (Role.PERSON, Role.IDENT))


def actors(frame: Frame) -> tuple[str, ...]:
    """The persons and names in the order of the text: who does what to whom."""
    return tuple(t.key for t in frame.content if t.role is Role.PERSON or t.name)
