"""Runs reflections: those that were asked for, those that are scheduled, and the look backs that sessions set off.

Every server runs one. A reflection is held by a lease that is renewed while its server lives, and goes on in steps: what a
step made, what it looked at and how far it came are stored in one transaction, so that a crash loses a step's work and
doubles nothing. No connection is held while a model is asked.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

import structlog

from recalld_server import telemetry
from recalld_server.core.distill import Budget, Distiller, Insight, Limits, Source
from recalld_server.core.reflect.keeping import Keeper, Kept, Plan
from recalld_server.core.reflect.material import Batch, Material
from recalld_server.core.reflect.stale import stale
from recalld_server.core.reflect.targets import TARGET, USUAL, categories, distilled
from recalld_server.errors import ModelUnavailable, Unavailable
from recalld_server.model import (
    EVERY_AGENT,
    Policy,
    Reflection,
    ReflectionScope,
    ReflectionState,
    ReflectionTarget,
    State,
    Visibility,
    utc_now,
)
from recalld_server.store.base import (
    Directory,
    LeaseLost,
    ReflectionJob,
    ReflectionJobs,
    SessionJob,
    SessionJobs,
    Step,
    Store,
)
from recalld_server.text.clean import is_blank

log = structlog.get_logger(__name__)

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class RunnerOptions:
    """How the queue is worked off. Times in seconds."""

    lease: float = 30.0
    """How long a reflection stays taken after its server died."""
    attempts: int = 3
    """After so many, one that somebody asked for and waits for FAILED; what it had not looked at stays eligible."""
    patient_attempts: int = 8
    """The same for one that a session or a schedule set off: nobody would ask again."""
    first_pause: float = 0.5
    """Before the second attempt; four times as long before each one after, up to `longest_pause`."""
    longest_pause: float = 300.0
    model_timeout: float = 120.0
    limits: Limits = Limits()
    """Of the chat model, where there is one."""
    keep_days: float = 30.0
    """How long the record of a reflection stays readable."""


@dataclass(frozen=True, slots=True)
class _Run:
    """A reflection at work."""

    job: ReflectionJob
    reflection: Reflection
    policy: Policy
    budget: Budget

    @property
    def actor(self) -> str:
        return self.reflection.actor


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


class Runner:
    """A worker of both queues. `wake` is set when something was put there by this process."""

    def __init__(
        self,
        store: Store,
        directory: Directory,
        jobs: ReflectionJobs,
        session_jobs: SessionJobs,
        distiller: Distiller,
        keeper: Keeper,
        options: RunnerOptions | None = None,
    ) -> None:
        self._store = store
        self._directory = directory
        self._jobs = jobs
        self._session_jobs = session_jobs
        self._distiller = distiller
        self._keeper = keeper
        self._options = options or RunnerOptions()
        self.wake = asyncio.Event()

    async def run(self) -> int:
        """Runs one reflection as far as it comes. Returns how many it took: 0, there is none."""
        lease = timedelta(seconds=self._options.lease)
        jobs: Sequence[ReflectionJob] = await self._jobs.claim(1, lease)
        if not jobs:
            jobs = [await self._begin(job) for job in await self._session_jobs.claim(1, lease)]
        for job in jobs:
            async with self._held(job):
                cause = await self._jobs.traceparent(job) if telemetry.tracing() else ""
                with telemetry.span("reflect", links=[cause]):
                    await self._attempt(job)
                telemetry.count_jobs("reflection", "attempted")
        return len(jobs)

    async def sweep(self) -> int:
        """Drops records that are old; how many."""
        return await self._jobs.sweep(timedelta(days=self._options.keep_days))

    async def _begin(self, job: SessionJob) -> ReflectionJob:
        scope = ReflectionScope(session_id=job.session_id)
        agent = job.scope.agent_id
        reflection = Reflection(
            job.job_id, job.scope.namespace, ReflectionState.RUNNING, scope, USUAL, agent, agent, utc_now()
        )
        return await self._jobs.begin(job, reflection)

    @asynccontextmanager
    async def _held(self, job: ReflectionJob) -> AsyncIterator[None]:
        """Renews the lease until the end; frees at once what a server that stops has not finished."""
        beat = asyncio.create_task(self._renew(job))
        try:
            yield
        except asyncio.CancelledError:
            with suppress(Unavailable):  # then the lease ends by itself
                await self._jobs.rest(job, timedelta(0))
            raise
        finally:
            beat.cancel()

    async def _renew(self, job: ReflectionJob) -> None:
        while True:
            await asyncio.sleep(self._options.lease / 3)
            with suppress(Unavailable):  # tried again before the lease ends
                await self._jobs.rest(job, timedelta(seconds=self._options.lease))

    async def _attempt(self, job: ReflectionJob) -> None:
        try:
            error = await self._carry_on(job)
            await self._end(job, ReflectionState.FAILED if error else ReflectionState.SUCCEEDED, error)
        except LeaseLost:
            await self._leave(job)
        except ModelUnavailable as fault:
            await self._again(job, str(fault))
        except Unavailable:
            raise
        except Exception as fault:  # noqa: BLE001 - a fault with one reflection must not hold up the others for ever
            log.warning("a reflection failed", attempt=job.attempts, cause=type(fault).__name__)
            await self._again(job, f"a fault of the server ({type(fault).__name__})")

    async def _again(self, job: ReflectionJob, error: str) -> None:
        options = self._options
        by_itself = job.session_job is not None or job.scope.agent_id == EVERY_AGENT
        if job.attempts >= (options.patient_attempts if by_itself else options.attempts):
            with suppress(LeaseLost):
                await self._end(job, ReflectionState.FAILED, error)
        else:
            pause = min(options.longest_pause, options.first_pause * 4 ** (job.attempts - 1))
            await self._jobs.rest(job, timedelta(seconds=pause))

    async def _leave(self, job: ReflectionJob) -> None:
        """Lets go of a reflection that was cancelled, or taken over."""
        if job.session_job is None:
            return
        async with self._store.view([job.scope]) as view:
            reflection = await view.reflection(job.scope, job.reflection_id)
        if reflection is not None and reflection.state.final:
            with suppress(LeaseLost):
                async with self._store.unit(job.scope) as unit:
                    await unit.finish_job(job.scope, job.session_job)

    async def _end(self, job: ReflectionJob, state: ReflectionState, error: str) -> None:
        async with self._store.unit(job.scope) as unit:
            await unit.end_reflection(job.scope, job, state, error)
            if job.session_job is not None:
                # what failed was not noted as looked at: the next look back on the session meets it again
                await unit.finish_job(job.scope, job.session_job)

    async def _carry_on(self, job: ReflectionJob) -> str:
        """The steps that are left. Returns what went wrong with some of the sources, if anything did."""
        async with self._store.view([job.scope]) as view:
            reflection = await view.reflection(job.scope, job.reflection_id)
            position = await view.position(job.scope, job.reflection_id)
        if reflection is None or reflection.state.final:
            raise LeaseLost
        namespace = await self._directory.get_namespace(job.scope.tenant_id, job.scope.namespace)
        if namespace is None:
            raise LeaseLost
        spent = await self._jobs.tokens(job.scope.tenant_id, _DAY) if self._options.limits.tenant_tokens else 0
        run = _Run(job, reflection, namespace.policy, Budget(self._options.limits, tenant_spent=spent))
        material = Material(self._store, job.scope, reflection, run.policy.default_visibility or Visibility.SHARED)
        error, steps = "", 0
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
        actor = run.actor
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
                timeout=self._options.model_timeout,
                budget=run.budget,
            )
            skipped.update(result.skipped)
            counts["failed"] += len(result.failed)
            tokens, calls, error = tokens + result.tokens, calls + result.calls, result.error or error
            by_id = {source.source_id: source for source in (*context, *own)}
            insights = _new(result.insights, by_id, known, done, skipped)
            if insights:
                plan = self._keeper.plan(
                    batch.scope, run.policy, insights, by_id, now=now, timeout=self._options.model_timeout
                )
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
