"""Reflections: what was asked, what was looked at, and the queue of those that are to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from recalld_server.model import (
    Json,
    Memory,
    ReflectedInsight,
    Reflection,
    ReflectionState,
    ReflectionTarget,
    Scope,
    TimeSpan,
)
from recalld_server.store.base.sessions import SessionJob


@dataclass(frozen=True, slots=True)
class ReflectionJob:
    """A reflection that is to run, held until the lease ends. `scope` is that of `Reflection.agent_id`;
    `session_job` is the look back on a session that it stands for, if any."""

    scope: Scope
    reflection_id: UUID
    attempts: int
    """This one included."""
    session_job: SessionJob | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """What one step of a reflection adds: to its counts, to what was skipped and why, to its insights; and where it
    stands then. `looked_at` are the sources, each with its revision, that need not be looked at again for `targets`."""

    position: Mapping[str, Json]
    progress: float
    counts: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    insights: tuple[ReflectedInsight, ...] = ()
    looked_at: tuple[tuple[UUID, int], ...] = ()
    targets: tuple[ReflectionTarget, ...] = ()
    tokens: int = 0
    calls: int = 0


class ReflectionReads(Protocol):
    """Reads of reflections. They belong to their namespace; insights have the visibility of what they are made of."""

    async def reflection(self, scope: Scope, reflection_id: UUID) -> Reflection | None:
        """With its insights as far as this agent may read them. A look back on a session that waits reads as PENDING."""

    async def position(self, scope: Scope, reflection_id: UUID) -> Mapping[str, Json]:
        """What the last step stored; empty before the first."""

    async def looked_at(
        self, scope: Scope, sources: Sequence[tuple[UUID, int]], targets: Sequence[ReflectionTarget]
    ) -> dict[UUID, frozenset[ReflectionTarget]]:
        """For which targets each of these sources was looked at, in that revision; absent: for none."""

    async def new_memories(
        self,
        scope: Scope,
        targets: Sequence[ReflectionTarget],
        *,
        before: tuple[datetime, UUID] | None,
        limit: int,
    ) -> tuple[Memory, ...]:
        """Live memories that were not derived from others and not looked at for one of the targets, newest first."""

    async def sessions_between(
        self, scope: Scope, span: TimeSpan, *, after: str, unless: Sequence[ReflectionTarget], limit: int
    ) -> tuple[tuple[str, str], ...]:
        """Sessions with a turn in the span, by name, those behind `after`: session_id and user_id. With `unless`: only
        those with a turn that was not looked at for one of these."""

    async def private_agents(self, scope: Scope) -> tuple[str, ...]:
        """Agents that have live private memories here, by name; needs a scope of every agent."""

    async def derived(self, scope: Scope, source_ids: Sequence[UUID]) -> tuple[Memory, ...]:
        """The memories, in whatever state, that were derived from any of these and that this agent may read."""


class ReflectionWrites(ReflectionReads, Protocol):
    """Changes of reflections."""

    async def add_reflection(self, scope: Scope, reflection: Reflection, *, held_by_session: bool = False) -> bool:
        """Stores a reflection; False when it is there already. Unless it is held by a session's job, its own job is due."""

    async def advance(self, scope: Scope, job: ReflectionJob, step: Step) -> None:
        """Adds what a step did. Raises LeaseLost when the job is no longer held, or the reflection was cancelled."""

    async def end_reflection(self, scope: Scope, job: ReflectionJob, state: ReflectionState, error: str) -> None:
        """Ends a reflection that runs, once. Raises LeaseLost."""

    async def cancel_reflection(self, scope: Scope, reflection_id: UUID) -> bool:
        """Ends a reflection that has not ended; False when it has, or there is none."""

    async def free_sources(self, scope: Scope, source_ids: Sequence[UUID]) -> None:
        """Forgets that these were looked at, so that the next reflection does so again."""

    async def drop_insights(self, scope: Scope, memory_ids: Sequence[UUID]) -> None:
        """Removes from the records of reflections what these memories hold, and what was told of them in dry runs."""

    def every_agent(self, scope: Scope) -> AbstractAsyncContextManager[None]:
        """Inside it this unit reads and changes private memories of every agent: for what must follow from a change,
        never for what a caller asks to see."""


class ReflectionJobs(Protocol):
    """The queue of reflections that are to run, of all tenants, the oldest first."""

    async def claim(self, limit: int, lease: timedelta) -> tuple[ReflectionJob, ...]:
        """Takes those that are due and free; each RUNNING from now on. One whose holder died is free again when the
        lease has passed. Lease and pauses are shorter than an hour, as in IndexJobs."""

    async def begin(self, job: SessionJob, reflection: Reflection) -> ReflectionJob:
        """The reflection that a look back on a session becomes, RUNNING from now on, held as long as the session's job."""

    async def traceparent(self, job: ReflectionJob) -> str:
        """The span of the call that asked for it; empty when nobody traces it."""

    async def rest(self, job: ReflectionJob, pause: timedelta) -> None:
        """Frees a job after a pause; or, while it is at work, holds it for that long. One whose lease was lost is left
        alone."""

    async def tokens(self, tenant_id: UUID, since: timedelta) -> int:
        """Tokens of chat models that the tenant's reflections used so far back."""

    async def sweep(self, older: timedelta) -> int:
        """Drops reflections that ended so long ago, and dry runs that ended a day ago; how many."""


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A namespace with a schedule, in a scope of every agent. `known`: as it was when it was last looked at; `tick`: the
    last time that was taken."""

    scope: Scope
    line: str
    time_zone: str
    known: bool
    tick: datetime | None


class ReflectionSchedules(Protocol):
    """The schedules of all namespaces."""

    async def scheduled(self) -> tuple[Scheduled, ...]:
        """Namespaces whose policy has a schedule."""

    async def take(self, scheduled: Scheduled, tick: datetime, reflection: Reflection | None) -> bool:
        """Notes a tick, and with it starts its reflection; False when another server has taken it, or a later one."""
