"""The queue of memories that wait to be indexed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from recalld_server.model import EVERY_AGENT, Scope
from recalld_server.store.base import IndexJob
from recalld_server.store.postgres.pool import Pool
from recalld_server.store.postgres.queries import load

SQL = load("jobs.sql")


class PostgresIndexJobs:
    """IndexJobs over a pool. Made by `PostgresStore.index_jobs`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def claim(self, limit: int, lease: timedelta) -> tuple[IndexJob, ...]:
        async with self._pool.transaction(None, (), EVERY_AGENT, write=True) as transaction:
            rows = await transaction.fetch(SQL["claim"], limit, lease)
        return tuple(
            IndexJob(
                Scope(row["tenant_id"], row["namespace_id"], row["namespace"], row["agent_id"]),
                row["memory_id"],
                row["attempts"],
                row["traceparent"] or "",
            )
            for row in rows
        )

    async def rest(self, jobs: Sequence[IndexJob], pause: timedelta, *, counted: bool = True) -> None:
        if not jobs:
            return
        scopes = list({job.scope.namespace_id: job.scope for job in jobs}.values())
        for tenant_id in {scope.tenant_id for scope in scopes}:
            own = [scope for scope in scopes if scope.tenant_id == tenant_id]
            held = [job for job in jobs if job.scope.tenant_id == tenant_id]
            async with self._pool.transaction(tenant_id, own, EVERY_AGENT, write=True) as transaction:
                await transaction.row(
                    SQL["rest"],
                    [job.scope.namespace_id for job in held],
                    [job.memory_id for job in held],
                    [job.attempts for job in held],
                    pause,
                    counted,
                )

    async def sweep(self) -> int:
        return await self._all("SELECT sweep_index_jobs()")

    async def retry_failed(self) -> int:
        return await self._all("SELECT retry_failed_indexing()")

    async def _all(self, sql: str) -> int:
        async with self._pool.transaction(None, (), EVERY_AGENT, write=True) as transaction:
            return int(await transaction.value(sql))
