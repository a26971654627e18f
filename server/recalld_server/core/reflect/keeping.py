"""Keeps insights under the rules of a write: what is known already is merged, what is new ends what it replaces, what is
doubtful waits for a person. All in one transaction, after a look at what has changed since it was planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from recalld_server.core import indexing
from recalld_server.core.decide import LOOK_FROM, NEIGHBOURS, Statements, decide, looked_again, met_after
from recalld_server.core.distill import Category
from recalld_server.core.drafts import identity
from recalld_server.core.earlier import Earlier
from recalld_server.core.policy import DEFAULTS
from recalld_server.core.reflect.planning import MOST_SOURCES, Plan, Planned
from recalld_server.core.resolve import Lines, Resolution, Resolver, Verdict
from recalld_server.model import Filter, Policy, ReflectedInsight, ReviewCause, Scope, State
from recalld_server.store.base import Store, Surroundings, Unit, View
from recalld_server.text.clean import content_hash

_REMEMBERED: Final = 500
"""Insights in review, or rejected, that a new one is compared with."""


@dataclass(frozen=True, slots=True)
class _Ruling:
    """What becomes of an insight; `reason` of one that is skipped."""

    outcome: str
    resolution: Resolution
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of all, and what was skipped and why."""

    insights: tuple[ReflectedInsight, ...]
    skipped: Mapping[str, int]


class Keeper:
    """Carries plans out."""

    def __init__(self, store: Store, resolver: Resolver, lines: Lines) -> None:
        """`resolver` is asked within a transaction: it must not call a model."""
        self._store = store
        self._resolver = resolver
        self._lines = lines

    async def carry_out(
        self, unit: Unit, scope: Scope, plan: Plan, policy: Policy, *, actor: str, now: datetime
    ) -> Kept:
        """Stores what the plan says, as far as it still holds. What was forgotten or changed in the meantime is left alone."""
        plan = await self._up_to_date(unit, scope, plan)
        return await self._walk(unit, unit, scope, plan, policy, actor, now)

    async def preview(self, scope: Scope, plan: Plan, policy: Policy, *, now: datetime) -> Kept:
        """What carrying out would give."""
        async with self._store.view([scope]) as view:
            return await self._walk(view, None, scope, plan, policy, "", now)

    async def _up_to_date(self, unit: Unit, scope: Scope, plan: Plan) -> Plan:
        if await unit.lock(scope) == plan.sequence or not plan.planned:
            return plan
        changed = await unit.changed_since(scope, plan.sequence)
        probes = [each.item.probe() for each in plan.planned]
        _, fresh = await unit.surroundings(scope, probes, near=NEIGHBOURS, floor=LOOK_FROM, among=changed)
        planned = tuple(
            replace(each, around=looked_again(each.around, now, changed))
            for each, now in zip(plan.planned, fresh, strict=True)
        )
        return replace(plan, planned=planned)

    async def _walk(
        self, view: View, unit: Unit | None, scope: Scope, plan: Plan, policy: Policy, actor: str, now: datetime
    ) -> Kept:
        if not plan.planned:
            return Kept((), plan.skipped)
        skipped, kept = Counter(plan.skipped), list[ReflectedInsight]()
        gone, undecided = await _gone(view, scope, plan), await _undecided(view, scope, plan)
        earlier, statements, ended = Earlier(), Statements(), set[UUID]()
        for each in plan.planned:
            if not gone.isdisjoint(each.insight.source_ids):
                skipped["source_changed"] += 1
                continue
            if (content_hash(each.memory.content), each.memory.user_id) in undecided:
                skipped["reviewed_before"] += 1
                continue
            around = met_after(each.item, each.around, earlier, ended) or each.around
            ruling = await self._rule(each, around, statements)
            if ruling.outcome == "skipped":
                skipped[ruling.reason] += 1
                continue
            told = _told(each, ruling)
            if unit is not None:
                told = await _store(unit, scope, plan, each, ruling, policy, actor, now)
            if ruling.outcome in ("created", "superseded") or ruling.resolution.verdict is Verdict.CONFLICT:
                earlier.add(each.item)
                if ruling.outcome == "superseded":
                    ended.update(ruling.resolution.memory_ids)
            kept.append(told)
        return Kept(tuple(kept), skipped)

    async def _rule(self, each: Planned, around: Surroundings, statements: Statements) -> _Ruling:
        sources = set(each.insight.source_ids)
        if each.insight.category is Category.ABSTRACT:
            # the episodes that it folds are what it is like; they end in its favour
            around = Surroundings(None, ())
        resolution = await decide(statements.of(each.memory), around, self._resolver, self._lines, statements)
        if not sources.isdisjoint(resolution.memory_ids):
            return _Ruling("skipped", resolution, "already_known")
        if resolution.verdict is Verdict.DUPLICATE:
            return _Ruling("merged", resolution)
        if each.memory.state is State.PENDING_REVIEW:
            return _Ruling("review", replace(resolution, verdict=Verdict.NEW))
        if resolution.verdict is Verdict.SUPERSEDES:
            met = {near.memory.memory_id: near.memory for near in around.near}
            said = each.insight.event_time
            if any(met[one].event_time > said for one in resolution.memory_ids if one in met):
                return _Ruling("skipped", resolution, "older_than_known")
            return _Ruling("superseded", resolution)
        return _Ruling("review" if resolution.verdict is Verdict.CONFLICT else "created", resolution)


async def _gone(view: View, scope: Scope, plan: Plan) -> set[UUID]:
    """Sources that are no longer what was read: forgotten, ended, changed, erased."""
    wanted = {source_id for each in plan.planned for source_id in each.insight.source_ids}
    turns = [one for one in wanted if plan.sources[one].kind is None]
    memories = [one for one in wanted if plan.sources[one].kind is not None]
    there = set(await view.turns_by_id(scope, turns)) if turns else set()
    for memory_id, memory in (await view.get(scope, memories)).items():
        if memory.state is State.ACTIVE and memory.revision == plan.sources[memory_id].revision:
            there.add(memory_id)
    return wanted - there


async def _undecided(view: View, scope: Scope, plan: Plan) -> set[tuple[bytes, str]]:
    """What waits in a review, or was rejected in one: it is not proposed again."""
    users = tuple({each.memory.user_id for each in plan.planned} - {""})
    states = (State.PENDING_REVIEW, State.REJECTED)
    held = await view.list(scope, Filter(states=states, user_ids=users), limit=_REMEMBERED)
    return {(content_hash(memory.content), memory.user_id) for memory in held}


async def _store(
    unit: Unit, scope: Scope, plan: Plan, each: Planned, ruling: _Ruling, policy: Policy, actor: str, now: datetime
) -> ReflectedInsight:
    resolution, told = ruling.resolution, _told(each, ruling)
    if ruling.outcome == "merged":
        await _support(unit, scope, each, resolution.memory_ids[0], plan.average_length, actor)
        return told
    form = each.item.form(plan.average_length)
    (memory,) = await unit.insert(scope, [form], actor=actor, action="reflect")
    if memory.memory_id != form.memory.memory_id:
        return replace(told, memory_id=memory.memory_id, outcome="merged")
    days = policy.review_window_days or DEFAULTS.review_window_days or 7
    expire_time = now + timedelta(days=days)
    if each.insight.category is Category.ABSTRACT:
        folded, when = each.insight.source_ids, memory.event_time
        await unit.supersede(scope, folded, memory.memory_id, actor=actor, reason="compressed", when=when)
    elif resolution.verdict is Verdict.SUPERSEDES:
        when = memory.valid_from or memory.event_time
        old, reason = resolution.memory_ids, resolution.reason
        await unit.supersede(scope, old, memory.memory_id, actor=actor, reason=reason, when=when)
    elif resolution.verdict is Verdict.CONFLICT:
        others = resolution.memory_ids
        review_id = await unit.link_conflict(scope, memory.memory_id, others, expire_time=expire_time)
        return replace(told, review_id=review_id)
    elif memory.state is State.PENDING_REVIEW:
        cause = ReviewCause.LOW_CONFIDENCE
        review_id = await unit.open_review(scope, cause, [memory.memory_id], expire_time=expire_time)
        return replace(told, review_id=review_id)
    return told


async def _support(unit: Unit, scope: Scope, each: Planned, memory_id: UUID, average_length: float, actor: str) -> None:
    """Names the further sources on the memory that says it already, when that was derived, too."""
    held = (await unit.get(scope, [memory_id])).get(memory_id)
    if held is None or not held.source_ids or held.visibility is not each.memory.visibility:
        return
    sources = tuple(dict.fromkeys([*held.source_ids, *each.insight.source_ids]))[-MOST_SOURCES:]
    if set(sources) == set(held.source_ids):
        return
    memory = replace(
        held,
        source_ids=sources,
        confidence=max(held.confidence, each.memory.confidence),
        metadata={**held.metadata, "support": len(sources)},
        revision=held.revision + 1,
        update_time=each.memory.update_time,
    )
    form = indexing.indexed(memory, identity(memory), average_length, None, None)
    reason = "said_again"
    await unit.replace(scope, form, expected_revision=held.revision, action="reflect", actor=actor, reason=reason)


def _told(each: Planned, ruling: _Ruling) -> ReflectedInsight:
    insight, memory = each.insight, each.memory
    held = ruling.resolution.memory_ids[0] if ruling.outcome == "merged" else memory.memory_id
    return ReflectedInsight(
        str(insight.category),
        memory.content,
        memory.confidence,
        insight.source_ids,
        insight.support,
        ruling.outcome,
        insight.counterfactual,
        held,
        None,
        memory.visibility,
        memory.agent_id,
    )
