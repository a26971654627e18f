"""Decides what a draft means for what is known already: the same, an end, a contradiction, or simply new."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from recalld_server.core.earlier import Earlier
from recalld_server.core.items import Item
from recalld_server.core.resolve import Lines, Neighbour, Resolution, Resolver, Statement, Verdict
from recalld_server.model import Memory, Outcome, Related, WriteResult
from recalld_server.store.base import Surroundings

NEIGHBOURS = 10
"""Live memories that a draft is compared with at most (of the labelled pairs, 98 % have their old statement among them)."""
LOOK_FROM = 0.2
"""Cosine from which a live memory is looked at: below the model's conflict line, a named attribute can still tell."""

NOTHING_NEAR = Resolution(Verdict.NEW, (), 0.0, "nothing_near")

OUTCOMES = {
    Verdict.NEW: Outcome.CREATED,
    Verdict.DUPLICATE: Outcome.DUPLICATE,
    Verdict.SUPERSEDES: Outcome.SUPERSEDED,
    Verdict.CONFLICT: Outcome.CONFLICT,
}


def statement(memory: Memory) -> Statement:
    """What the resolver reads of a memory. A time that nobody gave is none: saying a thing twice is not two events."""
    event_time = memory.event_time if memory.event_time != memory.create_time else None
    return Statement(memory.content, event_time, memory.kind.name.lower(), memory.entities)


class Statements:
    """What the memories of one request say, each made once: a resolver may keep what it read as long as these live."""

    def __init__(self) -> None:
        self._made: dict[tuple[UUID, int], Statement] = {}

    def of(self, memory: Memory) -> Statement:
        key = (memory.memory_id, memory.revision)
        if key not in self._made:
            self._made[key] = statement(memory)
        return self._made[key]


async def decide(
    item: Item, around: Surroundings, resolver: Resolver, lines: Lines, statements: Statements
) -> Resolution:
    """The verdict on a draft, given what it meets."""
    if around.exact is not None:
        return Resolution(Verdict.DUPLICATE, (around.exact.memory_id,), 1.0, "exact")
    if not around.near:
        return NOTHING_NEAR
    neighbours = [Neighbour(near.memory.memory_id, statements.of(near.memory), near.cosine) for near in around.near]
    return await resolver.resolve(statements.of(item.memory), neighbours, lines)


def met_after(item: Item, around: Surroundings, earlier: Earlier, ended: Collection[UUID]) -> Surroundings | None:
    """What a draft meets after the drafts before it in the same request, which ended some memories; None: the same as
    in the store."""
    before = earlier.around(item, near=NEIGHBOURS, floor=LOOK_FROM, ended=ended)
    if before.exact is None and not before.near and not touches(around, ended):
        return None
    return looked_again(around, before, ended)


def looked_again(before: Surroundings, now: Surroundings, changed: Collection[UUID]) -> Surroundings:
    """What a draft meets, after memories changed since it first looked: the old view without them, and the new one."""
    gone = set(changed)
    kept = [near for near in before.near if near.memory.memory_id not in gone]
    exact = before.exact if before.exact is not None and before.exact.memory_id not in gone else None
    near = sorted([*kept, *now.near], key=lambda each: -each.cosine)
    return Surroundings(now.exact or exact, tuple(near[:NEIGHBOURS]))


def touches(around: Surroundings, changed: Collection[UUID]) -> bool:
    """Whether any of these memories was part of what a draft met."""
    ids = {near.memory.memory_id for near in around.near}
    if around.exact is not None:
        ids.add(around.exact.memory_id)
    return not ids.isdisjoint(changed)


def result(memory: Memory, outcome: Outcome, resolution: Resolution, held: UUID | None) -> WriteResult:
    """The answer for one draft; `held` is the memory that now holds what was said."""
    related = tuple(Related(memory_id, resolution.similarity) for memory_id in resolution.memory_ids)
    stored = outcome not in (Outcome.DUPLICATE, Outcome.BELOW_THRESHOLD)
    return WriteResult(
        outcome=outcome,
        memory_id=held,
        related=related,
        reason=resolution.reason,
        importance=memory.importance,
        index_state=memory.index_state,
        revision=memory.revision if stored else 0,
        etag=memory.etag if stored else "",
    )
