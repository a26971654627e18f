"""Runs reflections: those that were asked for, those that are scheduled, and the look backs that sessions set off.

Every server runs one. A reflection is held by a lease that is renewed while its server lives, and goes on in steps, each
stored whole, so that a crash loses a step's work and doubles nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta

import structlog

from recalld_server import telemetry
from recalld_server.core.distill import Limits
from recalld_server.core.reflect.steps import Steps
from recalld_server.core.reflect.targets import USUAL
from recalld_server.errors import ModelUnavailable, Unavailable
from recalld_server.model import EVERY_AGENT, Reflection, ReflectionScope, ReflectionState, utc_now
from recalld_server.store.base import LeaseLost, ReflectionJob, ReflectionJobs, SessionJob, SessionJobs, Store

log = structlog.get_logger(__name__)


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


class Runner:
    """A worker of both queues. `wake` is set when something was put there by this process."""

    def __init__(
        self, store: Store, jobs: ReflectionJobs, session_jobs: SessionJobs, steps: Steps, options: RunnerOptions
    ) -> None:
        self._store = store
        self._jobs = jobs
        self._session_jobs = session_jobs
        self._steps = steps
        self._options = options
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
        if job.attempts > self._options.patient_attempts:
            with suppress(LeaseLost):
                await self._end(job, ReflectionState.FAILED, "the server ended during each attempt")
            return
        try:
            error = await self._steps.carry_on(job)
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
