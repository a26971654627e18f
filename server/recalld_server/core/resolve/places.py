"""Where one lives and works, and where things go or are kept: what a verb says with the value that it has."""

from __future__ import annotations

from collections.abc import Sequence

from .clauses import QUANTITY
from .lexicon import Role
from .tokens import Token

_DWELLINGS = frozenset({"house", "apartment", "room"})
_PLACES = frozenset({"city", "country"})
_PLACED = frozenset({"in", "at", "在"})
_GOING = {"go_to": ("visit", "event", "visit"), "destination": ("send", "event", "send")}
"""What verbs say that tell where things go as a rule, when they tell what somebody did."""
_NAMES = frozenset({Role.CODE, Role.IDENT})


Named = tuple[str, str, str]
"""An attribute's key, arity and family."""


def meant(
    named: Named, tokens: Sequence[Token], head: int | None, subject: Sequence[Token], value: Sequence[Token]
) -> Named:
    """The attribute that the verb's own one, `named`, is in this clause."""
    key = named[0]
    if key in _GOING and head is not None:
        rule = _standing(tokens, head, subject, value)
        return ("destination", "customary", "destination") if rule else _GOING[key]
    if key == "live_with" and any(t.key in _PLACED for t in tokens):
        # where is more than with whom
        return "live", "single", "place"
    firm = [t for t in value if t.role not in QUANTITY] if key == "join" else []
    if firm and all(t.name or t.group == "company" for t in firm):
        return "work", "single", "job"
    return named


def moves_house(tokens: Sequence[Token], link: int, subject: Sequence[Token], value: Sequence[Token]) -> bool:
    """Whether somebody moves to a place; a meeting that moves, or a move to another hour, is a change like any other."""
    somebody = any(t.role is Role.SELF for t in tokens) or (
        bool(subject) and all(t.name or t.role is Role.PERSON for t in subject)
    )
    return tokens[link].key in ("move to", "move from") and somebody and _place(value)


def _place(value: Sequence[Token]) -> bool:
    """Whether one may live there, as far as the words tell: in what is written as a name, with no desk or chapter beside it."""
    named = any(t.group in _PLACES or (t.name and t.role is not Role.KIN) for t in value)
    return named and not any(t.group == "thing" and t.key not in _DWELLINGS for t in value)


def _standing(tokens: Sequence[Token], head: int, subject: Sequence[Token], value: Sequence[Token]) -> bool:
    """Whether things go to a place or are kept there as a rule: "logs go to S3", "are stored in S3", 日志写到S3; not "we went
    to", "was sent to"."""
    before = tokens[:head]
    if not subject or not value or any(t.role in (Role.SELF, Role.PERSON) or t.key == "把" for t in before):
        return False
    if tokens[head].key == "go_to":
        return not tokens[head].past and all(t.name or t.role in _NAMES for t in value)
    return not tokens[head].past or any(t.role is Role.COPULA and not t.past for t in before)
