"""Parse a statement into frames: who or what (subject), which attribute, which value, and how it is meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from .lexicon import Role, load
from .normalise import normalise
from .tokens import MAX_TOKENS, Token, tokenise

MAX_CLAUSES = 8
MAX_LENGTH = 2000

_CONTENT = frozenset(
    {
        Role.PERSON, Role.SCOPE, Role.EXCLUSIVE, Role.KIN, Role.PLAIN, Role.UNIT, Role.NUMBERED, Role.NUMBER, Role.TIME,
        Role.CODE, Role.IDENT, Role.WORD, Role.CHAR,
    }
)  # fmt: skip
QUANTITY = frozenset({Role.NUMBER, Role.TIME, Role.UNIT})
_AMOUNT = QUANTITY | {Role.CODE}
_FULL_STOPS = ".。!! "
_PREDICATE = frozenset({Role.HEAD, Role.COPULA, Role.REPLACING, Role.REPLACING_AMOUNT, Role.EXCLUSIVE, Role.ENDED, Role.PAST})
_REPLACING_FORMS = frozenset({"replacing", "left_replacing"})
_LINK_STOPS = frozenset({Role.REPLACING, Role.HEAD, Role.COPULA, Role.REJECTING})


@dataclass(frozen=True, slots=True)
class Frame:
    """One clause. Contents are tokens in the order of the text, without cues and fillers.

    `attribute` is a key of data/attributes.toml or "". `linked`: a copula or a verb of change stands before the value.
    `replacing`: the clause says that the value replaces another, `rejected` which one. `now` is the weaker "now".
    `topic` is the attribute when a noun names it; `alone`: the attribute says something without a value;
    `personal`: the person whom the memory is about is named in it.
    """

    attribute: str
    arity: str
    family: str
    subject: tuple[Token, ...]
    value: tuple[Token, ...]
    rejected: frozenset[str]
    scope: frozenset[str]
    negative: bool
    ended: bool
    linked: bool
    replacing: bool
    now: bool
    added: bool
    planned: bool
    past: bool
    conjoined: bool
    tail: frozenset[str]
    order: tuple[str, ...]
    topic: str
    alone: bool
    personal: bool

    @property
    def content(self) -> tuple[Token, ...]:
        """Subject and value."""
        return self.subject + self.value

    def keys(self) -> frozenset[str]:
        """What the clause is about, attribute and scope left out."""
        return frozenset(token.key for token in self.subject + self.value)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A statement: its clauses and what is said about the statement as a whole. `spelling` is equal for one text.

    `aside` holds what is said in fragments without a predicate of their own.
    """

    spelling: str
    frames: tuple[Frame, ...]
    corrected: bool
    hedged: bool
    doubted: bool
    question: bool
    long: bool
    aside: frozenset[str]


def parse(text: str, entities: Iterable[str] = ()) -> Parsed:
    """Parse any text; linear in its length and never raising. A text too long for the grammar is marked `long`."""
    spelling = " ".join(text.split()).rstrip(_FULL_STOPS)
    if len(text) > MAX_LENGTH:
        return Parsed(spelling, (), False, False, False, False, True, frozenset())
    normal = normalise(text)
    names = frozenset(word.casefold() for entity in entities for word in entity.split())
    tokens = tokenise(normal, names)
    clauses = _clauses(tokens)
    long = len(tokens) >= MAX_TOKENS or len(clauses) > MAX_CLAUSES
    frames, aside = ((), frozenset[str]()) if long else _inherited([_frame(clause) for clause in clauses])
    roles = {token.role for token in tokens}
    return Parsed(
        spelling=spelling,
        frames=frames,
        corrected=Role.CORRECTION in roles or any(clause[0].role is Role.CORRECTION_FIRST for clause in clauses),
        hedged=not roles.isdisjoint((Role.HEDGE, Role.DOUBT)) or any(_reported(clause) for clause in clauses),
        doubted=Role.DOUBT in roles,
        question=Role.QUESTION in roles,
        long=long,
        aside=aside,
    )


def _clauses(tokens: Sequence[Token]) -> list[list[Token]]:
    """Split at stops, and at commas where both sides say something of their own."""
    sentences: list[list[list[Token]]] = [[[]]]
    for token in tokens:
        if token.role in (Role.STOP, Role.QUESTION):
            sentences.append([[]])
        elif token.role is Role.COMMA:
            sentences[-1].append([])
        elif token.key in ("而是", "but", "但", "但是") and sentences[-1][-1]:
            sentences[-1].append([token])
        else:
            sentences[-1][-1].append(token)
    return [clause for sentence in sentences for clause in _joined([segment for segment in sentence if segment])]


def _joined(segments: list[list[Token]]) -> list[list[Token]]:
    """Put fragments (", Pudong", ", not tabs", "To deploy, ") to the clause that they belong to."""
    clauses: list[list[Token]] = []
    waiting: list[Token] = []
    for segment in segments:
        own = any(t.role in _PREDICATE for t in segment) or segment[0].role is Role.NOW
        if own or not clauses:
            if own:
                clauses.append(waiting + segment)
                waiting = []
            else:
                waiting += segment
        elif segment[0].role is Role.NEGATION and len(segment) > 1:
            clauses[-1] = [*clauses[-1], Token("rejecting", Role.REJECTING), *segment[1:]]
        else:
            clauses[-1] = clauses[-1] + segment
    if waiting:
        clauses.append(waiting)
    return clauses


def _reported(clause: Sequence[Token]) -> bool:
    """Whether somebody other than the person of the memory says it."""
    for i, token in enumerate(clause):
        if token.role is Role.REPORT:
            return any(t.role in _CONTENT for t in clause[:i])
    return False


def _unreported(clause: list[Token]) -> list[Token]:
    """The clause without "Mark says", "according to Jo", "听小陈说"."""
    for i, token in enumerate(clause):
        if token.role is Role.REPORT and i + 1 < len(clause):
            return clause[i + 1 :]
        if token.key == "according to" and i + 2 < len(clause):
            return clause[:i] + clause[i + 2 :]
    return clause


def _frame(clause: list[Token]) -> Frame:
    tokens, tail = _without_reason(_settled(_unreported(clause)))
    tokens, rejected = _without_rejected(tokens)
    heads = [i for i, t in enumerate(tokens) if t.role is Role.HEAD]
    head = _main_head(tokens, heads)
    link, replacing = _link(tokens, head)
    if head is not None and not _states(tokens, head, link):
        head = link = None
    attribute = load().attributes[tokens[head].key] if head is not None else None
    subject, value = _regions(tokens, head, link, replacing, attribute.family if attribute else "")
    negations = sum(t.role in (Role.NEGATION, Role.ENDED) for t in tokens)
    key, arity, family = (attribute.key, attribute.arity, attribute.family) if attribute else ("", "", "")
    if attribute and attribute.negates:
        negations += 1
        key = attribute.negates
    roles = {t.role for t in tokens}
    ended = Role.ENDED in roles or (negations % 2 == 1 and (Role.ENDED_MARK in roles or _falls(tokens)))
    if not key and replacing and tokens[link or 0].key in ("move to", "move from") and not _quantities(value):
        key, arity, family = "live", "single", "place"
    subject, value, scope = _scoped(subject, value)
    return Frame(
        attribute=key,
        arity=arity,
        family=family,
        subject=subject,
        value=value,
        rejected=rejected,
        scope=scope,
        negative=negations % 2 == 1,
        ended=ended,
        linked=link is not None and tokens[link].role is not Role.HEAD,
        replacing=replacing or bool(rejected),
        now=Role.NOW in roles,
        added=Role.ADDITION in roles,
        planned=Role.PLAN in roles,
        past=Role.PAST in roles or _past_tense(tokens, head, link is not None),
        conjoined=Role.CONJUNCTION in roles,
        tail=tail,
        order=tuple(t.key for t in tokens if t.role is Role.ORDER),
        alone=attribute is not None and attribute.alone,
        personal=Role.SELF in roles,
        topic=key if head is not None and "noun" in tokens[head].forms else "",
    )


def _settled(clause: list[Token]) -> list[Token]:
    """Decide the verbs that change a value only before a number or a time."""
    out = list(clause)
    for i, token in enumerate(clause):
        if token.role is Role.REPLACING_AMOUNT:
            amount = any(t.role in QUANTITY for t in clause[i + 1 :])
            out[i] = token._replace(role=Role.REPLACING) if amount else Token(token.key.split()[0], Role.WORD)
    return out


def _falls(tokens: Sequence[Token]) -> bool:
    """Whether a Chinese clause ends in 了, which makes its negation an ending."""
    return tokens[-1].key == "了"


def _past_tense(tokens: Sequence[Token], head: int | None, linked: bool) -> bool:
    """Whether the clause's verb is an English past tense; a participle after "is" or "has" is not."""
    if tokens[-1].key == "before":
        return True
    if head is None and linked:
        return False
    at = head if head is not None else next((i for i, t in enumerate(tokens) if t.past), None)
    if at is None or not tokens[at].past:
        return False
    return not any(t.role in (Role.COPULA, Role.REPLACING) or t.key == "have" for t in tokens[:at])


def _quantities(tokens: Iterable[Token]) -> bool:
    content = [t for t in tokens if t.role in _CONTENT]
    return bool(content) and all(t.role in QUANTITY for t in content)


def _without_reason(clause: list[Token]) -> tuple[list[Token], frozenset[str]]:
    for i, token in enumerate(clause):
        if token.role is Role.REASON and i > 1:
            return clause[:i], frozenset(t.key for t in clause[i:] if t.role in _CONTENT)
    return clause, frozenset()


def _without_rejected(clause: list[Token]) -> tuple[list[Token], frozenset[str]]:
    """Take out the values that the clause itself gives up: "instead of X", "from X to", "从 X 换成"."""
    changes = any(map(_changes, clause))
    kept: list[Token] = []
    rejected: set[str] = set()
    taking = ""
    for token in clause:
        if taking and (token.role in _LINK_STOPS or (taking == "from" and token.key == "to")):
            taking = ""
        if token.role is Role.REJECTING:
            taking = "rejecting"
        elif changes and (token.role is Role.FROM or (token.role is Role.REPLACING and token.key.endswith(" from"))):
            taking = "from"
            if token.role is Role.REPLACING:
                kept.append(token)
        elif taking and token.role in _CONTENT:
            rejected.add(token.key)
        elif not taking or token.role not in _CONTENT:
            kept.append(token)
    return (kept or clause), frozenset(rejected)


def _main_head(tokens: Sequence[Token], heads: Sequence[int]) -> int | None:
    """The head that the clause is about: a single-valued one before a many-valued one, the first of equals."""
    attributes = load().attributes
    opened = next((i for i, t in enumerate(tokens) if t.key == "对" or t.role is Role.COPULA), len(tokens))
    heads = [i for i in heads if tokens[i].forms != ("inside",) or opened < i] or list(heads[:1])
    if not heads:
        return None
    first = attributes[tokens[heads[0]].key]
    if first.family == "taste":
        return heads[0]
    return min(heads, key=lambda i: (attributes[tokens[i].key].arity != "single", i))


def _changes(token: Token) -> bool:
    return token.role is Role.REPLACING or (bool(token.forms) and not _REPLACING_FORMS.isdisjoint(token.forms))


def _link(tokens: Sequence[Token], head: int | None) -> tuple[int | None, bool]:
    """Where the value begins, and whether a verb of change stands there."""
    if head is not None and _REPLACING_FORMS & set(tokens[head].forms):
        return head, True
    changes = [i for i, t in enumerate(tokens) if _changes(t) and t.key != "instead"]
    if changes:
        return changes[-1], True
    instead = any(t.key == "instead" for t in tokens)
    for i, token in enumerate(tokens):
        if token.role is Role.COPULA and i > 0 and (head is None or tokens[head].forms != ("inside",)):
            return i, instead
    return head, instead


def _states(tokens: Sequence[Token], head: int, link: int | None) -> bool:
    """Whether the head is what the clause states. A noun is only with a copula or with nothing but amounts and codes."""
    forms = set(tokens[head].forms)
    if not forms <= {"noun", "inside"} or link != head or "inside" in forms:
        return True
    after = [t for t in tokens[head + 1 :] if t.role in _CONTENT]
    before = [t for t in tokens[:head] if t.role in _CONTENT]
    return any(all(t.role in _AMOUNT for t in part) for part in (after, before[-2:]) if part)


def _regions(
    tokens: Sequence[Token], head: int | None, link: int | None, replacing: bool, family: str
) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    """Divide the content into subject and value by the places of head and link."""

    def content(part: Iterable[Token]) -> tuple[Token, ...]:
        attributes = load().attributes
        return tuple(
            Token(t.key, Role.WORD) if t.role is Role.HEAD else t
            for t in part
            if t.role in _CONTENT
            or (t.role is Role.HEAD and attributes[t.key].family != family and _REPLACING_FORMS.isdisjoint(t.forms))
        )

    if link is None:
        return (), content(tokens)
    before, after = content(tokens[:link]), content(tokens[link + 1 :])
    forms = set(tokens[head].forms) if head is not None else set()
    if "left_replacing" in forms and link == head:
        return after, before
    if replacing or head is None:
        return _elliptic(before, after)
    if "inside" in forms and head == max(head, link):
        return _inside(tokens, head, content)
    agent = next((i for i in range(link) if tokens[i].key == "由"), None)
    if link == head and "left" in forms and agent is not None:
        return content([*tokens[:agent], *tokens[link + 1 :]]), content(tokens[agent + 1 : link])
    if link == head:
        if not after and not forms.isdisjoint({"left", "noun"}):
            return _by_type(before)
        return (after, before) if "left" in forms else (before, after)
    if head > link and not forms.isdisjoint({"noun"}):
        return content(tokens[link + 1 :]), content(tokens[:link])
    if head > link:
        return content(tokens[:head]), content(tokens[head + 1 :])
    return before, after


def _elliptic(before: tuple[Token, ...], after: tuple[Token, ...]) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    """A clause that begins with its verb ("renamed the dog Waffle") names its subject behind it."""
    if before:
        return before, after
    persons = tuple(t for t in after if t.role is Role.PERSON)
    rest = tuple(t for t in after if t.role is not Role.PERSON)
    return (persons, rest) if rest else ((), after)


def _by_type(before: tuple[Token, ...]) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    """「报销周五截止」: the value is the quantity before the head."""
    return tuple(t for t in before if t.role not in QUANTITY), tuple(t for t in before if t.role in QUANTITY)


def _inside(
    tokens: Sequence[Token], head: int, content: object
) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    """「在腾讯工作」「对花生过敏」: the value stands between the preposition and the head."""
    assert callable(content)
    opening = next((i for i in range(head) if tokens[i].key == "对" or tokens[i].role is Role.COPULA), None)
    if opening is None:
        return content(tokens[:head]), content(tokens[head + 1 :])
    return content([*tokens[:opening], *tokens[head + 1 :]]), content(tokens[opening + 1 : head])


def _scoped(
    subject: tuple[Token, ...], value: tuple[Token, ...]
) -> tuple[tuple[Token, ...], tuple[Token, ...], frozenset[str]]:
    """Take the scopes out of subject and value; a value of scopes alone is a value."""
    scope = {t.key for t in subject if t.role is Role.SCOPE}
    rest = tuple(t for t in value if t.role is not Role.SCOPE)
    if rest and not _quantities(rest):
        scope |= {t.key for t in value if t.role is Role.SCOPE}
        value = rest
    return tuple(t for t in subject if t.role is not Role.SCOPE), value, frozenset(scope)


def _inherited(frames: Sequence[Frame]) -> tuple[tuple[Frame, ...], frozenset[str]]:
    """Give a clause without a subject the one before it (「妈妈换号了，新手机号是…」); set clauses without a value aside."""
    out: list[Frame] = []
    subject: tuple[Token, ...] = ()
    attribute = ("", "", "")
    for frame in frames:
        if not frame.subject and subject and (frame.linked or frame.attribute):
            frame = replace(frame, subject=subject)
        if not frame.attribute and frame.replacing and attribute[0] and len(frames) > 1:
            frame = replace(frame, attribute=attribute[0], arity=attribute[1], family=attribute[2])
        subject = frame.subject or subject
        attribute = (frame.attribute, frame.arity, frame.family) if frame.attribute else attribute
        out.append(frame)
    said = [f for f in out if f.value or f.negative or f.subject or f.attribute]
    full = [f for f in said if f.value or f.negative or f.arity == "many"]
    full = full or said
    return tuple(full), frozenset(key for f in out if f not in full for key in f.keys() | f.scope)
