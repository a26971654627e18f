"""What every change stands on: the lock of the namespace, the request that it answers, the states of memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from recalld_server.errors import MemoryExists, NamespaceNotFound, RequestIdReused
from recalld_server.model import SYSTEM, ChangeType, Json, Memory, Request, Scope, State
from recalld_server.store.base import NewMemory, Vector
from recalld_server.store.postgres import requests
from recalld_server.store.postgres.candidates import SearchOptions
from recalld_server.store.postgres.errors import Taken
from recalld_server.store.postgres.known_vectors import KnownVectors
from recalld_server.store.postgres.models import Model
from recalld_server.store.postgres.records import Standing, Tally, record, standing
from recalld_server.store.postgres.requests import Claim, request_key
from recalld_server.store.postgres.rows import Reader, composite
from recalld_server.store.postgres.transaction import Transaction
from recalld_server.store.postgres.view import SQL, PostgresView

CHANGE_OF = {
    State.ACTIVE: ChangeType.UPDATED,
    State.SUPERSEDED: ChangeType.SUPERSEDED,
    State.PENDING_REVIEW: ChangeType.UPDATED,
    State.ARCHIVED: ChangeType.FORGOTTEN,
    State.FORGOTTEN: ChangeType.FORGOTTEN,
    State.EXPIRED: ChangeType.EXPIRED,
    State.REJECTED: ChangeType.REVIEWED,
}


class Writing(PostgresView):
    """The ground of a Unit over one transaction."""

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

    async def claim(self, scope: Scope, named: Sequence[Request]) -> Mapping[str, Mapping[str, Json] | RequestIdReused]:
        await self._writing(scope)
        return await requests.claim_all(self._transaction, scope, named)

    async def remember_answers(self, scope: Scope, answers: Mapping[Request, Mapping[str, Json]]) -> None:
        await requests.remember_all(self._transaction, scope, answers)

    async def remember_answer(self, answer: Mapping[str, Json]) -> None:
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
        await record(self._transaction, scope, before, tally, CHANGE_OF[state], actor, action, reason, key)

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

    async def _put_vector(self, scope: Scope, memory_id: UUID, vector: Vector, text_vector: Vector | None) -> None:
        await self._transaction.row(
            SQL["put_vector"], scope.namespace_id, memory_id, self._model.model_id, vector, text_vector
        )

    def _composite(self, new: NewMemory) -> tuple[object, ...]:
        key = request_key(new.memory.agent_id, new.request) if new.request else self._request_key
        return composite(new, key)
