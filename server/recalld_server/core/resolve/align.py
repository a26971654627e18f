"""Lay two frames side by side: which tokens they share, which slot of each differs, and of what kind the difference is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from .clauses import QUANTITY
from .frames import Frame
from .lexicon import Role, load
from .tokens import Token

_NAMES = frozenset({Role.CODE, Role.IDENT})
_WEAK = frozenset({"single", "choice"})
MEANS = frozenset({"use", "commute"})
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
    old_keys, new_keys = keys(old), keys(new)
    return Difference(
        old=_surplus(old, new, new_keys, ignored),
        new=_surplus(new, old, old_keys, ignored),
        common=old_keys & new_keys,
    )


def _surplus(
    tokens: tuple[Token, ...], others: tuple[Token, ...], known: frozenset[str], ignored: frozenset[str]
) -> tuple[Token, ...]:
    """The tokens that the others lack, without the ignored. A number counts as often as it is said: one cup a day is not
    four in one day."""
    left: Counter[str] | None = None
    out = []
    for token in tokens:
        if token.key in known:
            if token.role is not Role.NUMBER:
                continue
            if left is None:
                left = Counter(t.key for t in others if t.role is Role.NUMBER)
            left[token.key] -= 1
            if left[token.key] >= 0:
                continue
        if token.key not in ignored:
            out.append(token)
    return tuple(out)


def keys(tokens: Iterable[Token]) -> frozenset[str]:
    """Return the keys of tokens."""
    return frozenset(t.key for t in tokens)


def told(frame: Frame, other: Frame) -> tuple[Token, ...]:
    """Return a frame's content as it compares with the other's: with the noun of its attribute when the other frame has no
    attribute, without a noun that says what the verb of one of them says."""
    if frame.topic and not other.attribute and load().attributes[frame.topic].implied_by not in groups_of(frame.value):
        return (*frame.content, Token(frame.topic, Role.WORD))
    if bool(frame.attribute) is bool(other.attribute):
        return frame.content
    said = load().attributes[frame.attribute or other.attribute].says
    return tuple(t for t in frame.content if t.key not in said) if said else frame.content


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


def groups_of(tokens: Iterable[Token]) -> frozenset[str]:
    """Return the groups of values of a kind that the tokens are members of."""
    return frozenset(t.group for t in tokens if t.role in _CHOICES)


def chosen(tokens: tuple[Token, ...], groups: frozenset[str]) -> bool:
    """Whether the tokens are members of the groups and nothing else."""
    return all(t.group in groups for t in tokens)


def same_attribute(old: Frame, new: Frame) -> bool:
    """Whether both are of one attribute, or of two of one family."""
    return old.attribute == new.attribute or (bool(old.family) and old.family == new.family)


def comparable(old: Frame, new: Frame) -> bool:
    """Whether both may speak of one attribute: it is the same, or one of them names none and its verb says no other thing."""
    if old.attribute and new.attribute:
        return same_attribute(old, new)
    stated, bare = (old, new) if old.attribute else (new, old)
    if not stated.attribute or stated.topic or bare.ended or bare.replacing:
        return True
    if bare.having:
        return stated.having
    # to like or to buy a thing is more than that there is one; to use it may be what "is on" or "runs" say
    return stated.arity in _WEAK or stated.attribute in MEANS


def same_things(old: Frame, new: Frame) -> bool:
    """Whether persons, animals and numbered things are the same on both sides."""
    return old.things == new.things


def relabelled(old: Frame, new: Frame) -> bool:
    """Whether the things that differ are one thing with another number on each side: Node 18 and Node 22."""
    gone, come = old.things - new.things, new.things - old.things
    labels = {label for thing in gone | come for label in [thing.partition("#")[0]]}
    return len(gone) == len(come) == 1 and len(labels) == 1


def other_script(old: tuple[Token, ...], new: tuple[Token, ...]) -> bool:
    """Whether one side is unknown Chinese and the other unknown Latin: 浦东 and Pudong may be one place."""
    roles = {t.role for t in old}, {t.role for t in new}
    unknown = {Role.CHAR}, {Role.WORD}
    return roles == unknown or roles == unknown[::-1]


def same_kind(old: tuple[Token, ...], new: tuple[Token, ...]) -> bool:
    """Whether both sides are things of one kind of writing: names, "a" with a noun, Chinese words, or numbers."""
    return _writing(old) == _writing(new) != ""


def other_kind(old: tuple[Token, ...], new: tuple[Token, ...]) -> bool:
    """Whether one side is a name or an amount and the other is not: "flaky" and "CI"."""
    return _writing(old) != _writing(new)


def _writing(tokens: tuple[Token, ...]) -> str:
    if quantities(tokens):
        return "quantity"
    if any(t.name or t.role in (Role.CODE, Role.IDENT, Role.KIN) for t in tokens):
        return "name"
    if any(t.noun for t in tokens):
        return "noun"
    return "han" if tokens and all(t.role in (Role.CHAR, Role.NUMBER) for t in tokens) else ""


def soft(tokens: tuple[Token, ...]) -> bool:
    """Whether there are at most two tokens and they are words that the tables do not know, none of them a name."""
    return len(tokens) <= 2 and all(t.role in (Role.WORD, Role.CHAR) and not t.name for t in tokens)


def digits(tokens: tuple[Token, ...]) -> bool:
    """Whether there is something and all of it is numbers and codes with digits."""
    return bool(tokens) and all(t.role in (Role.NUMBER, Role.CODE) and any(c.isdigit() for c in t.key) for t in tokens)


def numbers(frame: Frame) -> tuple[str, ...]:
    """The plain numbers in the order of the text: two cats and three dogs are not three cats and two dogs."""
    return tuple(t.key for t in frame.content if t.role is Role.NUMBER)
