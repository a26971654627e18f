"""Reviews within a transaction."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from recalld_server.errors import MemoryExists
from recalld_server.model import (
    EVERY_AGENT,
    ChangeType,
    Memory,
    Review,
    ReviewCause,
    ReviewDecision,
    ReviewState,
    Scope,
    State,
    new_id,
)
from recalld_server.store.postgres.errors import Taken
from recalld_server.store.postgres.pool import Pool
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.records import Standing, Tally, record, standing
from recalld_server.store.postgres.transaction import Row, Transaction

_REVIEW = ("review_id", "type", "state", "create_time", "expire_time", "decision", "actor", "reason", "resolve_time")
_STATE = "CASE WHEN r.state = 1 AND r.expire_time <= now() THEN 3 ELSE r.state END AS state"
SQL = load("reviews.sql", review=", ".join(_STATE if name == "state" else f"r.{name}" for name in _REVIEW))

ACTION = "review"
"""What revisions say was done."""


class ReviewReading(ABC):
    """ReviewReads over one transaction."""

    _transaction: Transaction

    @abstractmethod
    async def get(
        self, scope: Scope, memory_ids: Sequence[UUID], *, as_of: datetime | None = None
    ) -> dict[UUID, Memory]: ...

    async def review(self, scope: Scope, review_id: UUID) -> Review | None:
        row = await self._transaction.row(SQL["get"], self._transaction.check(scope), review_id)
        return None if row is None else (await self._with_memories(scope, [row]))[0]

    async def reviews(
        self, scope: Scope, state: ReviewState, *, limit: int, after: tuple[datetime, UUID] | None = None
    ) -> tuple[Review, ...]:
        namespace_id = self._transaction.check(scope)
        rows = await self._transaction.fetch(SQL["list"], namespace_id, int(state), *(after or (None, None)), limit)
        return await self._with_memories(scope, rows)

    async def _with_memories(self, scope: Scope, rows: Sequence[Row]) -> tuple[Review, ...]:
        ids = [row["review_id"] for row in rows]
        members: defaultdict[UUID, list[UUID]] = defaultdict(list)
        for row in await self._transaction.fetch(SQL["members"], scope.namespace_id, ids):
            members[row["review_id"]].append(row["memory_id"])
        memories = await self.get(scope, list({each for held in members.values() for each in held}))
        return tuple(
            _review(row, scope, (memories[each] for each in members[row["review_id"]] if each in memories))
            for row in rows
        )


class ReviewWriting(ReviewReading):
    """ReviewWrites over one transaction."""

    _request_key: list[str] | None

    @abstractmethod
    async def _writing(self, scope: Scope) -> None: ...

    @abstractmethod
    async def _end_expired_twins(self, scope: Scope, memory_ids: list[UUID]) -> None: ...

    async def open_review(
        self, scope: Scope, cause: ReviewCause, memory_ids: Sequence[UUID], *, expire_time: datetime
    ) -> UUID:
        namespace_id, review_id = self._transaction.check(scope), new_id()
        await self._transaction.row(SQL["open"], namespace_id, review_id, int(cause), list(memory_ids), expire_time)
        return review_id

    async def close_review(
        self,
        scope: Scope,
        review_id: UUID,
        state: ReviewState,
        *,
        decision: ReviewDecision | None = None,
        actor: str = "",
        reason: str = "",
    ) -> None:
        await self._writing(scope)
        decided = None if decision is None else int(decision)
        await self._transaction.row(SQL["close"], scope.namespace_id, review_id, int(state), decided, actor, reason)

    async def judge(
        self,
        scope: Scope,
        memory_ids: Sequence[UUID],
        *,
        state: State | None = None,
        confidence: float | None = None,
        actor: str,
        reason: str,
    ) -> None:
        await self._writing(scope)
        before = await standing(self._transaction, scope, memory_ids)
        ids = [each.memory_id for each in before]
        if state is State.ACTIVE:
            await self._end_expired_twins(scope, ids)
        new_state = None if state is None else int(state)
        try:
            await self._transaction.row(SQL["judge"], scope.namespace_id, ids, new_state, confidence)
        except Taken:
            raise MemoryExists from None
        tally = Tally()
        for each in before:
            tally.subtract(each)
            tally.add(_judged(each, state, confidence))
        change, key = ChangeType.REVIEWED, self._request_key
        await record(self._transaction, scope, before, tally, change, actor, ACTION, reason, key)


async def overdue_reviews(pool: Pool, limit: int) -> tuple[tuple[Scope, UUID], ...]:
    """As `OverdueReviews` says."""
    async with pool.transaction(None, (), EVERY_AGENT, write=False) as transaction:
        rows = await transaction.fetch(SQL["overdue"], limit)
    return tuple(
        (Scope(row["tenant_id"], row["namespace_id"], row["namespace"], EVERY_AGENT), row["review_id"]) for row in rows
    )


def _judged(before: Standing, state: State | None, confidence: float | None) -> Standing:
    after = before if state is None else before.in_state(state)
    return after if confidence is None else replace(after, confidence=confidence)


def _review(row: Row, scope: Scope, memories: Iterable[Memory]) -> Review:
    return Review(
        review_id=row["review_id"],
        namespace=scope.namespace,
        cause=ReviewCause(row["type"]),
        state=ReviewState(row["state"]),
        create_time=row["create_time"],
        expire_time=row["expire_time"],
        memories=tuple(memories),
        decision=None if row["decision"] is None else ReviewDecision(row["decision"]),
        actor=row["actor"],
        reason=row["reason"],
        resolve_time=row["resolve_time"],
    )
