"""What is kept of searches, and which of their hits were of use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from recalld_server.model import EVERY_AGENT, Scope
from recalld_server.store.base import PastSearch, Searched
from recalld_server.store.postgres.pool import Pool
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.transaction import Transaction
from recalld_server.store.postgres.view import SQL as MEMORIES

SQL = load("usage.sql")


async def log_searches(pool: Pool, searches: Sequence[Searched]) -> None:
    """See SearchRecords.log_searches."""
    for tenant_id in {each.tenant_id for each in searches}:
        own = [each for each in searches if each.tenant_id == tenant_id]
        places = {namespace_id for each in own for namespace_id in each.namespace_ids}
        scopes = [Scope(tenant_id, namespace_id, "", EVERY_AGENT) for namespace_id in places]
        async with pool.transaction(tenant_id, scopes, EVERY_AGENT, write=True) as transaction:
            await transaction.row(
                SQL["log"],
                tenant_id,
                [each.search_id for each in own],
                [each.agent_id for each in own],
                [_array(each.namespace_ids) for each in own],
                [_array([memory_id for _, memory_id in each.found]) for each in own],
                [each.milliseconds for each in own],
                [each.create_time for each in own],
            )
            found = sorted({pair for each in own for pair in each.found})
            rows = await transaction.fetch(SQL["first_found"], [pair[0] for pair in found], [pair[1] for pair in found])
        first: defaultdict[UUID, list[UUID]] = defaultdict(list)
        for row in rows:
            first[row["namespace_id"]].append(row["memory_id"])
        for scope in scopes:
            if scope.namespace_id in first:
                await _count_found(pool, scope, first[scope.namespace_id])


async def _count_found(pool: Pool, scope: Scope, memory_ids: list[UUID]) -> None:
    """Notes memories that a search has returned for the first time; as a writer of their namespace, since it changes its
    counters, and by itself, so that the writers of no other namespace wait."""
    async with pool.transaction(scope.tenant_id, [scope], EVERY_AGENT, write=True) as transaction:
        await transaction.row(MEMORIES["lock"], scope.namespace_id)
        await transaction.row(SQL["found"], scope.namespace_id, memory_ids)


async def find_search(pool: Pool, tenant_id: UUID, agent_id: str, search_id: UUID) -> PastSearch | None:
    """See SearchRecords.find_search."""
    async with pool.transaction(tenant_id, (), agent_id, write=False) as transaction:
        row = await transaction.row(SQL["find"], tenant_id, search_id)
    return None if row is None else PastSearch(tuple(row["namespaces"]), tuple(row["memory_ids"]))


async def mark(
    transaction: Transaction, scope: Scope, search_id: UUID, memory_ids: Sequence[UUID]
) -> tuple[list[UUID], list[UUID]]:
    """The hits among these ids, and those that were not marked before."""
    rows = await transaction.fetch(SQL["mark"], scope.tenant_id, search_id, scope.namespace_id, list(memory_ids))
    return [row["memory_id"] for row in rows], [row["memory_id"] for row in rows if row["fresh"]]


async def skip_duplicates(transaction: Transaction, scope: Scope, memory_ids: Sequence[UUID]) -> None:
    """Counts writes that were not stored."""
    await transaction.row(SQL["duplicates"], scope.namespace_id, list(memory_ids))


def _array(ids: Sequence[UUID]) -> str:
    return "{" + ",".join(map(str, ids)) + "}"
