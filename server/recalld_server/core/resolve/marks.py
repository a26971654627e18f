"""What single words of a clause tell, wherever in it they stand: possession, labels, who is named first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from .lexicon import Role
from .tokens import MOMENT, Token

_NOUNS = frozenset({Role.WORD, Role.CHAR, Role.PLAIN, Role.KIN})
_OPENING = frozenset({"the", "in", "on", "at", "for", "by"})
_NAMING = _NOUNS | {Role.HEAD, Role.MEASURE, Role.UNIT}
_HAVING = frozenset({"have", "get", "有", "没有"})
_EACH = frozenset({"per", "每", "每个"})
EACH = "each "
"""What a purpose begins with that is one of many: "per user"."""
_WHICH = frozenset({"last", "next"})
_RECIPIENTS = frozenset({"to", "给"})


def without_recipient(tokens: list[Token], head: int | None) -> list[Token]:
    """The clause up to whom or what a thing goes to: who sells a car to Jo no longer has it, like anybody who sells one."""
    goes_to = (i for i, t in enumerate(tokens) if head is not None and i > head and t.key in _RECIPIENTS)
    return tokens[: next(goes_to, None)]


def labels(tokens: Sequence[Token]) -> frozenset[str]:
    """The numbers right behind a word and before no unit ("task three is done"), and one that begins the clause: "in 2024",
    3楼."""
    first = next((t for t in tokens if t.key not in _OPENING), tokens[0])
    found = {first.key} if first.role is Role.NUMBER else set()
    for before, token, after in zip(tokens, tokens[1:], (*tokens[2:], None), strict=False):
        if token.role is Role.NUMBER and before.role in _NAMING and (after is None or after.role is not Role.UNIT):
            found.add(token.key)
    return frozenset(found)


def pairs(tokens: Sequence[Token]) -> frozenset[tuple[str, str]]:
    """The words that stand side by side; in "the port of our gateway is open" the gateway describes nothing behind it."""
    found = set()
    owner = False
    for a, b in pairwise(tokens):
        if a.role in _NOUNS and b.role in _NOUNS and not a.name and not owner:
            found.add((a.key, b.key))
        owner = a.key == "of" or (owner and a.role in (Role.SELF, Role.FILLER))
    return frozenset(found)


def before_self(tokens: Sequence[Token]) -> frozenset[str] | None:
    """The persons and names that stand before the person of the memory; None when that one is not named."""
    at = next((i for i, t in enumerate(tokens) if t.role is Role.SELF), None)
    return None if at is None else frozenset([t.key for t in tokens[:at] if t.name or t.role is Role.PERSON])


def purpose(tokens: Sequence[Token]) -> str:
    """For whom or what it holds: the word behind "for", where it is no amount, or "each" with one behind "per"; empty where
    there is none."""
    for token, after in pairwise(tokens):
        if token.key == "for" and after.role in _NOUNS:
            return after.key
        if token.key in _EACH and (after.role in _NOUNS or after.key == "customer"):
            return EACH + after.key
    return ""


def which(tokens: Sequence[Token]) -> str:
    """ "next" or "last" at the head of a clause, behind "the" or "my" or nothing; empty where there is none."""
    begins = 1 if tokens[0].role in (Role.FILLER, Role.SELF) and tokens[0].key not in _WHICH else 0
    return tokens[begins].key if begins < len(tokens) and tokens[begins].key in _WHICH else ""


def has(tokens: Sequence[Token]) -> bool:
    """Whether the clause says that somebody has something; "has broken" says something else."""
    return any(t.key in _HAVING and not after.past for t, after in pairwise(tokens))


def lasting(tokens: Iterable[Token]) -> tuple[Token, ...]:
    """Without the moment at which something ended or changed."""
    return tuple(t for t in tokens if not t.key.startswith(MOMENT))
