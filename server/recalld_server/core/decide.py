"""Decides what a draft means for what is known already: the same, an end, a contradiction, or simply new."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
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
    return Statement(memory.content, _event_time(memory), memory.kind.name.lower(), memory.entities)


def _says(memory: Memory, statement: Statement) -> bool:
    """Whether the statement is the memory's, without making another one."""
    return (
        memory.content == statement.text
        and memory.entities == statement.entities
        and memory.kind.name.lower() == statement.kind
        and _event_time(memory) == statement.event_time
    )


def _event_time(memory: Memory) -> datetime | None:
    return memory.event_time if memory.event_time != memory.create_time else None


class Statements:
    """What memories say, each made once: a resolver may keep what it read as long as these live.

    Those that were not asked for during `seconds` go when others are asked for, and `at_most` stay: what is met again and
    again need not be read again each time, and what was erased, and so is not met any more, is soon gone from here.
    """

    def __init__(
        self, *, at_most: int = 8_000, seconds: float = 60.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._at_most = at_most
        self._seconds = seconds
        self._clock = clock
        self._end: asyncio.TimerHandle | None = None
        self._made: OrderedDict[tuple[UUID, int], tuple[float, Statement]] = OrderedDict()

    def of(self, memory: Memory) -> Statement:
        key, now = (memory.memory_id, memory.revision), self._clock()
        known = self._made.pop(key, None)
        # writers may choose an id: elsewhere, or before, it may have said another thing
        made = known[1] if known is not None and _says(memory, known[1]) else statement(memory)
        self._made[key] = now, made
        self.sweep(now)
        return made

    def sweep_later(self) -> None:
        """Sees to it that what is held now goes in time though nobody asks any more."""
        if self._end is None:
            self._end = asyncio.get_running_loop().call_later(self._seconds, self._sweep_all)

    def _sweep_all(self) -> None:
        self._end = None
        self.sweep()
        if self._made:
            self.sweep_later()

    def sweep(self, now: float | None = None) -> None:
        """Drops what is too old or too much."""
        oldest = (self._clock() if now is None else now) - self._seconds
        while self._made and (len(self._made) > self._at_most or next(iter(self._made.values()))[0] < oldest):
            self._made.popitem(last=False)


async def decide(
    said: Statement, around: Surroundings, resolver: Resolver, lines: Lines, statements: Statements
) -> Resolution:
    """The verdict on a draft, given what it meets. Who asks again holds `said` until then: what the resolver found of it, or
    asked about it, is kept that long."""
    if around.exact is not None:
        return Resolution(Verdict.DUPLICATE, (around.exact.memory_id,), 1.0, "exact")
    if not around.near:
        return NOTHING_NEAR
    return await resolver.resolve(said, _neighbours(around, statements), lines)


async def consult(
    drafts: Sequence[Statement],
    met: Sequence[Surroundings],
    resolver: Resolver,
    lines: Lines,
    statements: Statements,
    timeout: float | None,
) -> None:
    """Lets the resolver ask about drafts and what they meet, for `timeout` seconds at most, while no connection is held."""
    cases = (
        (said, _neighbours(around, statements))
        for said, around in zip(drafts, met, strict=True)
        if around.exact is None and around.near
    )
    await resolver.consult(cases, lines, timeout=timeout)


def _neighbours(around: Surroundings, statements: Statements) -> list[Neighbour]:
    return [Neighbour(near.memory.memory_id, statements.of(near.memory), near.cosine) for near in around.near]


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
