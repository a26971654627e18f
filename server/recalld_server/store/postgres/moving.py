"""Memories on their way out of the store, and back in with their history."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from recalld_server.model import Memory, Revision, Scope
from recalld_server.store.base import Adopted, Kept
from recalld_server.store.postgres.models import Model
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.rows import COLUMNS, Reader, values
from recalld_server.store.postgres.transaction import Row, Transaction

SQL = load("moving.sql", columns=COLUMNS)


async def keep(
    transaction: Transaction,
    scope: Scope,
    memories: Sequence[Memory],
    model: Model,
    reader: Reader,
    *,
    vectors: bool,
    revisions: bool,
) -> tuple[Kept, ...]:
    """See View.keep."""
    namespace_id, ids = transaction.check(scope), [memory.memory_id for memory in memories]
    embedded: dict[UUID, Row] = {}
    histories: dict[UUID, list[Revision]] = defaultdict(list)
    if vectors and ids:
        rows = await transaction.fetch(SQL["vectors"], namespace_id, ids, model.model_id)
        embedded = {row["memory_id"]: row for row in rows}
    if revisions and ids:
        for revision in reader.revisions(await transaction.fetch(SQL["histories"], namespace_id, ids), scope.namespace):
            histories[revision.memory.memory_id].append(revision)
    return tuple(
        Kept(
            memory,
            tuple(histories[memory.memory_id]),
            found["embedding"] if (found := embedded.get(memory.memory_id)) else None,
            found["text_embedding"] if found else None,
        )
        for memory in memories
    )


async def adopt_history(transaction: Transaction, scope: Scope, adopted: Sequence[Adopted]) -> None:
    """Stores the histories of memories that were stored without one."""
    lines = [(revision, each.request) for each in adopted for revision in each.revisions]
    if not lines:
        return
    await transaction.row(
        SQL["adopt_history"],
        scope.namespace_id,
        # of the type's columns, those of the index are not kept with a revision
        [(*values(revision.memory), b"", [], ((), ()), 0, None, None, None) for revision, _ in lines],
        [revision.action for revision, _ in lines],
        [revision.actor for revision, _ in lines],
        [revision.reason for revision, _ in lines],
        [request.request_id if request else "" for _, request in lines],
        scope.agent_id,
        next((request.method for _, request in lines if request), ""),
    )
