"""Reads and writes within a transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from recalld_server import telemetry
from recalld_server.errors import EtagMismatch, MemoryExists, MemoryNotFound, NamespaceNotFound, RequestIdReused
from recalld_server.model import ChangeType, IndexState, Json, Memory, Request, ReviewCause, Scope, State
from recalld_server.store.base import Adopted, NewMemory, Vector
from recalld_server.store.postgres import moving, requests, usage
from recalld_server.store.postgres.archive import ArchiveWriting
from recalld_server.store.postgres.candidates import SearchOptions
from recalld_server.store.postgres.errors import Taken
from recalld_server.store.postgres.jobs import SQL as JOBS
from recalld_server.store.postgres.known_vectors import KnownVectors
from recalld_server.store.postgres.models import Model
from recalld_server.store.postgres.orders import OrderWriting, erase_traces
from recalld_server.store.postgres.pool import Transaction
from recalld_server.store.postgres.records import Standing, Tally, record, standing
from recalld_server.store.postgres.reflections import ReflectionWriting
from recalld_server.store.postgres.requests import Claim, request_key
from recalld_server.store.postgres.reviews import ACTION as REVIEW
from recalld_server.store.postgres.reviews import ReviewWriting
from recalld_server.store.postgres.rows import Reader, composite, facet
from recalld_server.store.postgres.sessions import SessionWriting
from recalld_server.store.postgres.view import SQL, PostgresView

_CHANGE_OF = {
    State.ACTIVE: ChangeType.UPDATED,
    State.SUPERSEDED: ChangeType.SUPERSEDED,
    State.PENDING_REVIEW: ChangeType.UPDATED,
    State.ARCHIVED: ChangeType.FORGOTTEN,
    State.FORGOTTEN: ChangeType.FORGOTTEN,
    State.EXPIRED: ChangeType.EXPIRED,
    State.REJECTED: ChangeType.REVIEWED,
}
SYSTEM = "system"
"""The actor of what the server does by itself."""


class PostgresUnit(PostgresView, SessionWriting, ReflectionWriting, ReviewWriting, OrderWriting, ArchiveWriting):
    """A Unit over one transaction."""

    def __init__(
        self,
        transaction: Transaction,
        model: Model,
        reader: Reader,
        options: SearchOptions,
        claim: Claim | None,
        known: KnownVectors | None = None,
    ) -> None:
        super().__init__(transaction, model, reader, options, known)
        self._claim = claim
        self._locked = False
        self._request_key = request_key(claim.agent_id, claim.request) if claim else None

    async def lock(self, scope: Scope) -> int:
        sequence = await self._transaction.value(SQL["lock"], self._transaction.check(scope))
        if sequence is None:
            raise NamespaceNotFound
        self._locked = True
        self._transaction.touched.add(scope.namespace_id)
        return int(sequence)

    async def changed_since(self, scope: Scope, sequence: int) -> tuple[UUID, ...]:
        rows = await self._transaction.fetch(SQL["changed_since"], self._transaction.check(scope), sequence)
        return tuple(row["memory_id"] for row in rows)

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
        again, ended = {}, set[UUID]()
        twins = await self._twins(scope, waiting)
        for place, new in waiting.items():
            twin = twins.get(place)
            if twin is None:
                raise MemoryExists
            if twin.state is State.EXPIRED:
                again[place] = new
                ended.add(twin.memory_id)
            else:
                results[place] = twin
        if ended:
            await self.set_state(scope, sorted(ended), State.EXPIRED, actor=SYSTEM, action="expire", reason="")
        return again

    async def _twins(self, scope: Scope, wanted: Mapping[int, NewMemory]) -> dict[int, Memory]:
        """For each, the memory whose state is ACTIVE in the database and that has the same text, group and audience."""
        memories = [new.memory for new in wanted.values()]
        rows = await self._transaction.fetch(
            SQL["twins"],
            scope.namespace_id,
            list(wanted),
            [m.kind == 2 for m in memories],
            [m.user_id for m in memories],
            [int(m.visibility) for m in memories],
            [m.agent_id for m in memories],
            [new.content_hash for new in wanted.values()],
        )
        found = ((row["place"], self._reader.memory(row, scope.namespace)) for row in rows)
        return {place: memory for place, memory in found if memory is not None}

    async def claim(self, scope: Scope, named: Sequence[Request]) -> Mapping[str, Mapping[str, Json] | RequestIdReused]:
        await self._writing(scope)
        return await requests.claim_all(self._transaction, scope, named)

    async def remember_answers(self, scope: Scope, answers: Mapping[Request, Mapping[str, Json]]) -> None:
        await requests.remember_all(self._transaction, scope, answers)

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
        change = ChangeType.REVIEWED if action == REVIEW else _CHANGE_OF[memory.state]
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

    async def set_state(
        self, scope: Scope, memory_ids: Sequence[UUID], state: State, *, actor: str, action: str, reason: str
    ) -> tuple[UUID, ...]:
        """Raises MemoryExists when a memory would come to life whose text another live one has."""
        await self._writing(scope)
        before = [each for each in await self._standing(scope, memory_ids) if each.state != state]
        if before:
            ids = [each.memory_id for each in before]
            if state is State.ACTIVE:
                await self._end_expired_twins(scope, ids)
            try:
                await self._transaction.row(SQL["set_state"], scope.namespace_id, ids, int(state))
            except Taken:
                raise MemoryExists from None
            key = self._request_key
            await self._moved(scope, before, state, actor=actor, action=action, reason=reason, key=key)
        return tuple(each.memory_id for each in before)

    async def _end_expired_twins(self, scope: Scope, memory_ids: list[UUID]) -> None:
        rows = await self._transaction.fetch(SQL["expired_twins"], scope.namespace_id, memory_ids)
        if twins := [row["memory_id"] for row in rows]:
            await self.set_state(scope, twins, State.EXPIRED, actor=SYSTEM, action="expire", reason="")

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

    async def remember_answer(self, answer: Mapping[str, Json]) -> None:
        if self._claim is not None:
            await requests.remember(self._transaction, self._claim, answer)

    async def claim_answered(self, scope: Scope, answers: Mapping[Request, Mapping[str, Json]]) -> None:
        await self._writing(scope)
        await requests.claim_answered(self._transaction, scope, answers)

    async def _writing(self, scope: Scope) -> None:
        if self._locked:
            self._transaction.check(scope)
        else:
            await self.lock(scope)

    async def _standing(self, scope: Scope, memory_ids: Sequence[UUID]) -> list[Standing]:
        return await standing(self._transaction, scope, memory_ids)

    async def _put_vector(self, scope: Scope, memory_id: UUID, vector: Vector, text_vector: Vector | None) -> None:
        await self._transaction.row(
            SQL["put_vector"], scope.namespace_id, memory_id, self._model.model_id, vector, text_vector
        )

    async def _moved(
        self,
        scope: Scope,
        before: list[Standing],
        state: State,
        *,
        actor: str,
        action: str,
        reason: str,
        key: list[str] | None,
    ) -> None:
        tally = Tally()
        for each in before:
            tally.subtract(each)
            tally.add(each.in_state(state))
        await record(self._transaction, scope, before, tally, _CHANGE_OF[state], actor, action, reason, key)

    def _composite(self, new: NewMemory) -> tuple[object, ...]:
        key = request_key(new.memory.agent_id, new.request) if new.request else self._request_key
        return composite(new, key)
