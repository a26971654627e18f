"""Keys."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from recalld_server.model import NOBODY, Actor, Json, Key, Request, Role
from recalld_server.store.postgres import requests
from recalld_server.store.postgres.audit import note
from recalld_server.store.postgres.pool import Pool
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.transaction import Row

SQL = load("keys.sql")


class PostgresKeys:
    """The keys of a Directory, over a pool."""

    _pool: Pool

    async def create_key(
        self,
        tenant_id: UUID,
        *,
        key_id: str,
        secret_hash: bytes,
        agent_id: str,
        roles: frozenset[Role],
        namespaces: Sequence[str],
        description: str,
        expire_time: datetime | None,
        confined: bool = False,
        request: Request | None = None,
        actor: Actor = NOBODY,
    ) -> Key:
        async with self._pool.transaction(tenant_id, (), actor.agent_id, write=True, actor=actor) as transaction:
            claim = await requests.take(transaction, tenant_id, actor.agent_id, request)
            row = await transaction.row(
                SQL["create_key"],
                *(key_id, tenant_id, secret_hash, agent_id, sorted(int(role) for role in roles)),
                *(list(namespaces), description, expire_time, confined, actor.agent_id),
            )
            assert row is not None
            key = _key(row)
            await note(transaction, tenant_id, actor, "", [key_id])
            await requests.remember(transaction, claim, {"answer": _key_to_json(key)})
            return key

    async def find_key(self, key_id: str) -> tuple[Key, bytes] | None:
        async with self._pool.transaction(None, (), "", write=False) as transaction:
            row = await transaction.row(SQL["find_key"], key_id)
            return None if row is None else (_key(row), row["secret_hash"])

    async def list_keys(
        self, tenant_id: UUID, *, before: tuple[datetime, str] | None, limit: int, within: Sequence[str] | None = None
    ) -> tuple[Key, ...]:
        time, key_id = before or (None, None)
        places = None if within is None else list(within)
        async with self._pool.transaction(tenant_id, (), "", write=False) as transaction:
            rows = await transaction.fetch(SQL["list_keys"], tenant_id, time, key_id, limit, places)
            return tuple(_key(row) for row in rows)

    async def revoke_key(
        self,
        tenant_id: UUID,
        key_id: str,
        *,
        within: Sequence[str] | None = None,
        request: Request | None = None,
        actor: Actor = NOBODY,
    ) -> Key | None:
        places = None if within is None else list(within)
        async with self._pool.transaction(tenant_id, (), actor.agent_id, write=True, actor=actor) as transaction:
            row = await transaction.row(SQL["revoke_key"], tenant_id, key_id, places)
            if row is None:
                return None
            key = _key(row)
            claim = await requests.take(transaction, tenant_id, actor.agent_id, request)
            await requests.remember(transaction, claim, {"answer": _key_to_json(key)})
            await note(transaction, tenant_id, actor, "", [key_id])
            return key

    async def key_used(self, key_id: str, when: datetime) -> None:
        async with self._pool.transaction(None, (), "", write=True) as transaction:
            await transaction.row(SQL["key_used"], key_id, when)


def _key(row: Row) -> Key:
    return Key(
        row["key_id"],
        row["tenant_id"],
        row["tenant"],
        row["agent_id"],
        frozenset(Role(role) for role in row["roles"]),
        tuple(row["namespaces"]),
        row["description"],
        row["create_time"],
        row["expire_time"],
        row["last_use_time"],
        row["revoke_time"],
        row["confined"],
    )


def _key_to_json(key: Key) -> dict[str, Json]:
    """The key as its fields, in JSON."""
    return {
        "key_id": key.key_id,
        "tenant_id": str(key.tenant_id),
        "tenant": key.tenant,
        "agent_id": key.agent_id,
        "roles": sorted(int(role) for role in key.roles),
        "namespaces": list(key.namespaces),
        "description": key.description,
        "create_time": key.create_time.isoformat(),
        "expire_time": key.expire_time.isoformat() if key.expire_time else None,
        "last_use_time": key.last_use_time.isoformat() if key.last_use_time else None,
        "revoke_time": key.revoke_time.isoformat() if key.revoke_time else None,
        "confined": key.confined,
    }
