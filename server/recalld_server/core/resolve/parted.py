"""Verbs of change whose two parts stand apart: "upgraded the backend to Node 22" is "the backend: upgraded to Node 22"."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from .lexicon import Entry, Role, lemma, load
from .scan import ONGOING, Token

_MOST_BETWEEN = 10
"""Tokens between the parts at most."""
_REPLACING = frozenset({Role.REPLACING, Role.REPLACING_AMOUNT})
_VERBS = frozenset({Role.WORD, Role.PLAIN, Role.EXCLUSIVE, Role.HEAD})
_ENDS = frozenset({Role.COMMA, Role.STOP, Role.QUESTION, Role.NEGATION, Role.ENDED, Role.REASON, *_REPLACING})


def joined(tokens: Sequence[Token]) -> list[Token]:
    """Put each verb of change that its object parts together behind that object, where its value begins."""
    out = list(tokens)
    if not any(token.key == "to" for token in tokens):
        return out
    at = 0
    while at < len(out):
        verb = _verb(out[at])
        end = _particle(out, at) if verb is not None else None
        if verb is not None and end is not None:
            ongoing = at > 0 and out[at - 1].role is Role.COPULA and not out[at].past
            forms = (*verb.forms, ONGOING) if ongoing else verb.forms
            out[at : end + 1] = [*out[at + 1 : end], Token(verb.key, verb.role, "", forms, past=out[at].past)]
            if at and out[at - 1].key == "them":
                # "they raised the limit": nobody in particular did
                out[at - 1] = out[at - 1]._replace(role=Role.FILLER)
            at = end - 1
        at += 1
    return out


def _verb(token: Token) -> Entry | None:
    """The verb of change that the token begins, when "to" completes it."""
    if token.role is Role.HEAD and token.key in _whole():
        # "rename" is a verb of its own and a part of "rename to"
        return Entry(token.key, token.role, "", token.forms) if _changes(token) else None
    if token.role not in _VERBS:
        return None
    lexicon = load()
    entry = lexicon.english.get((lemma(token.key, lexicon.irregular), "to"))
    return entry if isinstance(entry, Entry) and _changes(entry) else None


def _changes(word: Token | Entry) -> bool:
    return word.role in _REPLACING or "replacing" in word.forms


@cache
def _whole() -> frozenset[str]:
    """The attributes of verbs that need no "to" and may have one."""
    lexicon = load()
    return frozenset(
        entry.key
        for phrase, entry in lexicon.english.items()
        if phrase[1:] == ("to",) and isinstance(entry, Entry) and entry == lexicon.english.get(phrase[:1])
    )


def _particle(tokens: Sequence[Token], at: int) -> int | None:
    """Where the "to" stands, with something on either side of it and no other verb between."""
    for i in range(at + 1, min(len(tokens) - 1, at + _MOST_BETWEEN)):
        if tokens[i].role in _ENDS:
            return None
        if tokens[i].key == "to" and tokens[i].role is Role.FILLER:
            return i if i > at + 1 else None
    return None
