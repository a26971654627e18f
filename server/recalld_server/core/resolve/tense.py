"""Of what time a clause speaks: of what was, of what is yet to come, of a year that it names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .clauses import CONTENT, changes
from .lexicon import Role
from .regions import STATES
from .scan import ONGOING
from .tokens import Token

_WHERE = frozenset({"live", "live_with", "destination", "work", "study", "job"})
_OUGHT = frozenset({"should", "ought", "must", "have to", "need to", "would", "应该", "应当", "必须"})
_WILL = frozenset({"will", "be going to", "将", "将要", "将会", "要"})
_YET = _OUGHT | _WILL | {"next", "tomorrow", "明天", "明年", "下个月", "下周末"}
_RIGHT_NOW = frozenset({"正在", "正"})
_NOT_HAVING = frozenset({"to", "better"})
ONE_DAY = frozenset({"today", "yesterday", "tonight", "今天", "昨天", "今早", "今晚", "昨晚"})
_THEN = frozenset({"back then", "at that time", "as a child", "小时候", "当时", "那时"})
_CENTURIES = ("#19", "#20")
_BEGINS = frozenset({"起", "since"})
_LONG_TIME = frozenset({Role.TIME, Role.UNIT, Role.NUMBER})


def past_tense(tokens: Sequence[Token], head: int | None, link: int | None) -> bool:
    """Whether the clause's verb is an English past tense; a participle after "is" or "has" is not."""
    if tokens[-1].key == "before" or any(t.key == "do" and t.past for t in tokens) or _was(tokens, head, link):
        return True
    if head is None and link is not None:
        return False
    verb = (i for i, t in enumerate(tokens) if t.past and t.role in (Role.WORD, Role.PLAIN))
    at = head if head is not None else next(verb, None)
    if at is None:
        return _had(tokens)
    if not tokens[at].past:
        return False
    return not any(t.role in (Role.COPULA, Role.REPLACING) or t.key == "have" for t in tokens[:at])


def one_day(tokens: Sequence[Token]) -> bool:
    """Whether it is of one day: who did not run today runs on other days."""
    return any(t.key in ONE_DAY for t in tokens)


def _was(tokens: Sequence[Token], head: int | None, link: int | None) -> bool:
    """Whether "was" or "were" says it, and no participle tells what became of it: "was open", "was living in"."""
    at = link if link is not None and tokens[link].role is Role.COPULA else None
    if at is None and head is not None and not tokens[head].past and "verb" in tokens[head].forms:
        at = next((i for i in range(head) if tokens[i].role is Role.COPULA), None)
    if at is None or not tokens[at].past:
        return False
    said = next((t for t in tokens[at + 1 :] if t.role in CONTENT or t.role is Role.HEAD), None)
    return said is None or not (said.past and ("verb" in said.forms or said.group in STATES))


def _had(tokens: Sequence[Token]) -> bool:
    """Whether somebody had something: not "had to", "had been", "had moved"."""
    return any(
        t.key == "have" and t.past and not (after.past or after.role is Role.COPULA or after.key in _NOT_HAVING)
        for t, after in pairwise(tokens)
    )


def then(tokens: Sequence[Token]) -> bool:
    """Whether a change is told of a time long gone: "when I was ten", 小时候."""
    if any(t.key in _THEN for t in tokens):
        return True
    when = next((i for i, t in enumerate(tokens) if t.key == "when"), len(tokens))
    return any(t.role is Role.COPULA and t.past for t in tokens[when:])


def year(tokens: Sequence[Token]) -> int:
    """The year in which it happened, 0 where none is named: "in 2010", 2010年; "since 2010" says that it goes on."""
    for i, token in enumerate(tokens):
        if token.role is Role.NUMBER and len(token.key) == 5 and token.key.startswith(_CENTURIES):
            before, after = tokens[i - 1] if i else None, [t.key for t in tokens[i + 1 : i + 3]]
            led = before is not None and (before.key == "in" or before.key.startswith("@month"))
            if (led or after[:1] == ["year"]) and _BEGINS.isdisjoint(after):
                return int(token.key[1:])
    return 0


def intended(tokens: Sequence[Token], key: str, ends: bool) -> bool:
    """Whether an end or a change is yet to come: "I should quit", "I will move to Cork", "the limit must go up to 9",
    我明年要离职. What will be at another hour or day is so already, for who plans by it."""
    at = next((i for i, t in enumerate(tokens) if changes(t) or ONGOING in t.forms), None)
    if ends or key in _WHERE or any(t.role is Role.ENDED for t in tokens):
        return _under_way(tokens, at) or (any(t.key in _YET for t in tokens) and not _given_up(tokens))
    if at is None:
        return False
    before = {t.key for t in tokens[:at]}
    said = [t for t in tokens[at + 1 :] if t.role in CONTENT]
    timed = all(t.role is Role.TIME or t.group == "time_of_day" for t in said)
    return not before.isdisjoint(_OUGHT) or (not timed and (not before.isdisjoint(_WILL) or _under_way(tokens, at)))


def _under_way(tokens: Sequence[Token], at: int | None) -> bool:
    """Whether a change goes on: "is moving to", "is being moved to", 正在搬到; not "was moved to"."""
    if at is None or at == 0:
        return False
    copulas = [t.role is Role.COPULA for t in tokens[:at]]
    ongoing = ONGOING in tokens[at].forms and any(copulas)
    return ongoing or copulas[-2:] == [True, True] or tokens[at - 1].key in _RIGHT_NOW


def _given_up(tokens: Sequence[Token]) -> bool:
    """Whether somebody says of themselves that they will no longer do something, and names no time: that is decided."""
    will = next((i for i, t in enumerate(tokens) if t.key in _WILL), None)
    if will is None or any(t.key in _YET - _WILL or t.role in _LONG_TIME for t in tokens):
        return False
    firm = tokens[will + 1 : will + 2]
    longer = any(t.role is Role.ENDED_MARK for t in tokens)
    denied = any(t.key in ("no longer", "不再") or (longer and t.role is Role.NEGATION) for t in firm)
    return denied and any(t.role is Role.SELF for t in tokens[:will])
