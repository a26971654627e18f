"""What the rules of retention look at."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from recalld_server.model import EVERY_AGENT, Kind, Policy, Scope
from recalld_server.store.base import Aged
from recalld_server.store.postgres.pool import Pool
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.rows import aware, policy_from_json
from recalld_server.store.postgres.transaction import Row, Transaction

_AGED = ("memory_id", "kind", "user_id", "create_time", "update_time", "confidence")
SQL = load("retention.sql", aged=", ".join(f"m.{name}" for name in _AGED))


class RetentionReading:
    """RetentionReads over one transaction."""

    _transaction: Transaction

    async def written_before(self, scope: Scope, kind: Kind, before: datetime, *, limit: int) -> tuple[Aged, ...]:
        namespace_id = self._transaction.check(scope)
        return _aged(await self._transaction.fetch(SQL["written"], namespace_id, int(kind), before, limit))

    async def doubtful_before(
        self, scope: Scope, confidence: float, before: datetime, *, limit: int
    ) -> tuple[Aged, ...]:
        namespace_id = self._transaction.check(scope)
        return _aged(await self._transaction.fetch(SQL["doubtful"], namespace_id, confidence, before, limit))

    async def idle_before(self, scope: Scope, before: datetime, *, limit: int) -> tuple[Aged, ...]:
        return _aged(await self._transaction.fetch(SQL["idle"], self._transaction.check(scope), before, limit))

    async def weakest(self, scope: Scope, cap: int, *, half_life_days: float, limit: int) -> tuple[Aged, ...]:
        namespace_id = self._transaction.check(scope)
        if await self._transaction.value(SQL["episodes"], namespace_id) <= cap:
            return ()  # nobody can have more, and nothing needs to be sorted
        return _aged(await self._transaction.fetch(SQL["weakest"], namespace_id, cap, half_life_days, limit))

    async def forgotten_before(self, scope: Scope, before: datetime, *, limit: int) -> tuple[UUID, ...]:
        rows = await self._transaction.fetch(SQL["forgotten"], self._transaction.check(scope), before, limit)
        return tuple(row["memory_id"] for row in rows)


class PostgresRetained:
    """Retained over a pool. Made by `PostgresStore.retained`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def claim(self, every: timedelta, limit: int) -> tuple[tuple[Scope, Policy], ...]:
        async with self._pool.transaction(None, (), EVERY_AGENT, write=True) as transaction:
            return _places(await transaction.fetch(SQL["claim"], every, limit))

    async def with_forgotten(self, days: int, limit: int) -> tuple[tuple[Scope, Policy], ...]:
        async with self._pool.transaction(None, (), EVERY_AGENT, write=False) as transaction:
            return _places(await transaction.fetch(SQL["with_forgotten"], days, limit))


def _places(rows: Iterable[Row]) -> tuple[tuple[Scope, Policy], ...]:
    return tuple(
        (
            Scope(row["tenant_id"], row["namespace_id"], row["namespace"], EVERY_AGENT),
            policy_from_json(row["policy"]),
        )
        for row in rows
    )


def _aged(rows: Iterable[Row]) -> tuple[Aged, ...]:
    return tuple(
        Aged(
            row["memory_id"],
            Kind(row["kind"]),
            row["user_id"],
            aware(row["create_time"]),
            aware(row["update_time"]),
            row["confidence"],
            row.get("strength", 0.0),
        )
        for row in rows
    )
