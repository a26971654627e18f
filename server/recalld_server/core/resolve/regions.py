"""Find in a clause what it is about (the head), where its value begins (the link), and so its subject and its value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .clauses import CONTENT, QUANTITY, REPLACING_FORMS, changes
from .lexicon import Role, load
from .tokens import Token

Tokens = tuple[Token, ...]

STATES = frozenset({"ticket_state", "switch_state", "payment", "lock", "presence", "validity"})
"""The groups of states whose participles tell what became of a thing: "was closed", not "was open"."""
_LEADING = CONTENT | {Role.NEGATION, Role.NOW, Role.SELF}
_ONE = frozenset({"single", "customary"})
_COMING = frozenset({"have", "get", "still", "被", "都", "一直"})
_AMOUNT = QUANTITY | {Role.CODE}


def head_and_link(tokens: Sequence[Token]) -> tuple[int | None, int | None, bool]:
    """Return the places of head and link, and whether the clause has a verb of change."""
    head = _main_head(tokens)
    link, replacing = _link(tokens, head)
    if head is not None and not _states(tokens, head, link):
        head = link = None
    if head is None and link is None:
        link = _became(tokens)
    return head, link, replacing


def _main_head(tokens: Sequence[Token]) -> int | None:
    """The head that the clause is about: a single-valued one before a many-valued one, the first of equals."""
    attributes = load().attributes
    heads = [i for i, t in enumerate(tokens) if t.role is Role.HEAD]
    opened = next((i for i, t in enumerate(tokens) if _opens(t)), len(tokens))
    heads = [i for i in heads if tokens[i].forms != ("inside",) or opened < i] or heads[:1]
    if not heads:
        return None
    if _object_first(tokens, heads[-1]):
        return heads[-1]
    first = attributes[tokens[heads[0]].key]
    if first.family == "taste":
        return heads[0]
    first_single = min(heads, key=lambda i: (attributes[tokens[i].key].arity not in _ONE, i))
    if tokens[first_single].forms == ("noun",) and (told := _participle(tokens, heads, first_single)) is not None:
        return told
    # 名字叫: the verb states what the noun before it only names
    verbs = (i for i in heads if tokens[i].key == tokens[first_single].key and "verb" in tokens[i].forms)
    return next(verbs, first_single)


def _participle(tokens: Sequence[Token], heads: Sequence[int], noun: int) -> int | None:
    """The verb that says what is done with what the noun names: "e-mails are sent to Jo" gives nobody's e-mail address."""
    for i in heads:
        led = tokens[i - 1].role is Role.COPULA or (
            i > 1 and tokens[i - 1].role is Role.NOW and tokens[i - 2].role is Role.COPULA
        )
        if i > noun + 1 and led and tokens[i].past and "verb" in tokens[i].forms:
            return i
    return None


def _object_first(tokens: Sequence[Token], head: int) -> bool:
    """Whether what ended stands first and its verb last: 奈飞我退订了."""
    if head == 0 or tokens[head - 1].role is not Role.ENDED or any(t.role in CONTENT for t in tokens[head + 1 :]):
        return False
    before = [t for t in tokens[: head - 1] if t.role is not Role.NOW and t.role is not Role.FILLER]
    return len(before) > 1 and before[-1].role is Role.SELF


def _link(tokens: Sequence[Token], head: int | None) -> tuple[int | None, bool]:
    """Where the value begins, and whether a verb of change stands there."""
    if head is not None and REPLACING_FORMS & set(tokens[head].forms):
        return head, True
    verbs = [i for i, t in enumerate(tokens) if changes(t) and t.key != "instead"]
    if verbs:
        return verbs[-1], True
    instead = any(t.key == "instead" for t in tokens)
    for i, token in enumerate(tokens):
        if token.role is Role.COPULA and i > 0 and (head is None or tokens[head].forms != ("inside",)):
            return i, instead
    return head, instead


def _became(tokens: Sequence[Token]) -> int | None:
    """Where the one word stands for what somebody brought about ("I closed the ticket") or what became of a thing ("the bug got
    fixed", 证书过期了), in a clause without a copula."""
    states = [i for i, t in enumerate(tokens) if t.role is Role.EXCLUSIVE and t.group in STATES]
    if len(states) != 1:
        return None
    at = states[0]
    before, after = (any(t.role in CONTENT for t in part) for part in (tokens[:at], tokens[at + 1 :]))
    if not before:
        done = tokens[at].past or any(t.key == "了" for t in tokens[at + 1 : at + 2])
        # who opened a ticket may have been the first to
        made = after and done and tokens[at].key != "open"
        return at if made and any(t.role is Role.SELF for t in tokens[:at]) else None
    led = tokens[at - 1]
    return at if not after and (led.role in _LEADING or led.key in _COMING) else None


def _states(tokens: Sequence[Token], head: int, link: int | None) -> bool:
    """Whether the head is what the clause states. A noun is only with a copula or with nothing but amounts and codes."""
    forms = set(tokens[head].forms)
    if not forms <= {"noun", "inside"} or link != head or "inside" in forms:
        return True
    # "job 3 failed" and "we closed job 3" say nothing of somebody's job
    if any(t.past or t.role is Role.EXCLUSIVE or t.key == "了" for t in tokens[:head]):
        return False
    after = [t for t in tokens[head + 1 :] if t.role in CONTENT or t.role is Role.HEAD]
    before = [t for t in tokens[:head] if t.role in CONTENT]
    return any(all(t.role in _AMOUNT for t in part) for part in (after, before[-2:]) if part)


def regions(
    tokens: Sequence[Token], head: int | None, link: int | None, replacing: bool, family: str
) -> tuple[Tokens, Tokens]:
    """Divide the content into subject and value by the places of head and link; `family` is the head's."""
    if link is None:
        return (), _content(tokens, family)
    before, after = _content(tokens[:link], family), _content(tokens[link + 1 :], family)
    forms = set(tokens[head].forms) if head is not None else set()
    if link == head and "left_replacing" in forms:
        return after, before
    if head is None and tokens[link].role is Role.EXCLUSIVE:
        return (*before, *after), (tokens[link],)
    if replacing or head is None:
        return _elliptic(before, after)
    if "inside" in forms and head >= link:
        return _inside(tokens, head, family)
    if link == head:
        return _around(tokens, link, forms, before, after, family)
    if head > link and "left" in forms and not after[len(_content(tokens[link + 1 : head], family)) :]:
        return before, _content(tokens[link + 1 : head], family)
    if head > link and "noun" in forms and after and all_quantities(tokens[head + 1 :]) and tokens[head + 1 :]:
        return before, after
    if head > link and "noun" in forms:
        return _content(tokens[link + 1 :], family), before
    if head > link:
        return _content(tokens[:head], family), _content(tokens[head + 1 :], family)
    return before, after


def _content(part: Iterable[Token], family: str) -> Tokens:
    """The tokens that are compared; the head and what says the same is not, another head is a word like any other."""
    attributes = load().attributes
    return tuple(
        Token(t.key, Role.WORD) if t.role is Role.HEAD else t
        for t in part
        if t.role in CONTENT
        or (t.role is Role.HEAD and attributes[t.key].family != family and REPLACING_FORMS.isdisjoint(t.forms))
    )


def _around(
    tokens: Sequence[Token], head: int, forms: set[str], before: Tokens, after: Tokens, family: str
) -> tuple[Tokens, Tokens]:
    """The head itself is the link: "Kim owns it", 「由小王负责」, "lives in Rome", 「报销周五截止」."""
    agent = next((i for i in range(head) if tokens[i].key == "由"), None)
    if "left" in forms and agent is not None:
        return _content([*tokens[:agent], *tokens[head + 1 :]], family), _content(tokens[agent + 1 : head], family)
    if not after and not forms.isdisjoint({"left", "noun"}):
        return tuple(t for t in before if t.role not in QUANTITY), tuple(t for t in before if t.role in QUANTITY)
    return (after, before) if "left" in forms else (before, after)


def _elliptic(before: Tokens, after: Tokens) -> tuple[Tokens, Tokens]:
    """A clause that begins with its verb ("renamed the dog Waffle") names its subject behind it."""
    if before:
        return before, after
    persons = tuple(t for t in after if t.role is Role.PERSON)
    rest = tuple(t for t in after if t.role is not Role.PERSON)
    return (persons, rest) if rest else ((), after)


def _inside(tokens: Sequence[Token], head: int, family: str) -> tuple[Tokens, Tokens]:
    """「在腾讯工作」「对花生过敏」: the value stands between the preposition and the head."""
    opening = next((i for i in range(head) if _opens(tokens[i])), None)
    if opening is None:
        return _content(tokens[:head], family), _content(tokens[head + 1 :], family)
    return _content([*tokens[:opening], *tokens[head + 1 :]], family), _content(tokens[opening + 1 : head], family)


def _opens(token: Token) -> bool:
    return token.key == "对" or token.role is Role.COPULA


def scoped(subject: Tokens, value: Tokens) -> tuple[Tokens, Tokens, frozenset[str]]:
    """Take the scopes out of subject and value; a value of scopes alone is a value."""
    scope = {t.key for t in subject if t.role is Role.SCOPE}
    rest = tuple(t for t in value if t.role is not Role.SCOPE)
    if rest:
        # 周三下午: beside a time the part of the day belongs to the time.
        timed = all_quantities(rest)
        kept = tuple(t for t in value if t.role is not Role.SCOPE or (timed and t.group == "time_of_day"))
        scope |= {t.key for t in value} - {t.key for t in kept}
        value = kept
    return tuple(t for t in subject if t.role is not Role.SCOPE), value, frozenset(scope)


def all_quantities(tokens: Iterable[Token]) -> bool:
    """Whether there is nothing but numbers, times and units."""
    return all(t.role in QUANTITY for t in tokens if t.role in CONTENT)
