# ruff: noqa: S608 - the text is ours, every value is bound
"""Orders to forget within a transaction, and those that nobody works on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from uuid import UUID

from recalld_server.model import EVERY_AGENT, Filter, ForgetMode, Scope, State
from recalld_server.store.base import Mark, Order
from recalld_server.store.postgres import filters
from recalld_server.store.postgres.filters import Parameters
from recalld_server.store.postgres.pool import Pool
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.rows import to_json
from recalld_server.store.postgres.transaction import Transaction

SQL = load("orders.sql")


class OrderReading:
    """OrderReads over one transaction."""

    _transaction: Transaction

    async def marks(self, scope: Scope, filter: Filter) -> tuple[Mark, ...]:
        parameters = Parameters(self._transaction.check(scope))
        where = filters.condition(filter, parameters)
        sql = (
            f"SELECT m.memory_id, m.revision, m.state FROM memories m WHERE m.namespace_id = $1 AND {where}"
            " ORDER BY m.create_time DESC, m.memory_id DESC"
        )
        rows = await self._transaction.fetch(sql, *parameters.values)
        return tuple(Mark(row["memory_id"], row["revision"], State(row["state"])) for row in rows)

    async def order(self, scope: Scope, order_id: UUID) -> Order | None:
        row = await self._transaction.row(SQL["get"], self._transaction.check(scope), order_id)
        if row is None:
            return None
        return Order(
            row["order_id"],
            ForgetMode(row["mode"]),
            row["actor"],
            row["reason"],
            tuple(row["user_ids"]),
            tuple(row["session_ids"]),
            row["changed"],
            json.loads(row["counts"]),
            row["create_time"],
            row["finish_time"],
        )


class OrderWriting(OrderReading):
    """OrderWrites over one transaction."""

    async def open_order(self, scope: Scope, order: Order, memory_ids: Sequence[UUID], *, lease: timedelta) -> None:
        await self._transaction.row(
            SQL["open"],
            self._transaction.check(scope),
            order.order_id,
            scope.agent_id,
            order.actor,
            int(order.mode),
            order.reason,
            list(order.user_ids),
            list(order.session_ids),
            lease,
            list(memory_ids),
        )

    async def next_items(self, scope: Scope, order_id: UUID, limit: int) -> tuple[UUID, ...]:
        rows = await self._transaction.fetch(SQL["next"], self._transaction.check(scope), order_id, limit)
        return tuple(row["memory_id"] for row in rows)

    async def note_order(
        self, scope: Scope, order_id: UUID, *, changed: int, counts: Mapping[str, int], finished: bool, lease: timedelta
    ) -> None:
        namespace_id = self._transaction.check(scope)
        await self._transaction.row(
            SQL["note"], namespace_id, order_id, changed, to_json(dict(counts)), finished, lease
        )


async def erase_traces(transaction: Transaction, scope: Scope, memory_ids: Sequence[UUID]) -> Mapping[str, int]:
    """Removes what is kept of memories beside them, whoever caused it: answers to requests, places among what searches
    found, places in the archive, whose files are marked. Call it before they are erased, while the history tells."""
    row = await transaction.row(SQL["traces"], scope.namespace_id, list(memory_ids))
    assert row is not None
    return {name: int(value) for name, value in row.items()}


class PostgresForgetOrders:
    """ForgetOrders over a pool. Made by `PostgresStore.forget_orders`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def claim(self, limit: int, lease: timedelta) -> tuple[tuple[Scope, UUID], ...]:
        async with self._pool.transaction(None, (), EVERY_AGENT, write=True) as transaction:
            rows = await transaction.fetch(SQL["claim"], limit, lease)
        return tuple(
            (Scope(row["tenant_id"], row["namespace_id"], row["namespace"], row["agent_id"]), row["order_id"])
            for row in rows
        )

    async def sweep(self, older: timedelta) -> int:
        async with self._pool.transaction(None, (), EVERY_AGENT, write=True) as transaction:
            return int(await transaction.value(SQL["sweep"], older))
