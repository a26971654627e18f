"""What the store knows of the archive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from recalld_server.model import EVERY_AGENT, Memory, Scope
from recalld_server.store.base import Adopted, Segment
from recalld_server.store.postgres.models import Model
from recalld_server.store.postgres.moving import adopt_history
from recalld_server.store.postgres.pool import Pool
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.rows import Reader, composite, of_m
from recalld_server.store.postgres.transaction import Row, Transaction

SQL = load("archive.sql", of_m=of_m())


class ArchiveReading:
    """ArchiveReads over one transaction."""

    _transaction: Transaction
    _reader: Reader

    async def to_freeze(self, scope: Scope, before: datetime, *, limit: int) -> tuple[Memory, ...]:
        namespace_id = self._transaction.check(scope)
        rows = await self._transaction.fetch(SQL["to_freeze"], namespace_id, before, limit)
        return self._reader.memories(rows, scope.namespace)

    async def segments(self, scope: Scope, *, dirty: bool = False) -> tuple[Segment, ...]:
        rows = await self._transaction.fetch(SQL["segments"], self._transaction.check(scope), dirty)
        return tuple(map(_segment, rows))

    async def members(self, scope: Scope, segment_id: UUID) -> frozenset[UUID]:
        rows = await self._transaction.fetch(SQL["members"], self._transaction.check(scope), segment_id)
        return frozenset(row["memory_id"] for row in rows)

    async def segment_of(self, scope: Scope, memory_id: UUID) -> Segment | None:
        row = await self._transaction.row(SQL["segment_of"], self._transaction.check(scope), memory_id)
        return None if row is None else _segment(row)


class ArchiveWriting(ArchiveReading):
    """ArchiveWrites over one transaction."""

    _model: Model

    async def freeze(self, scope: Scope, segment: Segment, memories: Sequence[Memory]) -> int:
        return int(
            await self._transaction.value(
                SQL["freeze"],
                self._transaction.check(scope),
                [memory.memory_id for memory in memories],
                [memory.revision for memory in memories],
                segment.segment_id,
                segment.month,
                segment.sha256,
                segment.bytes,
                segment.records,
            )
        )

    async def thaw(self, scope: Scope, adopted: Adopted, *, indexed: bool) -> bool:
        namespace_id, model_id = self._transaction.check(scope), self._model.model_id
        form = [composite(adopted.new)]
        if not await self._transaction.value(SQL["thaw"], namespace_id, form, model_id, indexed):
            return False
        memory_id = adopted.new.memory.memory_id
        kept = await self._transaction.value(
            "SELECT min(revision) FROM revisions WHERE namespace_id = $1 AND memory_id = $2", namespace_id, memory_id
        )
        missing = tuple(each for each in adopted.revisions if kept is None or each.memory.revision < kept)
        await adopt_history(self._transaction, scope, [replace(adopted, revisions=missing)])
        return True

    async def replace_segment(self, scope: Scope, old: UUID, new: Segment | None) -> None:
        namespace_id = self._transaction.check(scope)
        if new is not None:
            await self._transaction.row(
                SQL["replace_segment"],
                namespace_id,
                old,
                new.segment_id,
                new.month,
                new.sha256,
                new.bytes,
                new.records,
            )
        await self._transaction.row(SQL["drop_segment"], namespace_id, old)


class PostgresArchived:
    """Archived over a pool. Made by `PostgresStore.archived`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def due(self, before: datetime, limit: int) -> tuple[Scope, ...]:
        async with self._pool.transaction(None, (), EVERY_AGENT, write=False) as transaction:
            rows = await transaction.fetch(SQL["due"], before, limit)
        return tuple(Scope(row["tenant_id"], row["namespace_id"], row["namespace"], EVERY_AGENT) for row in rows)

    async def known(self, segment_ids: Sequence[UUID]) -> frozenset[UUID]:
        async with self._pool.transaction(None, (), EVERY_AGENT, write=False) as transaction:
            rows = await transaction.fetch(SQL["known"], list(segment_ids))
        return frozenset(row["segment_id"] for row in rows)


def _segment(row: Row) -> Segment:
    return Segment(row["segment_id"], row["month"], row["sha256"], row["bytes"], row["records"])
