"""From the relations of clauses to one verdict over a statement's neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from .align import keys
from .frames import Frame, Parsed, parse
from .relations import Link, Relation, relate
from .types import Lines, Neighbour, Resolution, Statement, Verdict

_GIVES_WAY = frozenset({Relation.REPLACES, Relation.REFINES, Relation.ENDS, Relation.RESTORES})
_RANK = (Verdict.DUPLICATE, Verdict.SUPERSEDES, Verdict.CONFLICT, Verdict.NEW)

Decision = tuple[Verdict, str]
_SAME_TEXT = (Verdict.DUPLICATE, "same_text")


class RulesResolver:
    """The default resolver: tables and token alignment, no model, the same answer every time."""

    async def resolve(self, new: Statement, neighbours: Sequence[Neighbour], lines: Lines) -> Resolution:
        """Decide for `new` among its neighbours. Never raises on any text; linear in the length of the texts."""
        parsed = parse(new.text, new.entities)
        found: dict[Verdict, list[tuple[Neighbour, str]]] = {verdict: [] for verdict in _RANK}
        for neighbour in sorted(neighbours, key=lambda n: -n.similarity):
            verdict, reason = _decide(new, parsed, neighbour, lines)
            found[verdict].append((neighbour, reason))
        for verdict in _RANK[:-1]:
            if found[verdict]:
                # A duplicate is of one memory, the closest; a clash is with every memory that it is with.
                chosen = found[verdict][:1] if verdict is Verdict.DUPLICATE else found[verdict]
                ids = tuple(neighbour.memory_id for neighbour, _ in chosen)
                return Resolution(verdict, ids, chosen[0][0].similarity, chosen[0][1])
        nearest, reason = found[Verdict.NEW][0] if found[Verdict.NEW] else (None, "no_neighbours")
        return Resolution(Verdict.NEW, (), nearest.similarity if nearest else 0.0, reason)


def _decide(new: Statement, parsed: Parsed, neighbour: Neighbour, lines: Lines) -> Decision:
    old = neighbour.statement
    events = new.kind == old.kind == "episodic"
    if events and _apart(old.event_time, new.event_time) and not parsed.corrected:
        return Verdict.NEW, "other_event"
    before = parse(old.text, old.entities)
    if parsed.spelling == before.spelling:
        return _SAME_TEXT
    if parsed.question or before.question:
        return Verdict.NEW, "question"
    if parsed.long or before.long:
        return Verdict.NEW, "long_text"
    near = neighbour.similarity >= lines.conflict
    return _combined(old, new, before, parsed, neighbour.similarity, lines, near)


def _apart(first: datetime | None, second: datetime | None) -> bool:
    return first is not None and second is not None and first != second


def _combined(
    old: Statement, new: Statement, before: Parsed, parsed: Parsed, similarity: float, lines: Lines, near: bool
) -> Decision:
    """Every clause of the new statement against every clause of the old one."""
    touched: dict[int, Link] = {}
    repeated: set[int] = set()
    disputed: Link | None = None
    seen = Link(Relation.OTHER, "unrelated")
    for i, clause in enumerate(parsed.frames):
        for j, earlier in enumerate(before.frames):
            keyed = bool(clause.attribute) and clause.attribute == earlier.attribute
            if not near and not (keyed and _anchored(earlier, clause)):
                continue
            link = relate(earlier, clause, parsed.corrected)
            if link.relation in _GIVES_WAY:
                touched.setdefault(j, link)
            elif link.relation is Relation.SAME or (
                link.relation is Relation.COVERED and _covered(link, keyed, similarity, lines)
            ):
                repeated.add(i)
            elif link.relation is Relation.DISPUTES and near:
                if link.reason == "past_of_present" and any(f.now for f in parsed.frames):
                    touched.setdefault(j, Link(Relation.ENDS, "ended_by_contrast"))
                disputed = disputed or link
            seen = link
    if touched:
        return _superseding(old, new, before, parsed, touched)
    if disputed is not None:
        return Verdict.CONFLICT, disputed.reason
    if repeated and parsed.doubted and not before.doubted:
        return Verdict.CONFLICT, "doubted"
    complete = len(repeated) == len(parsed.frames) and parsed.aside <= before.aside
    if parsed.frames and complete and new.kind == old.kind:
        if before.hedged and not parsed.hedged:
            return Verdict.SUPERSEDES, "confirmed"
        return Verdict.DUPLICATE, "same_statement"
    return Verdict.NEW, seen.reason if near else "too_far"


def _anchored(earlier: Frame, clause: Frame) -> bool:
    """Whether both say whom or what they are about, so that the attribute is worth a look however far apart they are."""
    return (earlier.personal and clause.personal) or bool(
        earlier.subject and keys(earlier.subject) == keys(clause.subject)
    )


def _covered(link: Link, keyed: bool, similarity: float, lines: Lines) -> bool:
    return similarity >= lines.duplicate or (
        keyed and link.relation is Relation.COVERED and similarity >= lines.conflict
    )


def _superseding(old: Statement, new: Statement, before: Parsed, parsed: Parsed, touched: dict[int, Link]) -> Decision:
    """The old statement would have to give way; name what speaks against it."""
    link = next(iter(touched.values()))
    if parsed.hedged:
        return Verdict.CONFLICT, "hedged"
    if len(touched) < len(before.frames):
        return Verdict.CONFLICT, "part_stays_true"
    if parsed.corrected:
        return Verdict.SUPERSEDES, link.reason
    if new.kind == old.kind == "episodic":
        return Verdict.CONFLICT, "two_accounts_of_one_event"
    if new.event_time and old.event_time and new.event_time < old.event_time:
        return Verdict.CONFLICT, "older_statement"
    return Verdict.SUPERSEDES, link.reason
