"""The steps of one reflection: read, distil what is new person by person, keep it. No connection is held while a model is
asked; what a step made, what it looked at and how far it came are stored in one transaction."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from recalld_server.core.distill import Budget, Distiller, Insight, Limits, Source
from recalld_server.core.reflect.keeping import Keeper, Kept
from recalld_server.core.reflect.material import Batch, Material
from recalld_server.core.reflect.planning import Plan, Planner
from recalld_server.core.reflect.stale import stale
from recalld_server.core.reflect.targets import TARGET, categories, distilled
from recalld_server.model import Policy, Reflection, ReflectionTarget, State, Visibility, utc_now
from recalld_server.store.base import Directory, LeaseLost, ReflectionJob, ReflectionJobs, Step, Store
from recalld_server.text.clean import is_blank

_DAY = timedelta(days=1)
_FAILED_BEFORE = "some of the sources could not be looked at before the server ended"


@dataclass(frozen=True, slots=True)
class _Run:
    """A reflection at work."""

    job: ReflectionJob
    reflection: Reflection
    policy: Policy
    budget: Budget


@dataclass(frozen=True, slots=True)
class _Distilled:
    """What was made of one batch."""

    plans: tuple[Plan, ...]
    looked_at: tuple[tuple[UUID, int], ...]
    counts: Mapping[str, int]
    skipped: Mapping[str, int]
    tokens: int = 0
    calls: int = 0
    error: str = ""


class Steps:
    """Carries reflections on, one step after the other."""

    def __init__(
        self,
        store: Store,
        directory: Directory,
        jobs: ReflectionJobs,
        distiller: Distiller,
        planner: Planner,
        keeper: Keeper,
        *,
        model_timeout: float,
        limits: Limits,
    ) -> None:
        """`model_timeout`: seconds for one call of a model; `limits`: of the chat model in one reflection."""
        self._store = store
        self._directory = directory
        self._jobs = jobs
        self._distiller = distiller
        self._planner = planner
        self._keeper = keeper
        self._timeout = model_timeout
        self._limits = limits

    async def carry_on(self, job: ReflectionJob) -> str:
        """Takes the steps that are left. Returns what went wrong with some of the sources, if anything did. Raises LeaseLost
        when the reflection has ended or is held by another, ModelUnavailable."""
        async with self._store.view([job.scope]) as view:
            reflection = await view.reflection(job.scope, job.reflection_id)
            position = await view.position(job.scope, job.reflection_id)
        if reflection is None or reflection.state.final:
            raise LeaseLost
        namespace = await self._directory.get_namespace(job.scope.tenant_id, job.scope.namespace)
        if namespace is None:
            raise LeaseLost
        spent = await self._jobs.tokens(job.scope.tenant_id, _DAY) if self._limits.tenant_tokens else 0
        run = _Run(job, reflection, namespace.policy, Budget(self._limits, tenant_spent=spent))
        material = Material(self._store, job.scope, reflection, run.policy.default_visibility or Visibility.SHARED)
        error, steps = _FAILED_BEFORE if reflection.counts.get("failed") else "", 0
        async for batch in material.batches(position):
            steps += 1
            # how many there will be is not known before the end
            error = await self._step(run, batch, 1 - 1 / (1 + steps)) or error
        return error

    async def _step(self, run: _Run, batch: Batch, progress: float) -> str:
        now = utc_now()
        made = await self._distil(run, batch, now)
        base = Step(
            batch.position,
            progress,
            made.counts,
            made.skipped,
            looked_at=made.looked_at,
            targets=distilled(run.reflection.targets),
            tokens=made.tokens,
            calls=made.calls,
        )
        if run.reflection.dry_run:
            kept = [await self._keeper.preview(batch.scope, plan, run.policy, now=now) for plan in made.plans]
            expired = [reason for _, reason in stale(batch.memories, run.policy, now)]
            step = replace(_with(base, kept, expired), looked_at=())
            step = replace(step, insights=tuple(replace(each, memory_id=None) for each in step.insights))
            async with self._store.unit(batch.scope) as unit:
                await unit.advance(batch.scope, run.job, step)
            return made.error
        actor = run.reflection.actor
        async with self._store.unit(batch.scope) as unit:
            await unit.lock(batch.scope)
            kept = [
                await self._keeper.carry_out(unit, batch.scope, plan, run.policy, actor=actor, now=now)
                for plan in made.plans
            ]
            expired = []
            for memory, reason in stale(batch.memories, run.policy, now):
                ended = await unit.set_state(
                    batch.scope, [memory.memory_id], State.EXPIRED, actor=actor, action="reflect", reason=reason
                )
                expired += [reason for _ in ended]
            await unit.advance(batch.scope, run.job, _with(base, kept, expired))
        return made.error

    async def _distil(self, run: _Run, batch: Batch, now: datetime) -> _Distilled:
        """What is new in a batch, person by person; without a transaction."""
        targets = distilled(run.reflection.targets)
        sources = batch.sources
        if not sources:
            return _Distilled((), (), {"read": len(batch.memories)} if batch.memories else {}, {})
        async with self._store.view([batch.scope]) as view:
            known = await view.looked_at(batch.scope, [(each.source_id, each.revision) for each in sources], targets)
        done = {each: frozenset(targets) <= known.get(each, frozenset()) for each in (s.source_id for s in sources)}
        counts, skipped = Counter({"read": len(sources)}), Counter({"already_reflected": sum(done.values())})
        plans, looked_at, tokens, calls, error = [], [], 0, 0, ""
        for user_id, own in _by_person(sources).items():
            fresh = [source for source in own if not done[source.source_id]]
            told = [source for source in own if source.tool_calls or not is_blank(source.content)]
            if not any(not done[source.source_id] for source in told):
                looked_at += [(source.source_id, source.revision) for source in fresh]
                skipped["blank"] += len(fresh)
                continue
            context = [source for source in batch.context if source.user_id == user_id]
            result = await self._distiller.distill(
                [*context, *told],
                categories(run.reflection.targets),
                timeout=self._timeout,
                budget=run.budget,
            )
            skipped.update(result.skipped)
            counts["failed"] += len(result.failed)
            tokens, calls, error = tokens + result.tokens, calls + result.calls, result.error or error
            by_id = {source.source_id: source for source in (*context, *own)}
            insights = _new(result.insights, by_id, known, done, skipped)
            if insights:
                plan = self._planner.plan(batch.scope, run.policy, insights, by_id, now=now, timeout=self._timeout)
                plans.append(await plan)
            looked_at += [(s.source_id, s.revision) for s in fresh if s.source_id not in result.failed]
        return _Distilled(tuple(plans), tuple(looked_at), counts, skipped, tokens, calls, error)


def _by_person(sources: Sequence[Source]) -> dict[str, list[Source]]:
    people: dict[str, list[Source]] = defaultdict(list)
    for source in sources:
        people[source.user_id].append(source)
    return people


def _new(
    insights: Sequence[Insight],
    sources: Mapping[UUID, Source],
    known: Mapping[UUID, frozenset[ReflectionTarget]],
    done: Mapping[UUID, bool],
    skipped: Counter[str],
) -> list[Insight]:
    """Those that some source says which was not looked at for this before; all their sources are among those given."""
    new = []
    for insight in insights:
        if not insight.source_ids or any(source_id not in sources for source_id in insight.source_ids):
            skipped["unknown_source"] += 1
        elif all(
            source_id not in done or TARGET[insight.category] in known.get(source_id, frozenset())
            for source_id in insight.source_ids
        ):
            skipped["already_reflected"] += 1
        else:
            new.append(insight)
    return new


def _with(step: Step, kept: Sequence[Kept], expired: Sequence[str]) -> Step:
    """The step with what was kept."""
    insights = tuple(insight for each in kept for insight in each.insights)
    counts, skipped = Counter(step.counts), Counter(step.skipped)
    counts.update(Counter(insight.outcome for insight in insights))
    for each in kept:
        skipped.update(each.skipped)
    if expired:
        counts["expired"] += len(expired)
    counts["skipped"] += sum(skipped.values())
    return replace(step, counts=dict(counts), skipped={k: n for k, n in skipped.items() if n}, insights=insights)
