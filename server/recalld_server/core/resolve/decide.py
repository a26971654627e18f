"""From the relations of clauses to one verdict over a statement's neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from weakref import WeakKeyDictionary

from .align import keys
from .frames import Frame, Parsed, parse, spelled
from .links import Link, Relation
from .relations import relate
from .types import Case, Lines, Neighbour, Resolution, Statement, Verdict

_GIVES_WAY = frozenset({Relation.REPLACES, Relation.REFINES, Relation.ENDS, Relation.RESTORES})
# A duplicate first: what is known already cannot clash. Then what is certain before what is not.
_RANK = (Verdict.DUPLICATE, Verdict.SUPERSEDES, Verdict.CONFLICT)
_GROUPS = {"procedural": "semantic"}

Decision = tuple[Verdict, str]


def settled(decisions: Sequence[tuple[Neighbour, Verdict, str]]) -> Resolution:
    """One verdict from those on each neighbour, nearest first."""
    for rank in _RANK:
        found = [(neighbour, reason) for neighbour, verdict, reason in decisions if verdict is rank]
        if found:
            # A duplicate is of one memory, the closest; a clash is with every memory that it is with.
            ids = tuple(neighbour.memory_id for neighbour, _ in found)
            first, reason = found[0]
            return Resolution(rank, ids[:1] if rank is Verdict.DUPLICATE else ids, first.similarity, reason)
    if not decisions:
        return Resolution(Verdict.NEW, (), 0.0, "no_neighbours")
    first, _, reason = decisions[0]
    return Resolution(Verdict.NEW, (), first.similarity, reason)


class RulesResolver:
    """The default resolver: tables and token alignment, no model, the same answer every time."""

    def __init__(self) -> None:
        # as long as somebody holds the statement, so that no text outlives its request here
        self._read: WeakKeyDictionary[Statement, Parsed] = WeakKeyDictionary()
        # a draft is decided anew when a neighbour comes or goes, which says nothing new of the others
        self._decided: WeakKeyDictionary[Statement, dict[object, Decision]] = WeakKeyDictionary()

    async def consult(self, cases: Iterable[Case], lines: Lines, *, timeout: float | None = None) -> None:
        """Rules ask nobody."""

    async def resolve(self, new: Statement, neighbours: Sequence[Neighbour], lines: Lines) -> Resolution:
        """Decide for `new` among its neighbours. Never raises on any text; linear in the length of the texts."""
        nearest = sorted(neighbours, key=lambda n: -n.similarity)
        return settled([(neighbour, *self.decision(new, neighbour, lines)) for neighbour in nearest])

    def decision(self, new: Statement, neighbour: Neighbour, lines: Lines) -> Decision:
        """What `new` is to one neighbour, and why."""
        decided = self._decided.setdefault(new, {})
        # a hash and not the statement, which would then live as long as this one
        key = neighbour.memory_id, hash(neighbour.statement), neighbour.similarity, lines
        decision = decided.get(key)
        if decision is None:
            decision = decided[key] = self._decide(new, self._parsed(new), neighbour, lines)
        return decision

    def _parsed(self, statement: Statement) -> Parsed:
        found = self._read.get(statement)
        if found is None:
            found = self._read[statement] = parse(statement.text, statement.entities)
        return found

    def _decide(self, new: Statement, parsed: Parsed, neighbour: Neighbour, lines: Lines) -> Decision:
        old = neighbour.statement
        if _GROUPS.get(new.kind, new.kind) != _GROUPS.get(old.kind, old.kind):
            return Verdict.NEW, "other_kind"
        if new.kind == "episodic" and _apart(old.event_time, new.event_time) and not parsed.corrected:
            return Verdict.NEW, "other_event"
        far = neighbour.similarity < lines.conflict and not any(frame.attribute for frame in parsed.frames)
        if far and parsed.spelling != spelled(old.text):
            # nothing in it could be compared, and reading a statement takes longer than all else
            return Verdict.NEW, "question" if parsed.question else "too_far"
        before = self._parsed(old)
        if parsed.spelling == before.spelling:
            return Verdict.DUPLICATE, "same_text"
        if parsed.question or before.question:
            return Verdict.NEW, "question"
        if parsed.long or before.long:
            return Verdict.NEW, "long_text"
        tally = _tally(before, parsed, neighbour.similarity, lines)
        if tally.touched:
            return _superseding(old, new, before, parsed, tally)
        if tally.disputed is not None and parsed.supposed == before.supposed:
            return Verdict.CONFLICT, tally.disputed.reason
        if tally.repeated and parsed.doubted and not before.doubted:
            return Verdict.CONFLICT, "doubted"
        if parsed.supposed != before.supposed:
            return Verdict.NEW, "supposed"
        if parsed.frames and len(tally.repeated) == len(parsed.frames) and parsed.aside <= before.aside:
            if _fragment(before, parsed) and neighbour.similarity < lines.duplicate:
                return Verdict.NEW, "fragment"
            if before.told_by and parsed.told_by and before.told_by != parsed.told_by:
                return Verdict.NEW, "other_source"
            if before.hedged and not parsed.hedged:
                return Verdict.SUPERSEDES, "confirmed"
            return Verdict.DUPLICATE, "same_statement"
        return Verdict.NEW, tally.last.reason


def _fragment(before: Parsed, parsed: Parsed) -> bool:
    """Whether the new statement names things and says nothing of them, and the old one does: a thing that both name is
    not yet a thing that both say."""
    bare = not any(frame.attribute or frame.subject for frame in parsed.frames)
    return bare and (len(before.frames) > len(parsed.frames) or any(frame.attribute for frame in before.frames))


def _apart(first: datetime | None, second: datetime | None) -> bool:
    return first is not None and second is not None and first != second


@dataclass(slots=True)
class _Tally:
    """What the clauses of a new statement do to those of an old one, by their places.

    `touched` and `restated` are old clauses that give way and that still hold; `repeated` are new clauses that are known.
    `states`: what gives way is a state of things (an attribute, or something that is said to have changed), no event.
    """

    touched: dict[int, Link] = field(default_factory=dict)
    restated: set[int] = field(default_factory=set)
    repeated: set[int] = field(default_factory=set)
    states: bool = True
    disputed: Link | None = None
    last: Link = Link(Relation.OTHER, "too_far")


def _tally(before: Parsed, parsed: Parsed, similarity: float, lines: Lines) -> _Tally:
    """Every new clause against every old one. Below the conflict line only clauses of one attribute are compared."""
    tally = _Tally()
    near = similarity >= lines.conflict
    for i, clause in enumerate(parsed.frames):
        for j, earlier in enumerate(before.frames):
            keyed = bool(clause.attribute) and clause.attribute == earlier.attribute
            if not near and not (keyed and _anchored(earlier, clause)):
                continue
            link = tally.last = relate(earlier, clause, parsed.corrected)
            if link.reason == "past_of_present" and any(frame.now for frame in parsed.frames):
                link = Link(Relation.ENDS, "ended_by_contrast")
            if link.relation in _GIVES_WAY:
                tally.touched.setdefault(j, link)
                tally.states = tally.states and _is_state(clause)
            elif link.relation is Relation.SAME:
                tally.repeated.add(i)
                tally.restated.add(j)
            elif _known(link.relation, similarity, lines, keyed):
                tally.repeated.add(i)
            elif link.relation is Relation.DISPUTES and near:
                tally.disputed = tally.disputed or link
    return tally


def _known(relation: Relation, similarity: float, lines: Lines, keyed: bool) -> bool:
    """Whether a clause that is not word for word the old one adds nothing to it.

    Saying less is certain for one attribute and a matter of the duplicate line else. Saying a word more wants twice the
    closeness, since the word may be what matters.
    """
    if relation is Relation.COVERED:
        return similarity >= (lines.conflict if keyed else lines.duplicate)
    return relation is Relation.RESTATES and similarity >= (1 + lines.duplicate) / 2


def _is_state(clause: Frame) -> bool:
    return clause.ended or clause.replacing or clause.now or (bool(clause.attribute) and clause.arity != "event")


def _anchored(earlier: Frame, clause: Frame) -> bool:
    """Whether both say whom or what they are about, so that the attribute is worth a look however far apart they are."""
    same_subject = bool(earlier.subject) and keys(earlier.subject) == keys(clause.subject)
    return same_subject or (earlier.personal and clause.personal)


def _superseding(old: Statement, new: Statement, before: Parsed, parsed: Parsed, tally: _Tally) -> Decision:
    """The old statement would have to give way; name what speaks against it."""
    if parsed.supposed != before.supposed:
        return Verdict.NEW, "supposed"
    if before.hedged and any(frame.replacing for frame in before.frames):
        # what may change has not changed
        return Verdict.NEW, "supposed"
    if parsed.hedged or parsed.supposed:
        return Verdict.CONFLICT, "hedged"
    if before.told_by and not parsed.told_by and any(frame.personal for frame in before.frames):
        # whose "I" it was is not known
        return Verdict.CONFLICT, "other_source"
    if len(tally.touched.keys() | tally.restated) < len(before.frames):
        return Verdict.CONFLICT, "part_stays_true"
    reason = next(iter(tally.touched.values())).reason
    if parsed.corrected:
        return Verdict.SUPERSEDES, reason
    year = max((frame.year for frame in parsed.frames), default=0)
    if year and not 0 < max((frame.year for frame in before.frames), default=0) <= year:
        # which of the two came first is not known, or the new one did
        return Verdict.CONFLICT, "dated"
    timed = new.event_time is not None and old.event_time is not None
    if new.kind == "episodic" and (timed or not tally.states):
        return Verdict.CONFLICT, "two_accounts_of_one_event"
    if new.event_time and old.event_time and new.event_time < old.event_time:
        return Verdict.CONFLICT, "older_statement"
    return Verdict.SUPERSEDES, reason
