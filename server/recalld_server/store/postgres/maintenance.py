"""What the server does by itself so that reads stay fast and nothing stays longer than it should.

Every method does a bounded amount of work, may run in several processes at once, and may be stopped at any time.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from recalld_server.model import EVERY_AGENT, SYSTEM, Scope, State
from recalld_server.store.postgres.candidates import SearchOptions
from recalld_server.store.postgres.models import Model
from recalld_server.store.postgres.pool import HASH_JOINS, Pool
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.rows import Reader
from recalld_server.store.postgres.transaction import Row, Transaction
from recalld_server.store.postgres.unit import PostgresUnit

SQL = load("maintenance.sql", hash_joins=HASH_JOINS)


@dataclass(frozen=True, slots=True)
class MaintenanceOptions:
    """When what is done."""

    counted_from: int = 50
    """Live memories from which a namespace has statistics; they are renewed when it has grown by a tenth."""
    ann_from: int = 10_000
    """Live memories from which a namespace's vectors go into the HNSW index."""
    ann_chunk: int = 200
    """Vectors that one transaction moves there; each takes about 2 ms."""
    fresh_tail: int = 1_000
    """Vectors that may wait outside the index, where every search reads them all."""
    keep_requests: timedelta = timedelta(hours=24)
    keep_changes: timedelta = timedelta(days=7)
    keep_searches: timedelta = timedelta(days=90)
    keep_audit: timedelta | None = None
    """None: for ever."""
    batch: int = 100
    """Namespaces, or memories of one, that one call handles."""


class Maintenance:
    """The chores. Made by `PostgresStore.maintenance`."""

    def __init__(self, pool: Pool, model: Model, reader: Reader, options: MaintenanceOptions) -> None:
        self._pool = pool
        self._model = model
        self._reader = reader
        self._options = options

    async def refresh_statistics(self) -> int:
        """Counts terms and averages vectors of namespaces that are new or have changed by a tenth; how many."""
        options = self._options
        due = await self._due(SQL["to_count"], self._model.model_id, options.counted_from, options.batch)
        for scope in due:
            async with self._writing(scope) as transaction:
                # one at a time in a namespace, or two would insert the same terms in another order
                await transaction.row(SQL["lock"], str(scope.namespace_id))
                await transaction.row(SQL["count_terms"], scope.namespace_id)
                await transaction.row(SQL["count_memories"], scope.namespace_id, self._model.model_id)
        return len(due)

    async def turn_on_ann(self, *, chunks: int = 10) -> int:
        """Moves vectors of large namespaces into the HNSW index, `chunks` transactions at most; how many vectors."""
        options, moved = self._options, 0
        for scope in await self._due(SQL["large"], self._model.model_id, options.ann_from):
            waiting = await self._fresh(scope)
            while chunks > 0 and waiting > options.fresh_tail:
                async with self._writing(scope) as transaction:
                    await transaction.row(SQL["turn_on"], scope.namespace_id, self._model.model_id, options.ann_chunk)
                chunks -= 1
                before, waiting = waiting, await self._fresh(scope)
                moved += max(0, before - waiting)
            if waiting <= options.fresh_tail:
                async with self._writing(scope) as transaction:
                    await transaction.row(SQL["use_ann"], scope.namespace_id, self._model.model_id)
        return moved

    async def sweep_expired(self) -> int:
        """Stores EXPIRED for memories past their time, which read so already; how many."""
        swept = 0
        for scope in await self._due(SQL["with_expired"], self._options.batch):
            async with self._writing(scope) as transaction:
                unit = PostgresUnit(transaction, self._model, self._reader, SearchOptions(), None)
                await unit.lock(scope)
                rows = await transaction.fetch(SQL["expired"], scope.namespace_id, self._options.batch)
                ids = [row["memory_id"] for row in rows]
                swept += len(await unit.set_state(scope, ids, State.EXPIRED, actor=SYSTEM, action="expire", reason=""))
                await transaction.row(SQL["expired_slots"], scope.namespace_id)
        return swept

    async def sweep_requests(self) -> int:
        """Drops answers that no retry asks for any more; how many."""
        return await self._sweep("SELECT sweep_requests($1)", self._options.keep_requests)

    async def sweep_changes(self) -> int:
        """Drops change events that no watcher can resume from any more; how many."""
        return await self._sweep("SELECT sweep_changes($1)", self._options.keep_changes)

    async def sweep_searches(self) -> int:
        """Drops what is kept about searches; how many."""
        return await self._sweep("SELECT sweep_searches($1)", self._options.keep_searches)

    async def sweep_audit(self) -> int:
        """Drops audit events that are no longer kept; how many."""
        keep = self._options.keep_audit
        return 0 if keep is None else await self._sweep("SELECT sweep_audit($1)", keep)

    async def _sweep(self, sql: str, older: timedelta) -> int:
        async with self._pool.transaction(None, (), EVERY_AGENT, write=True) as transaction:
            return int(await transaction.value(sql, older))

    async def _fresh(self, scope: Scope) -> int:
        async with self._pool.transaction(scope.tenant_id, [scope], EVERY_AGENT, write=False) as transaction:
            return int(await transaction.value(SQL["fresh"], scope.namespace_id, self._model.model_id))

    def _writing(self, scope: Scope) -> AbstractAsyncContextManager[Transaction]:
        return self._pool.transaction(scope.tenant_id, [scope], EVERY_AGENT, write=True)

    async def _due(self, sql: str, *args: object) -> list[Scope]:
        async with self._pool.transaction(None, (), EVERY_AGENT, write=False) as transaction:
            return [_scope(row) for row in await transaction.fetch(sql, *args)]


def _scope(row: Row) -> Scope:
    tenant_id: UUID = row["tenant_id"]
    return Scope(tenant_id, row["namespace_id"], "", EVERY_AGENT)
