"""What a memory that was stored before it could be compared means for those that are known, some of which are younger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from recalld_server.core.decide import NOTHING_NEAR, Statements
from recalld_server.core.policy import DEFAULTS
from recalld_server.core.resolve import Case, Lines, Neighbour, Resolution, Resolver, Verdict
from recalld_server.model import Memory, Policy, Scope, utc_now
from recalld_server.store.base import Near, Unit


@dataclass(frozen=True, slots=True)
class Ruling:
    """The verdict, and the younger memory to which this one gives way, if any."""

    resolution: Resolution = NOTHING_NEAR
    younger: UUID | None = None

    @property
    def doubtful(self) -> bool:
        return self.resolution.verdict is Verdict.CONFLICT


async def rule(
    memory: Memory, near: Sequence[Near], resolver: Resolver, lines: Lines, statements: Statements
) -> Ruling:
    """Decides as a write would have done: among the older ones this memory is the new statement; each younger one is a
    new statement to it."""
    older = [each for each in near if each.memory.create_time <= memory.create_time]
    if older:
        new, neighbours = _as_new(memory, older, statements)
        resolution = await resolver.resolve(new, neighbours, lines)
        if resolution.verdict is not Verdict.NEW:
            return Ruling(_careful(memory, older, resolution))
    for each in near:
        if each.memory.create_time > memory.create_time:
            resolution = await resolver.resolve(*_to_younger(memory, each, statements), lines)
            if resolution.verdict is not Verdict.NEW:
                resolution = replace(resolution, memory_ids=(each.memory.memory_id,))
                return Ruling(resolution, each.memory.memory_id)
    return Ruling()


async def consult(
    memory: Memory, near: Sequence[Near], resolver: Resolver, lines: Lines, statements: Statements
) -> None:
    """Lets the resolver ask about all that `rule` may put to it, while no connection is held."""
    older = [each for each in near if each.memory.create_time <= memory.create_time]
    younger = [each for each in near if each.memory.create_time > memory.create_time]
    cases = [_as_new(memory, older, statements)] if older else []
    cases += [_to_younger(memory, each, statements) for each in younger]
    if cases:
        await resolver.consult(cases, lines)


def _as_new(memory: Memory, older: Sequence[Near], statements: Statements) -> Case:
    neighbours = [Neighbour(each.memory.memory_id, statements.of(each.memory), each.cosine) for each in older]
    return statements.of(memory), neighbours


def _to_younger(memory: Memory, younger: Near, statements: Statements) -> Case:
    this = Neighbour(memory.memory_id, statements.of(memory), younger.cosine)
    return statements.of(younger.memory), [this]


def _careful(memory: Memory, older: Sequence[Near], resolution: Resolution) -> Resolution:
    """An older memory that was changed after this one was written may know better: people decide."""
    changed = {each.memory.memory_id for each in older if each.memory.update_time > memory.create_time}
    if resolution.verdict is Verdict.SUPERSEDES and not changed.isdisjoint(resolution.memory_ids):
        return replace(resolution, verdict=Verdict.CONFLICT, reason="changed_since")
    return resolution


async def apply(unit: Unit, scope: Scope, memory: Memory, ruling: Ruling, policy: Policy | None) -> None:
    """Carries out a ruling. A memory that says what another says ends in its favour and stays readable."""
    resolution, actor = ruling.resolution, scope.agent_id
    when = memory.valid_from or memory.event_time
    if resolution.verdict is Verdict.DUPLICATE:
        held = resolution.memory_ids[0]
        await unit.skip_duplicates(scope, [held])
        await unit.supersede(scope, [memory.memory_id], held, actor=actor, reason="duplicate", when=when)
    elif resolution.verdict is Verdict.SUPERSEDES and ruling.younger is not None:
        younger = (await unit.get(scope, [ruling.younger])).get(ruling.younger)
        if younger is not None:
            when = younger.valid_from or younger.event_time
        await unit.supersede(
            scope, [memory.memory_id], ruling.younger, actor=actor, reason=resolution.reason, when=when
        )
    elif resolution.verdict is Verdict.SUPERSEDES:
        await unit.supersede(
            scope, resolution.memory_ids, memory.memory_id, actor=actor, reason=resolution.reason, when=when
        )
    elif resolution.verdict is Verdict.CONFLICT:
        days = (policy.review_window_days if policy else None) or DEFAULTS.review_window_days or 7
        expire_time = utc_now() + timedelta(days=days)
        await unit.link_conflict(scope, memory.memory_id, resolution.memory_ids, expire_time=expire_time)
