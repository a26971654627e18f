"""Tenants and namespaces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from uuid import UUID

from recalld_server.errors import NamespaceExists
from recalld_server.model import NOBODY, Actor, Json, Namespace, Policy, Request, Role, new_id
from recalld_server.store.base import Asker, Held, Reach
from recalld_server.store.postgres import requests
from recalld_server.store.postgres.audit import note
from recalld_server.store.postgres.pool import Pool
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.requests import Claim
from recalld_server.store.postgres.rows import policy_from_json, policy_to_json
from recalld_server.store.postgres.transaction import Row, Transaction

SQL = load("directory.sql")

BOOKKEEPING = frozenset(
    {
        "changes",
        "counts",
        "created_days",
        "duplicates",
        "expiring",
        "found",
        "index_jobs",
        "namespace_statistics",
        "open_reviews",
        "reflection_schedules",
        "search_places",
        "spent_hours",
        "term_stats",
    }
)
"""Tables of a namespace that hold nothing of a caller's."""
KINDS = {"embeddings": "vectors", "review_memories": "links"}
"""What a receipt calls the rows of a table, where it is not by the table's name."""


class PostgresDirectory:
    """Tenants and namespaces of a Directory, over a pool."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def _in_tenant(
        self, tenant_id: UUID | None, *, write: bool = False, actor: Actor = NOBODY
    ) -> AbstractAsyncContextManager[Transaction]:
        return self._pool.transaction(tenant_id, (), actor.agent_id, write=write, actor=actor)

    async def ensure_tenant(self, name: str) -> UUID:
        async with self._in_tenant(None, write=True) as transaction:
            tenant_id: UUID = await transaction.value("SELECT ensure_tenant($1)", name)
            return tenant_id

    async def find_tenant(self, name: str) -> UUID | None:
        async with self._in_tenant(None) as transaction:
            tenant_id: UUID | None = await transaction.value("SELECT find_tenant($1)", name)
            return tenant_id

    async def list_tenants(self) -> tuple[str, ...]:
        async with self._in_tenant(None) as transaction:
            return tuple(row["name"] for row in await transaction.fetch("SELECT name FROM all_tenants() ORDER BY name"))

    async def create_namespace(
        self,
        tenant_id: UUID,
        name: str,
        *,
        description: str,
        policy: Policy,
        request: Request | None = None,
        actor: Actor = NOBODY,
    ) -> Namespace:
        async with self._in_tenant(tenant_id, write=True, actor=actor) as transaction:
            claim = await requests.take(transaction, tenant_id, actor.agent_id, request)
            row = await transaction.row(
                SQL["create_namespace"], new_id(), tenant_id, name, description, policy_to_json(policy), actor.agent_id
            )
            if row is None:
                raise NamespaceExists
            await note(transaction, tenant_id, actor, name, [str(row["namespace_id"])])
            await requests.remember(transaction, claim, {"answer": {"name": name}})
            return _namespace(row)

    async def get_namespace(self, tenant_id: UUID, name: str) -> Namespace | None:
        async with self._in_tenant(tenant_id) as transaction:
            row = await transaction.row(SQL["get_namespace"], tenant_id, name)
            return None if row is None else _namespace(row)

    async def find_namespace(self, asker: Asker, name: str) -> Reach | None:
        async with self._in_tenant(asker.tenant_id) as transaction:
            row = await transaction.row(SQL["find_namespace"], name, asker.agent_id, _names(asker.roles))
        if row is None:
            return None
        given = zip(row["roles"], row["recursive"], row["ends"], strict=True)
        grants = tuple(Held(Role(role), recursive, end) for role, recursive, end in given)
        return Reach(row["tenant_id"], _namespace(row), grants)

    async def list_namespaces(
        self, asker: Asker, *, parent: str = "", after: str = "", limit: int, own: bool = False
    ) -> tuple[Namespace, ...]:
        only = None if asker.only is None else list(asker.only)
        async with self._in_tenant(asker.tenant_id) as transaction:
            rows = await transaction.fetch(
                SQL["list_namespaces"], asker.agent_id, _names(asker.roles), only, parent, after, limit, own
            )
            return tuple(_namespace(row) for row in rows)

    async def update_namespace(
        self,
        tenant_id: UUID,
        namespace_id: UUID,
        change: Callable[[Namespace], tuple[str, Policy]],
        *,
        request: Request | None = None,
        actor: Actor = NOBODY,
    ) -> Namespace | None:
        async with self._in_tenant(tenant_id, write=True, actor=actor) as transaction:
            claim = await requests.take(transaction, tenant_id, actor.agent_id, request)
            row = await transaction.row(SQL["lock_namespace"], tenant_id, namespace_id)
            if row is None:
                await requests.withdraw(transaction, claim)
                return None
            old = _namespace(row)
            description, policy = change(old)
            done = await transaction.row(
                SQL["update_namespace"], tenant_id, namespace_id, description, policy_to_json(policy)
            )
            assert done is not None, "the row is locked by this transaction"
            await note(transaction, tenant_id, actor, old.name, [str(namespace_id)])
            await requests.remember(transaction, claim, {"answer": {"name": old.name}})
            return Namespace(
                namespace_id,
                old.name,
                description,
                policy,
                done["revision"],
                old.create_time,
                done["update_time"],
                old.memory_count,
            )

    async def delete_namespace(
        self, tenant_id: UUID, namespace_id: UUID, *, request: Request | None = None, actor: Actor = NOBODY
    ) -> Mapping[str, int] | None:
        async with self._in_tenant(tenant_id, write=True, actor=actor) as transaction:
            claim = await requests.take(transaction, tenant_id, actor.agent_id, request)
            row = await transaction.row(SQL["lock_namespace"], tenant_id, namespace_id)
            if row is None:
                await requests.withdraw(transaction, claim)
                return None
            await note(transaction, tenant_id, actor, row["name"], [str(namespace_id)])
            removed = await transaction.fetch(SQL["erase_namespace"], namespace_id)
            counts: dict[str, Json] = {
                KINDS.get(each["kind"], each["kind"]): each["removed"]
                for each in removed
                if (each["removed"] or each["kind"] == "memories") and each["kind"] not in BOOKKEEPING
            }
            if claim:
                await transaction.row("SELECT set_config('recalld.agent_id', $1, true)", actor.agent_id)
                await requests.remember(transaction, claim, {"answer": counts})
            return {kind: int(str(count)) for kind, count in counts.items()}

    async def answered(self, tenant_id: UUID, agent_id: str, request: Request) -> Mapping[str, object] | None:
        async with self._in_tenant(tenant_id, actor=Actor(agent_id)) as transaction:
            return await requests.known_answer(transaction, Claim(tenant_id, agent_id, request))


def _names(roles: frozenset[Role]) -> list[str]:
    return sorted(role.name for role in roles)


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
