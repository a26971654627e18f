# ruff: noqa: S608 - the text is ours, every value is bound
"""Reads within a transaction."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from recalld_server.errors import RequestIdReused
from recalld_server.model import ChangeType, Filter, Json, Memory, Request, Revision, Scope, Stats
from recalld_server.store.base import CandidateQuery, Candidates, Change, DraftProbe, Kept, Surroundings
from recalld_server.store.postgres import filters, moving, requests, stats, surroundings
from recalld_server.store.postgres.archive import ArchiveReading
from recalld_server.store.postgres.arms import past
from recalld_server.store.postgres.candidates import SearchOptions, candidates
from recalld_server.store.postgres.filters import Parameters
from recalld_server.store.postgres.known_vectors import KnownVectors
from recalld_server.store.postgres.models import Model
from recalld_server.store.postgres.nearest import Head
from recalld_server.store.postgres.orders import OrderReading
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.reflections import ReflectionReading
from recalld_server.store.postgres.retention import RetentionReading
from recalld_server.store.postgres.reviews import ReviewReading
from recalld_server.store.postgres.rows import COLUMNS, Reader, of_m
from recalld_server.store.postgres.sessions import SessionReading
from recalld_server.store.postgres.transaction import Transaction

SQL = load("memories.sql", columns=COLUMNS, of_m=of_m(), of_m_then=of_m("$3"))


class PostgresView(SessionReading, ReflectionReading, ReviewReading, OrderReading, RetentionReading, ArchiveReading):
    """A View over one transaction."""

    def __init__(
        self,
        transaction: Transaction,
        model: Model,
        reader: Reader,
        options: SearchOptions,
        known: KnownVectors | None = None,
    ) -> None:
        self._options = options
        self._transaction = transaction
        self._model = model
        self._reader = reader
        self._known = known or KnownVectors()
        self._lengths: dict[UUID, float] = {}

    async def get(
        self, scope: Scope, memory_ids: Sequence[UUID], *, as_of: datetime | None = None
    ) -> dict[UUID, Memory]:
        ids, namespace_id = list(memory_ids), self._transaction.check(scope)
        if not ids:
            return {}
        if as_of is None:
            rows = await self._transaction.fetch(SQL["get"], namespace_id, ids)
        else:
            rows = await self._transaction.fetch(SQL["get_as_of"], namespace_id, ids, as_of)
        memories = self._reader.memories(rows, scope.namespace)
        return {memory.memory_id: memory for memory in memories}

    async def taken(self, scope: Scope, memory_ids: Sequence[UUID]) -> frozenset[UUID]:
        namespace_id = self._transaction.check(scope)
        rows = await self._transaction.fetch(SQL["taken"], namespace_id, builtins.list(memory_ids))
        return frozenset(row["memory_id"] for row in rows)

    async def list(
        self,
        scope: Scope,
        filter: Filter,
        *,
        limit: int,
        before: tuple[datetime, UUID] | None = None,
        as_of: datetime | None = None,
    ) -> tuple[Memory, ...]:
        parameters = Parameters(self._transaction.check(scope))
        where = filters.condition(filter, parameters, as_of)
        if before is not None:
            time, memory_id = parameters.add(before[0], "timestamptz"), parameters.add(before[1], "uuid")
            where += f" AND (m.create_time, m.memory_id) < ({time}, {memory_id})"
        start, source, now = "", "memories m", "now()"
        if as_of is not None:
            now = parameters.add(as_of, "timestamptz")
            start, source = f"WITH {past(now)} ", "past m"
        sql = (
            f"{start}SELECT {of_m(now)} FROM {source} WHERE m.namespace_id = $1 AND {where}"
            f" ORDER BY m.create_time DESC, m.memory_id DESC LIMIT {parameters.add(limit, 'bigint')}"
        )
        rows = await self._transaction.fetch(sql, *parameters.values)
        return self._reader.memories(rows, scope.namespace)

    async def walk(
        self, scope: Scope, filter: Filter, *, limit: int, after: tuple[datetime, UUID] | None = None
    ) -> tuple[Memory, ...]:
        parameters = Parameters(self._transaction.check(scope))
        where = filters.condition(filter, parameters)
        if after is not None:
            time, memory_id = parameters.add(after[0], "timestamptz"), parameters.add(after[1], "uuid")
            where += f" AND (m.create_time, m.memory_id) > ({time}, {memory_id})"
        sql = (
            f"SELECT {of_m()} FROM memories m WHERE m.namespace_id = $1 AND {where}"
            f" ORDER BY m.create_time, m.memory_id LIMIT {parameters.add(limit, 'bigint')}"
        )
        return self._reader.memories(await self._transaction.fetch(sql, *parameters.values), scope.namespace)

    async def keep(
        self, scope: Scope, memories: Sequence[Memory], *, vectors: bool, revisions: bool
    ) -> tuple[Kept, ...]:
        return await moving.keep(
            self._transaction, scope, memories, self._model, self._reader, vectors=vectors, revisions=revisions
        )

    async def known_answers(
        self, scope: Scope, named: Sequence[Request]
    ) -> Mapping[str, Mapping[str, Json] | RequestIdReused]:
        return await requests.known_answers(self._transaction, scope, named)

    async def count(self, scope: Scope, filter: Filter) -> int:
        parameters = Parameters(self._transaction.check(scope))
        where = filters.condition(filter, parameters)
        sql = f"SELECT count(*) FROM memories m WHERE m.namespace_id = $1 AND {where}"
        return int(await self._transaction.value(sql, *parameters.values))

    async def matching(self, scope: Scope, memory_ids: Sequence[UUID], filter: Filter) -> frozenset[UUID]:
        parameters = Parameters(self._transaction.check(scope))
        where = filters.condition(filter, parameters)
        ids = parameters.add(builtins.list(memory_ids), "uuid[]")
        sql = f"SELECT m.memory_id FROM memories m WHERE m.namespace_id = $1 AND m.memory_id = ANY ({ids}) AND {where}"
        return frozenset(row["memory_id"] for row in await self._transaction.fetch(sql, *parameters.values))

    async def wait_for_disk(self) -> None:
        await self._transaction.wait_for_disk()

    async def surroundings(
        self,
        scope: Scope,
        probes: Sequence[DraftProbe],
        *,
        near: int,
        floor: float,
        among: Sequence[UUID] | None = None,
    ) -> tuple[int, tuple[Surroundings, ...]]:
        head = None if among is not None else await self._head(scope)
        if not probes or (head is None and not among):
            return head.sequence if head else 0, tuple(Surroundings(None, ()) for _ in probes)
        met = await surroundings.surroundings(
            self._transaction,
            scope,
            probes,
            self._model,
            self._reader,
            self._known,
            head,
            near=near,
            floor=floor,
            among=among,
        )
        return head.sequence if head else 0, met

    async def _head(self, scope: Scope) -> Head | None:
        row = await surroundings.head_of(self._transaction, scope, self._model)
        if row is None:
            return None
        self._lengths[scope.namespace_id] = row["words"] / row["live"] if row["live"] > 0 else 20.0
        return Head(row["change_sequence"], row["swept_sequence"], row["live"], row["ann"])

    async def previous_turn(self, scope: Scope, session_id: str, before: datetime) -> Memory | None:
        namespace_id = self._transaction.check(scope)
        row = await self._transaction.row(SQL["previous_turn"], namespace_id, session_id, before)
        return None if row is None else self._reader.memory(row, scope.namespace)

    async def candidates(self, scopes: Sequence[Scope], query: CandidateQuery) -> Candidates:
        return await candidates(self._transaction, scopes, query, self._model, self._reader, self._options)

    async def revisions(
        self, scope: Scope, memory_id: UUID, *, limit: int, before: int | None = None
    ) -> tuple[Revision, ...]:
        rows = await self._transaction.fetch(SQL["revisions"], self._transaction.check(scope), memory_id, limit, before)
        return self._reader.revisions(rows, scope.namespace)

    async def stats(self, scopes: Sequence[Scope], *, since: datetime, until: datetime) -> Stats:
        return await stats.stats(self._transaction, scopes, self._model, since=since, until=until)

    async def average_length(self, scope: Scope) -> float:
        if (known := self._lengths.get(scope.namespace_id)) is not None:
            return known
        length = await self._transaction.value(SQL["average_length"], self._transaction.check(scope))
        return 20.0 if length is None else float(length)

    async def change_span(self, scope: Scope) -> tuple[int, int]:
        row = await self._transaction.row(SQL["change_span"], self._transaction.check(scope))
        return (0, 0) if row is None else (row["swept_sequence"], row["change_sequence"])

    async def changes(self, scope: Scope, *, after: int, limit: int) -> tuple[Change, ...]:
        rows = await self._transaction.fetch(SQL["changes"], self._transaction.check(scope), after, limit)
        if rows:
            # a watcher must not hear of a change that a crash then undoes
            await self._transaction.wait_for_disk()
        memories = await self.get(scope, builtins.list({row["memory_id"] for row in rows}))
        return tuple(
            Change(
                row["sequence"],
                ChangeType(row["type"]),
                row["memory_id"],
                memories.get(row["memory_id"]),
                row["actor"],
                row["create_time"],
            )
            for row in rows
        )
