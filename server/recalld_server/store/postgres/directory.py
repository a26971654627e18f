"""Tenants, namespaces and keys."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from uuid import UUID

from recalld_server.errors import NamespaceExists
from recalld_server.model import Json, Key, Namespace, Policy, Request, Role, new_id
from recalld_server.store.postgres import requests
from recalld_server.store.postgres.pool import Pool, Row, Transaction
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.requests import Claim
from recalld_server.store.postgres.rows import policy_from_json, policy_to_json

SQL = load("directory.sql")


class PostgresDirectory:
    """A Directory over a pool."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def _in_tenant(
        self, tenant_id: UUID | None, *, write: bool = False, actor: str = ""
    ) -> AbstractAsyncContextManager[Transaction]:
        return self._pool.transaction(tenant_id, (), actor, write=write)

    async def ensure_tenant(self, name: str) -> UUID:
        async with self._in_tenant(None, write=True) as transaction:
            tenant_id: UUID = await transaction.value("SELECT ensure_tenant($1)", name)
            return tenant_id

    async def create_namespace(
        self,
        tenant_id: UUID,
        name: str,
        *,
        description: str,
        policy: Policy,
        request: Request | None = None,
        actor: str = "",
    ) -> Namespace:
        async with self._in_tenant(tenant_id, write=True, actor=actor) as transaction:
            claim = Claim(tenant_id, actor, request) if request else None
            if claim:
                await requests.take(transaction, claim)
            row = await transaction.row(
                SQL["create_namespace"], new_id(), tenant_id, name, description, policy_to_json(policy), actor
            )
            if row is None:
                raise NamespaceExists
            if claim:
                await requests.remember(transaction, claim, {"answer": {"name": name}})
            return _namespace(row)

    async def get_namespace(self, tenant_id: UUID, name: str) -> Namespace | None:
        async with self._in_tenant(tenant_id) as transaction:
            row = await transaction.row(SQL["get_namespace"], tenant_id, name)
            return None if row is None else _namespace(row)

    async def list_namespaces(
        self, tenant_id: UUID, *, parent: str, after: str, limit: int, only: Sequence[str] | None
    ) -> tuple[Namespace, ...]:
        async with self._in_tenant(tenant_id) as transaction:
            names = None if only is None else list(only)
            rows = await transaction.fetch(SQL["list_namespaces"], tenant_id, after, parent, limit, names)
            return tuple(_namespace(row) for row in rows)

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
        request: Request | None = None,
        actor: str = "",
    ) -> Key:
        async with self._in_tenant(tenant_id, write=True, actor=actor) as transaction:
            claim = Claim(tenant_id, actor, request) if request else None
            if claim:
                await requests.take(transaction, claim)
            row = await transaction.row(
                SQL["create_key"],
                *(key_id, tenant_id, secret_hash, agent_id, sorted(int(role) for role in roles)),
                *(list(namespaces), description, expire_time, actor),
            )
            assert row is not None
            key = _key(row)
            if claim:
                await requests.remember(transaction, claim, {"answer": _key_to_json(key)})
            return key

    async def find_key(self, key_id: str) -> tuple[Key, bytes] | None:
        async with self._in_tenant(None) as transaction:
            row = await transaction.row(SQL["find_key"], key_id)
            return None if row is None else (_key(row), row["secret_hash"])

    async def list_keys(self, tenant_id: UUID, *, before: tuple[datetime, str] | None, limit: int) -> tuple[Key, ...]:
        time, key_id = before or (None, None)
        async with self._in_tenant(tenant_id) as transaction:
            rows = await transaction.fetch(SQL["list_keys"], tenant_id, time, key_id, limit)
            return tuple(_key(row) for row in rows)

    async def revoke_key(
        self, tenant_id: UUID, key_id: str, *, request: Request | None = None, actor: str = ""
    ) -> Key | None:
        async with self._in_tenant(tenant_id, write=True, actor=actor) as transaction:
            row = await transaction.row(SQL["revoke_key"], tenant_id, key_id)
            if row is None:
                return None
            key = _key(row)
            if request:
                claim = Claim(tenant_id, actor, request)
                await requests.take(transaction, claim)
                await requests.remember(transaction, claim, {"answer": _key_to_json(key)})
            return key

    async def key_used(self, key_id: str, when: datetime) -> None:
        async with self._in_tenant(None, write=True) as transaction:
            await transaction.row(SQL["key_used"], key_id, when)


def _namespace(row: Row) -> Namespace:
    return Namespace(
        row["namespace_id"],
        row["name"],
        row["description"],
        policy_from_json(row["policy"]),
        row["revision"],
        row["create_time"],
        row["update_time"],
        row["live"],
    )


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
    }
