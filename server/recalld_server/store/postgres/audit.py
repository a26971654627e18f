"""The audit log."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from recalld_server.model import Actor, AuditEvent
from recalld_server.store.base import AuditQuery
from recalld_server.store.postgres.pool import Pool
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.transaction import Row, Transaction

SQL = load("grants.sql")

OK = "OK"


async def note(
    transaction: Transaction,
    tenant_id: UUID,
    actor: Actor,
    namespace: str,
    target_ids: Sequence[str],
    outcome: str = OK,
) -> None:
    """Writes down what this transaction does; nothing when it is the server's own doing."""
    if actor.action:
        await transaction.row(SQL["note"], tenant_id, namespace, list(target_ids), outcome)


class PostgresAudit:
    """AuditRecords over a pool."""

    _pool: Pool

    async def note(
        self, tenant_id: UUID, namespace: str, target_ids: Sequence[str], outcome: str, actor: Actor
    ) -> None:
        async with self._pool.transaction(tenant_id, (), actor.agent_id, write=True, actor=actor) as transaction:
            await note(transaction, tenant_id, actor, namespace, target_ids, outcome)

    async def list_audit(
        self, tenant_id: UUID, query: AuditQuery, *, before: UUID | None, limit: int
    ) -> tuple[AuditEvent, ...]:
        places = None if query.namespaces is None else list(query.namespaces)
        async with self._pool.transaction(tenant_id, (), "", write=False) as transaction:
            rows = await transaction.fetch(
                SQL["list_audit"], tenant_id, before, places, query.agent_id, query.span.start, query.span.end, limit
            )
            return tuple(_event(row) for row in rows)


def _event(row: Row) -> AuditEvent:
    return AuditEvent(
        row["event_id"],
        row["create_time"],
        Actor(row["agent_id"], row["key_id"], row["action"]),
        row["namespace"],
        tuple(row["target_ids"]),
        row["outcome"],
    )
