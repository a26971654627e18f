"""Parse a statement into frames: who or what (subject), which attribute, which value, and how it is meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from .clauses import clauses as split
from .clauses import reporter, stated
from .kinds import eaten, left_out
from .lexicon import Role, load
from .marks import before_self, has, labels, lasting, pairs, purpose, which, without_recipient
from .normalise import normalise
from .particles import particles
from .places import meant, moves_house
from .regions import all_quantities, head_and_link, regions, scoped
from .tense import intended, one_day, past_tense, then, year
from .tokens import MAX_TOKENS, Token, tokenise

MAX_CLAUSES = 8
MAX_LENGTH = 2000

_THINGS = frozenset({Role.PERSON, Role.IDENT})
# What is done twice a week is a habit and no event.
_HOW_OFTEN = frozenset({"day", "week", "month", "year"})
_NEW = frozenset({"new", "新", "新的"})
_RECALLING = frozenset({Role.REPORT, Role.HEDGE, Role.DOUBT})
# What was the cause of a thing still is.
_TIMELESS = frozenset({"cause", "birthday"})
_FULL_STOPS = ".。!! "


@dataclass(frozen=True, slots=True)
class Frame:
    """One clause. Contents are tokens in the order of the text, without cues and fillers.

    `attribute` is a key of data/attributes.toml or "". `linked`: a copula or a verb of change stands before the value.
    `replacing`: the clause says that the value replaces another, `rejected` which one; `lesser`: what is liked less. `now` is the weaker "now",
    `fresh`: no more than "new", which may be said of another thing beside the old one.
    `topic` is the attribute when a noun names it; `alone`: the attribute says something without a value;
    `pairs`: words that stand side by side, so that the second may be what the first only describes ("apple juice").
    `labels`: numbers that tell things apart and count nothing, as far as the words beside them say.
    `having`: it says that somebody has something.
    `eaten`, `left_out`: foods that somebody likes, and that a diet or a denial leaves out.
    `year`: in which it happened, 0 where no year says so.
    `which`: "next" or "last" where the clause begins with it ("the next version is 5").
    `purpose`: for whom or what it holds.
    `particles`: small words that may part two statements.
    `personal`: the person whom the memory is about is named in it, `before_self`: who is named before.
    """

    attribute: str
    arity: str
    family: str
    subject: tuple[Token, ...]
    value: tuple[Token, ...]
    rejected: frozenset[str]
    lesser: frozenset[str]
    scope: frozenset[str]
    negative: bool
    ended: bool
    linked: bool
    replacing: bool
    now: bool
    fresh: bool
    added: bool
    planned: bool
    past: bool
    year: int
    conjoined: bool
    tail: frozenset[str]
    order: tuple[str, ...]
    topic: str
    passive: bool
    pairs: frozenset[tuple[str, str]]
    labels: frozenset[str]
    alone: bool
    having: bool
    personal: bool
    before_self: frozenset[str] | None
    which: str
    purpose: str
    particles: frozenset[str]
    eaten: frozenset[str]
    left_out: frozenset[str]

    content: tuple[Token, ...] = field(init=False)
    """Subject and value."""
    things: frozenset[str] = field(init=False)
    """The persons, animals and numbered things in the content, by their keys."""

    def __post_init__(self) -> None:
        content = self.subject + self.value
        object.__setattr__(self, "content", content)
        object.__setattr__(self, "things", frozenset([t.key for t in content if t.role in _THINGS]))

    def keys(self) -> frozenset[str]:
        """What the clause is about, attribute and scope left out."""
        return frozenset([token.key for token in self.content])


@dataclass(frozen=True, slots=True)
class Parsed:
    """A statement: its clauses and what is said about the statement as a whole. `spelling` is equal for one text.

    `told_by`: whose word it is, empty for the writer's own. `supposed`: it holds on a condition. `aside` holds what is said in fragments without a predicate of their own.
    """

    spelling: str
    frames: tuple[Frame, ...]
    corrected: bool
    hedged: bool
    told_by: frozenset[str]
    supposed: bool
    doubted: bool
    question: bool
    long: bool
    aside: frozenset[str]


def spelled(text: str) -> str:
    """What is equal for one text, however it is spaced and ended."""
    return " ".join(text.split()).rstrip(_FULL_STOPS)


def parse(text: str, entities: Iterable[str] = ()) -> Parsed:
    """Parse any text; linear in its length and never raising. A text too long for the grammar is marked `long`."""
    spelling = spelled(text)
    if len(text) > MAX_LENGTH:
        return Parsed(spelling, (), False, False, frozenset(), False, False, False, True, frozenset())
    normal = normalise(text)
    names = frozenset(word.casefold() for entity in entities for word in entity.split())
    tokens = tokenise(normal, names)
    clauses = split(tokens)
    long = len(tokens) >= MAX_TOKENS or len(clauses) > MAX_CLAUSES
    frames, aside = ((), frozenset[str]()) if long else _inherited([_frame(clause) for clause in clauses])
    roles = {token.role for token in tokens}
    told_by = frozenset().union(*map(reporter, clauses))
    return Parsed(
        spelling=spelling,
        frames=frames,
        corrected=Role.CORRECTION in roles or any(clause[0].role is Role.CORRECTION_FIRST for clause in clauses),
        hedged=not roles.isdisjoint((Role.HEDGE, Role.DOUBT)) or bool(told_by),
        told_by=told_by,
        supposed=Role.CONDITION in roles,
        doubted=Role.DOUBT in roles,
        question=Role.QUESTION in roles,
        long=long,
        aside=aside,
    )


def _frame(clause: list[Token]) -> Frame:
    tokens, tail, rejected, lesser = stated(clause)
    # "I think the port was 80" and "Jo said it was 80" tell what it is
    recalled = any(t.role in _RECALLING for t in clause)
    head, link, replacing = head_and_link(tokens)
    attribute = load().attributes[tokens[head].key] if head is not None else None
    if attribute and attribute.ends:
        tokens = without_recipient(tokens, head)
        link = link if link is not None and link < len(tokens) else None
    subject, value = regions(tokens, head, link, replacing, attribute.family if attribute else "")
    negations = sum(t.role in (Role.NEGATION, Role.ENDED) for t in tokens)
    key, arity, family = (attribute.key, attribute.arity, attribute.family) if attribute else ("", "", "")
    if attribute and attribute.negates:
        negations += 1
        key = attribute.negates
    roles = {t.role for t in tokens}
    ended = Role.ENDED in roles or (negations % 2 == 1 and (Role.ENDED_MARK in roles or _falls(tokens)))
    key, arity, family = meant((key, arity, family), tokens, head, subject, value)
    if key == "live_with" and not value:
        # 和父母住在一起 names them before the verb
        subject, value = (), subject
    long_ago = then(tokens)
    replacing = replacing and key != "join" and not long_ago
    ending = attribute is not None and bool(attribute.ends)
    if ending and long_ago:
        key, arity, family = "", "event", ""
    if not key and replacing and link is not None and moves_house(tokens, link, subject, value):
        key, arity, family = "live", "single", "place"
    if ended or replacing:
        subject, value = lasting(subject), lasting(value)
    past = Role.PAST in roles or (past_tense(tokens, head, link) and not (recalled or key in _TIMELESS))
    past = past or (negations % 2 == 1 and not ended and one_day(tokens))
    if arity == "event" and not past:
        arity = "many" if any(t.key in _HOW_OFTEN or t.key.startswith("@day") for t in tokens) else arity
    subject, value, scope = scoped(subject, value)
    return Frame(
        attribute=key,
        arity=arity,
        family=family,
        subject=subject,
        value=value,
        rejected=rejected,
        lesser=lesser,
        scope=scope,
        negative=negations % 2 == 1,
        ended=ended,
        linked=link is not None and tokens[link].role is not Role.HEAD,
        replacing=replacing or bool(rejected),
        now=Role.NOW in roles,
        fresh=all(t.key in _NEW for t in tokens if t.role is Role.NOW),
        added=Role.ADDITION in roles,
        planned=Role.PLAN in roles or intended(tokens, key, ending),
        past=past,
        year=year(tokens) if ended or ending or not (value and all_quantities(value)) else 0,
        conjoined=Role.CONJUNCTION in roles,
        tail=tail,
        order=tuple(t.key for t in tokens if t.role is Role.ORDER),
        passive=any(t.key == "by" and tokens[i - 1].past for i, t in enumerate(tokens) if i),
        pairs=pairs(tokens),
        labels=labels(tokens),
        alone=attribute is not None and attribute.alone,
        having=attribute.having if attribute else not (ended or replacing) and has(tokens),
        personal=Role.SELF in roles,
        before_self=before_self(tokens),
        which=which(tokens),
        purpose=purpose(tokens),
        particles=particles(tokens, past, negations > 1),
        eaten=eaten(family, value) if negations % 2 == 0 else frozenset(),
        left_out=left_out(family, value, negations % 2 == 1) if not scope else frozenset(),
        topic=key if head is not None and "noun" in tokens[head].forms else "",
    )


def _falls(tokens: Sequence[Token]) -> bool:
    """Whether a Chinese clause ends in 了, which makes its negation an ending."""
    return tokens[-1].key == "了"


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
