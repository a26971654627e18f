"""Split a statement into clauses, and take out of a clause what is not its statement: hearsay, reasons, given-up values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .lexicon import Role
from .tokens import Token

CONTENT = frozenset(
    {
        Role.PERSON, Role.SCOPE, Role.EXCLUSIVE, Role.KIN, Role.PLAIN, Role.UNIT, Role.NUMBERED, Role.NUMBER, Role.TIME,
        Role.CODE, Role.IDENT, Role.WORD, Role.CHAR,
    }
)  # fmt: skip
QUANTITY = frozenset({Role.NUMBER, Role.TIME, Role.UNIT})
_PREDICATE = frozenset(
    {Role.HEAD, Role.COPULA, Role.REPLACING, Role.REPLACING_AMOUNT, Role.EXCLUSIVE, Role.ENDED, Role.PAST}
)
REPLACING_FORMS = frozenset({"replacing", "left_replacing"})
_LINK_STOPS = frozenset({Role.REPLACING, Role.HEAD, Role.COPULA, Role.REJECTING})
_VERBS = frozenset({Role.REPLACING, Role.ENDED, Role.COPULA})
_VERB_FORMS = frozenset({"verb", "left", "replacing", "left_replacing"})
_BEFORE_VERB = frozenset({Role.FILLER, Role.NOW, Role.NEGATION, Role.ADDITION, Role.SELF})
_VALUE_AFTER = {"rejecting": frozenset[str](), "from": frozenset({"to"}), "replace": frozenset({"with", "by"})}
_SUBORDINATE = frozenset({"before", "after", "when", "to", "if", "while"})
_TASTES = frozenset({"prefer", "like"})
_THAN = frozenset({"over", "than", "胜过", "多过", "甚于"})
_BOUNDARIES = frozenset({"而是", "but", "但", "但是"})


def clauses(tokens: Sequence[Token]) -> list[list[Token]]:
    """Split at stops, and at commas and "and" where both sides say something of their own."""
    sentences: list[list[list[Token]]] = [[[]]]
    for i, token in enumerate(tokens):
        if token.role in (Role.STOP, Role.QUESTION):
            sentences.append([[]])
        elif token.role is Role.COMMA:
            sentences[-1].append([])
        elif token.key in _BOUNDARIES and sentences[-1][-1]:
            sentences[-1].append([token])
        elif token.role is Role.CONJUNCTION and _begins(tokens, i + 1) and _predicates(sentences[-1][-1]):
            sentences[-1].append([])
        else:
            sentences[-1][-1].append(token)
    return [clause for sentence in sentences for clause in _joined([segment for segment in sentence if segment])]


def _predicates(segment: Sequence[Token]) -> bool:
    return any(t.role in _PREDICATE for t in segment) and segment[0].key not in _SUBORDINATE


def _begins(tokens: Sequence[Token], at: int) -> bool:
    """Whether a verb of the tables stands at `at`, a cue or a filler before it left out: "and now drives"."""
    following = next((t for t in tokens[at : at + 4] if t.role not in _BEFORE_VERB), None)
    return following is not None and (following.role in _VERBS or not _VERB_FORMS.isdisjoint(following.forms))


def _joined(segments: list[list[Token]]) -> list[list[Token]]:
    """Put fragments (", Pudong", ", not tabs", "To deploy, ") to the clause that they belong to."""
    joined: list[list[Token]] = []
    waiting: list[Token] = []
    for segment in segments:
        own = _predicates(segment) or segment[0].role is Role.NOW
        if own or not joined:
            if own:
                joined.append(waiting + segment)
                waiting = []
            else:
                waiting += segment
        elif segment[0].role is Role.NEGATION and len(segment) > 1:
            joined[-1] = [*joined[-1], Token("rejecting", Role.REJECTING), *segment[1:]]
        else:
            joined[-1] = joined[-1] + segment
    if waiting:
        joined.append(waiting)
    return joined


def reporter(clause: Sequence[Token]) -> frozenset[str]:
    """Who says it, by the keys of the words, where it is somebody other than the person of the memory."""
    for i, token in enumerate(clause):
        if token.role is Role.REPORT:
            return frozenset(t.key for t in clause[:i] if t.role in CONTENT or t.role is Role.HEAD)
        if token.key == "according to":
            return frozenset(t.key for t in clause[i + 1 : i + 2])
    return frozenset()


class Stated(NamedTuple):
    """What a clause itself states; the keys of its reason, of the values that it gives up, and of those that it likes
    less than its own."""

    tokens: list[Token]
    reason: frozenset[str]
    rejected: frozenset[str]
    lesser: frozenset[str]


def stated(clause: list[Token]) -> Stated:
    """Take out of a clause what is not its statement."""
    tokens, reason = _without_reason(_settled(_unreported(clause)))
    tokens, lesser = _without_lesser(tokens)
    tokens, rejected = _without_rejected(tokens)
    return Stated(tokens, reason, rejected, lesser)


def _unreported(clause: list[Token]) -> list[Token]:
    """The clause without "Mark says", "according to Jo", "听小陈说"."""
    for i, token in enumerate(clause):
        if token.role is Role.REPORT and i + 1 < len(clause):
            return clause[i + 1 :]
        if token.key == "according to" and i + 2 < len(clause):
            return clause[:i] + clause[i + 2 :]
    return clause


def _settled(clause: list[Token]) -> list[Token]:
    """Decide the verbs that change a value only before a number or a time."""
    out = list(clause)
    for i, token in enumerate(clause):
        if token.role is Role.REPLACING_AMOUNT:
            amount = any(t.role in QUANTITY for t in clause[i + 1 :])
            out[i] = token._replace(role=Role.REPLACING) if amount else Token(token.key.split()[0], Role.WORD)
    return out


def _without_reason(clause: list[Token]) -> tuple[list[Token], frozenset[str]]:
    for i, token in enumerate(clause):
        timed = token.role is Role.REASON_OR_TIME and not any(t.role in QUANTITY for t in clause[i + 1 : i + 3])
        if (token.role is Role.REASON or timed) and i > 1:
            return clause[:i], frozenset(t.key for t in clause[i:] if t.role in CONTENT)
    return clause, frozenset()


def _without_lesser(clause: list[Token]) -> tuple[list[Token], frozenset[str]]:
    """The clause without what a preference is measured by: "tea over coffee", 茶胜过咖啡."""
    prefers = next((i for i, t in enumerate(clause) if t.role is Role.HEAD and t.key in _TASTES), None)
    if prefers is not None:
        for i in range(prefers + 1, len(clause)):
            than = clause[i].key in _THAN or (clause[i].key == "to" and clause[prefers].key == "prefer")
            if than and any(t.role in CONTENT for t in clause[prefers:i]):
                return clause[:i], frozenset(t.key for t in clause[i + 1 :] if t.role in CONTENT or t.role is Role.HEAD)
    return clause, frozenset()


def _without_rejected(clause: list[Token]) -> tuple[list[Token], frozenset[str]]:
    """Take out the values that the clause itself gives up: "instead of X", "from X to", "replaced X with"."""
    changing = any(map(changes, clause))
    kept: list[Token] = []
    rejected: set[str] = set()
    taking = ""
    for token in clause:
        if taking and (token.role in _LINK_STOPS or token.key in _VALUE_AFTER[taking]):
            taking = ""
        if token.role is Role.REJECTING:
            taking = "rejecting"
        elif changing and token.role is Role.FROM:
            taking = "from"
        elif token.role is Role.REPLACING and token.key.endswith(" from"):
            taking = "from"
            kept.append(token)
        elif token.key == "replace":
            taking = "replace"
            kept.append(token)
        elif taking and token.role in CONTENT:
            rejected.add(token.key)
        elif not taking or token.role not in CONTENT:
            kept.append(token)
    return (kept or clause), frozenset(rejected)


def changes(token: Token) -> bool:
    """Whether the token is a verb of change: \"switch to\", 搬到."""
    return token.role is Role.REPLACING or (bool(token.forms) and not REPLACING_FORMS.isdisjoint(token.forms))
