"""Grants."""

from __future__ import annotations

from uuid import UUID

from recalld_server.model import NOBODY, Actor, Grant, Grantee, Json, Request, Role, new_id
from recalld_server.store.base import NewGrant
from recalld_server.store.postgres import requests
from recalld_server.store.postgres.audit import SQL, note
from recalld_server.store.postgres.pool import Pool
from recalld_server.store.postgres.transaction import Row


class PostgresGrants:
    """Grants over a pool."""

    _pool: Pool

    async def create_grant(
        self,
        tenant_id: UUID,
        namespace_id: UUID,
        new: NewGrant,
        *,
        request: Request | None = None,
        actor: Actor = NOBODY,
    ) -> Grant | None:
        async with self._pool.transaction(tenant_id, (), actor.agent_id, write=True, actor=actor) as transaction:
            claim = await requests.take(transaction, tenant_id, actor.agent_id, request)
            row = await transaction.row(
                SQL["create_grant"],
                *(tenant_id, namespace_id, new_id(), int(new.grantee), new.name),
                *(int(new.role), new.recursive, new.expire_time, actor.agent_id),
            )
            if row is None:
                await requests.withdraw(transaction, claim)
                return None
            grant = _grant(row)
            await note(transaction, tenant_id, actor, grant.namespace, [str(grant.grant_id)])
            await requests.remember(transaction, claim, {"answer": _grant_to_json(grant)})
            return grant

    async def list_grants(
        self, tenant_id: UUID, namespace_id: UUID, *, after: UUID | None, limit: int
    ) -> tuple[Grant, ...]:
        async with self._pool.transaction(tenant_id, (), "", write=False) as transaction:
            rows = await transaction.fetch(SQL["list_grants"], tenant_id, namespace_id, after, limit)
            return tuple(_grant(row) for row in rows)

    async def revoke_grant(
        self,
        tenant_id: UUID,
        namespace_id: UUID,
        grant_id: UUID,
        *,
        request: Request | None = None,
        actor: Actor = NOBODY,
    ) -> bool:
        async with self._pool.transaction(tenant_id, (), actor.agent_id, write=True, actor=actor) as transaction:
            claim = await requests.take(transaction, tenant_id, actor.agent_id, request)
            row = await transaction.row(SQL["revoke_grant"], tenant_id, namespace_id, grant_id)
            if row is None:
                await requests.withdraw(transaction, claim)
                return False
            await note(transaction, tenant_id, actor, row["namespace"], [str(grant_id)])
            await requests.remember(transaction, claim, {"answer": True})
            return True


def _grant(row: Row) -> Grant:
    return Grant(
        row["grant_id"],
        row["namespace"],
        Grantee(row["grantee_type"]),
        row["grantee"],
        Role(row["role"]),
        row["recursive"],
        row["create_time"],
        row["expire_time"],
    )


def _grant_to_json(grant: Grant) -> dict[str, Json]:
    """The grant as its fields, in JSON."""
    return {
        "grant_id": str(grant.grant_id),
        "namespace": grant.namespace,
        "grantee": int(grant.grantee),
        "name": grant.name,
        "role": int(grant.role),
        "recursive": grant.recursive,
        "create_time": grant.create_time.isoformat(),
        "expire_time": grant.expire_time.isoformat() if grant.expire_time else None,
    }
