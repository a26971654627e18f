"""The queue of reflections, and the schedules that put them there."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from recalld_server.model import EVERY_AGENT, Reflection, Scope
from recalld_server.store.base import ReflectionJob, Scheduled, SessionJob
from recalld_server.store.postgres.pool import Pool
from recalld_server.store.postgres.reflections import SQL, add_reflection
from recalld_server.store.postgres.sessions import PostgresSessionJobs


class PostgresReflectionJobs:
    """ReflectionJobs over a pool. Made by `PostgresStore.reflection_jobs`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._sessions = PostgresSessionJobs(pool)

    async def claim(self, limit: int, lease: timedelta) -> tuple[ReflectionJob, ...]:
        async with self._pool.transaction(None, (), EVERY_AGENT, write=True) as transaction:
            rows = await transaction.fetch("SELECT * FROM claim_reflections($1, $2)", limit, lease)
        return tuple(
            ReflectionJob(
                Scope(row["tenant_id"], row["namespace_id"], row["namespace"], row["agent_id"]),
                row["reflection_id"],
                row["attempts"],
            )
            for row in rows
        )

    async def begin(self, job: SessionJob, reflection: Reflection) -> ReflectionJob:
        scope = job.scope
        async with self._pool.transaction(scope.tenant_id, [scope], scope.agent_id, write=True) as transaction:
            await add_reflection(transaction, scope, reflection, held_by_session=True)
            await transaction.row(SQL["begin"], scope.namespace_id, job.job_id, job.attempts)
        return ReflectionJob(scope, job.job_id, job.attempts, job)

    async def traceparent(self, job: ReflectionJob) -> str:
        scope = job.scope
        async with self._pool.transaction(scope.tenant_id, [scope], scope.agent_id, write=False) as transaction:
            return await transaction.value(SQL["traceparent"], scope.namespace_id, job.reflection_id) or ""

    async def rest(self, job: ReflectionJob, pause: timedelta) -> None:
        if job.session_job is not None:
            await self._sessions.rest(job.session_job, pause)
            return
        scope = job.scope
        async with self._pool.transaction(scope.tenant_id, [scope], scope.agent_id, write=True) as transaction:
            await transaction.row(SQL["rest"], scope.namespace_id, job.reflection_id, job.attempts, pause)

    async def tokens(self, tenant_id: UUID, since: timedelta) -> int:
        async with self._pool.transaction(tenant_id, (), EVERY_AGENT, write=False) as transaction:
            return int(await transaction.value("SELECT reflection_tokens($1)", since))

    async def sweep(self, older: timedelta) -> int:
        async with self._pool.transaction(None, (), EVERY_AGENT, write=True) as transaction:
            return int(await transaction.value("SELECT sweep_reflections($1)", older))


class PostgresReflectionSchedules:
    """ReflectionSchedules over a pool. Made by `PostgresStore.reflection_schedules`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def scheduled(self) -> tuple[Scheduled, ...]:
        async with self._pool.transaction(None, (), EVERY_AGENT, write=False) as transaction:
            rows = await transaction.fetch("SELECT * FROM scheduled_namespaces()")
        return tuple(
            Scheduled(
                Scope(row["tenant_id"], row["namespace_id"], row["namespace"], EVERY_AGENT),
                row["line"],
                row["time_zone"],
                row["known"],
                row["tick"],
            )
            for row in rows
        )

    async def take(self, scheduled: Scheduled, tick: datetime, reflection: Reflection | None) -> bool:
        scope, line, zone = scheduled.scope, scheduled.line, scheduled.time_zone
        async with self._pool.transaction(scope.tenant_id, [scope], EVERY_AGENT, write=True) as transaction:
            taken = await transaction.value(SQL["take_tick"], scope.namespace_id, line, zone, tick) is not None
            if taken and reflection is not None:
                await add_reflection(transaction, scope, reflection, held_by_session=False)
        return taken
