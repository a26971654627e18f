"""Reads and writes within a transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from recalld_server import telemetry
from recalld_server.errors import EtagMismatch, MemoryExists, MemoryNotFound
from recalld_server.model import SYSTEM, ChangeType, IndexState, Memory, Request, ReviewCause, Scope, State
from recalld_server.store.base import Adopted, NewMemory, Vector
from recalld_server.store.postgres import moving, usage
from recalld_server.store.postgres.archive import ArchiveWriting
from recalld_server.store.postgres.jobs import SQL as JOBS
from recalld_server.store.postgres.orders import OrderWriting, erase_traces
from recalld_server.store.postgres.records import Tally, record
from recalld_server.store.postgres.reflections import ReflectionWriting
from recalld_server.store.postgres.requests import request_key
from recalld_server.store.postgres.reviews import ACTION as REVIEW
from recalld_server.store.postgres.reviews import ReviewWriting
from recalld_server.store.postgres.rows import facet
from recalld_server.store.postgres.sessions import SessionWriting
from recalld_server.store.postgres.view import SQL
from recalld_server.store.postgres.writing import CHANGE_OF, Writing


class PostgresUnit(Writing, SessionWriting, ReflectionWriting, ReviewWriting, OrderWriting, ArchiveWriting):
    """A Unit over one transaction."""

    async def insert(
        self, scope: Scope, memories: Sequence[NewMemory], *, actor: str, action: str = "write"
    ) -> tuple[Memory, ...]:
        return await self._insert(scope, memories, actor=actor, action=action)

    async def adopt(self, scope: Scope, memories: Sequence[Adopted]) -> tuple[Memory, ...]:
        stored = await self._insert(scope, [each.new for each in memories], actor=scope.agent_id, action=None)
        fresh: dict[UUID, Adopted] = {}
        for each, memory in zip(memories, stored, strict=True):
            if memory is each.new.memory:
                fresh[memory.memory_id] = each
        await moving.adopt_history(self._transaction, scope, list(fresh.values()))
        return stored

    async def _insert(
        self, scope: Scope, memories: Sequence[NewMemory], *, actor: str, action: str | None
    ) -> tuple[Memory, ...]:
        await self._writing(scope)
        results: dict[int, Memory] = {}
        waiting = dict(enumerate(memories))
        while waiting:
            first = {new.memory.memory_id: place for place, new in reversed(waiting.items())}
            rows = await self._transaction.fetch(
                SQL["insert"],
                scope.namespace_id,
                [self._composite(waiting[place]) for place in sorted(first.values())],
                self._model.model_id,
                actor,
                action,
            )
            for row in rows:
                place = first[row["memory_id"]]
                results[place] = waiting.pop(place).memory
            if waiting:
                waiting = await self._meet_twins(scope, waiting, results)
        await self._trace_jobs(scope, list(results.values()))
        return tuple(results[place] for place in range(len(memories)))

    async def _trace_jobs(self, scope: Scope, stored: Sequence[Memory]) -> None:
        """Lets the jobs of memories that wait to be indexed be found from the call that stored them."""
        waiting = [memory.memory_id for memory in stored if memory.index_state is IndexState.PENDING]
        traceparent = telemetry.traceparent()
        if waiting and traceparent:
            await self._transaction.row(JOBS["trace"], scope.namespace_id, waiting, traceparent)

    async def _meet_twins(
        self, scope: Scope, waiting: dict[int, NewMemory], results: dict[int, Memory]
    ) -> dict[int, NewMemory]:
        """Fills in the live twins of memories that were not stored. Returns those whose twin had expired and was ended."""
        again, ended, taken = {}, set[UUID](), set[UUID]()
        twins = await self._twins(scope, waiting)
        for place, new in waiting.items():
            twin = twins.get(place)
            if twin is None:
                taken.add(new.memory.memory_id)
            elif twin.state is State.EXPIRED:
                again[place] = new
                ended.add(twin.memory_id)
            else:
                results[place] = twin
        if taken:
            raise MemoryExists(taken)
        if ended:
            await self.set_state(scope, sorted(ended), State.EXPIRED, actor=SYSTEM, action="expire", reason="")
        return again

    async def touch(self, scope: Scope, memory_ids: Sequence[UUID]) -> None:
        await self._writing(scope)
        await self._transaction.row(SQL["touch"], scope.namespace_id, list(memory_ids))

    async def skip_duplicates(self, scope: Scope, memory_ids: Sequence[UUID]) -> None:
        await self.touch(scope, list(dict.fromkeys(memory_ids)))
        await usage.skip_duplicates(self._transaction, scope, memory_ids)

    async def mark_used(self, scope: Scope, search_id: UUID, memory_ids: Sequence[UUID]) -> tuple[UUID, ...]:
        await self._writing(scope)
        hits, fresh = await usage.mark(self._transaction, scope, search_id, memory_ids)
        if fresh:
            await self.touch(scope, fresh)
        return tuple(hits)

    async def supersede(
        self,
        scope: Scope,
        old: Sequence[UUID],
        new: UUID,
        *,
        actor: str,
        reason: str,
        when: datetime,
        request: Request | None = None,
    ) -> tuple[UUID, ...]:
        await self._writing(scope)
        before = [each for each in await self._standing(scope, old) if each.live and each.memory_id != new]
        ids = [each.memory_id for each in before]
        if not ids:
            return ()
        await self._transaction.row(SQL["supersede"], scope.namespace_id, ids, new, when)
        await self._transaction.row(SQL["supersedes"], scope.namespace_id, new, ids)
        key = request_key(scope.agent_id, request) if request else self._request_key
        await self._moved(scope, before, State.SUPERSEDED, actor=actor, action="supersede", reason=reason, key=key)
        return tuple(ids)

    async def link_conflict(
        self, scope: Scope, memory_id: UUID, others: Sequence[UUID], *, expire_time: datetime
    ) -> UUID:
        await self._writing(scope)
        other_ids = [other for other in dict.fromkeys(others) if other != memory_id]
        await self._transaction.row(SQL["conflicts"], scope.namespace_id, memory_id, other_ids)
        return await self.open_review(scope, ReviewCause.CONFLICT, [memory_id, *other_ids], expire_time=expire_time)

    async def replace(
        self, scope: Scope, new: NewMemory, *, expected_revision: int, action: str, actor: str, reason: str
    ) -> Memory:
        await self._writing(scope)
        memory_id = new.memory.memory_id
        before = await self._standing(scope, [memory_id])
        if not before:
            raise MemoryNotFound
        if before[0].revision != expected_revision:
            current = (await self.get(scope, [memory_id])).get(memory_id)
            raise EtagMismatch(current.etag if current else "", before[0].revision)
        if new.memory.state is State.ACTIVE:
            await self._make_room(scope, new)
        row = await self._transaction.row(SQL["replace"], scope.namespace_id, [self._composite(new)])
        memory = None if row is None else self._reader.memory(row, scope.namespace)
        if row is None or memory is None:
            raise MemoryNotFound
        if new.vector is not None:
            await self._put_vector(scope, memory_id, new.vector, new.text_vector)
        elif new.memory.index_state is not IndexState.INDEXED:
            await self._transaction.row(SQL["drop_vectors"], scope.namespace_id, memory_id)
        tally = Tally()
        tally.subtract(before[0])
        tally.add(before[0].become(memory, row["words"], row["bytes"], row["slot"]))
        change = ChangeType.REVIEWED if action == REVIEW else CHANGE_OF[memory.state]
        await record(self._transaction, scope, before, tally, change, actor, action, reason, self._request_key)
        return memory

    async def _make_room(self, scope: Scope, new: NewMemory) -> None:
        """Ends an expired twin. Raises MemoryExists when another live memory has the text."""
        twin = (await self._twins(scope, {0: new})).get(0)
        if twin is None or twin.memory_id == new.memory.memory_id:
            return
        if twin.state is not State.EXPIRED:
            raise MemoryExists
        await self.set_state(scope, [twin.memory_id], State.EXPIRED, actor=SYSTEM, action="expire", reason="")

    async def set_index(
        self, scope: Scope, memory_id: UUID, *, vector: Vector | None, text_vector: Vector | None, error: str
    ) -> bool:
        await self._writing(scope)
        state = IndexState.FAILED if vector is None else IndexState.INDEXED
        changed = await self._transaction.fetch(SQL["set_index"], scope.namespace_id, memory_id, int(state), error)
        if changed and vector is not None:
            await self._put_vector(scope, memory_id, vector, text_vector)
        if changed:
            await self._transaction.row(JOBS["done"], scope.namespace_id, memory_id)
            # a writer that looked around before must look again, now that this memory can be met
            await self._transaction.row(JOBS["event"], scope.namespace_id, memory_id, SYSTEM)
        return bool(changed)

    async def erase(self, scope: Scope, memory_ids: Sequence[UUID], *, actor: str) -> Mapping[str, int]:
        await self._writing(scope)
        before = await self._standing(scope, memory_ids)
        ids = [each.memory_id for each in before]
        related = set[UUID]()
        for memory in (await self.get(scope, ids)).values():
            related |= {*memory.supersedes, *memory.conflicts_with}
            related |= {memory.superseded_by} if memory.superseded_by else set()
        derived = await self._transaction.fetch(
            "SELECT memory_id FROM lexical_candidates($1, $2::int[], $3, false, NULL)",
            scope.namespace_id,
            [facet("source", memory_id) for memory_id in ids],
            ((), ()),
        )
        related |= {row["memory_id"] for row in derived}
        traces = await erase_traces(self._transaction, scope, ids)
        self._known.forget(scope.namespace_id)
        row = await self._transaction.row(SQL["erase"], scope.namespace_id, ids)
        assert row is not None
        await self._transaction.row(SQL["unlink"], scope.namespace_id, list(related - set(ids)), ids)
        tally = Tally()
        for each in before:
            tally.subtract(each)
        await record(self._transaction, scope, before, tally, ChangeType.FORGOTTEN, actor, "erase", "", None)
        return {**traces, **{name: int(value) for name, value in row.items()}}
