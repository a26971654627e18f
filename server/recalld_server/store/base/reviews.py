"""Reviews: decisions that wait for a person, and what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol
from uuid import UUID

from recalld_server.model import Review, ReviewCause, ReviewDecision, ReviewState, Scope, State


class ReviewReads(Protocol):
    """Reads of reviews. One is seen by whoever sees the memory that it is about."""

    async def review(self, scope: Scope, review_id: UUID) -> Review | None:
        """With its memories as they are now, whatever their state."""

    async def reviews(
        self, scope: Scope, state: ReviewState, *, limit: int, after: tuple[datetime, UUID] | None = None
    ) -> tuple[Review, ...]:
        """Oldest first by (create_time, review_id), those behind `after` only."""


class ReviewWrites(ReviewReads, Protocol):
    """Changes of reviews; lock the namespace first, so that one decides and the others see that it was decided."""

    async def open_review(
        self, scope: Scope, cause: ReviewCause, memory_ids: Sequence[UUID], *, expire_time: datetime
    ) -> UUID:
        """Opens a review of stored memories, the new one first; returns its id."""

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
        """Ends an open review, and takes off the links by which its memories contradict each other. What then becomes of
        each memory is a change of its own, which keeps the revision: `judge`, `replace` with the action "review", or
        `supersede`."""

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
        """Writes a decision down on memories: a revision with the action "review" and a change event REVIEWED for each,
        and their state and confidence where given. Raises MemoryExists as `Unit.set_state` does."""


class OverdueReviews(Protocol):
    """Reviews that no person needs to decide any more, of all tenants."""

    async def overdue_reviews(self, limit: int) -> tuple[tuple[Scope, UUID], ...]:
        """Open ones past their expire_time, and those whose memories were meanwhile ended; in scopes of every agent."""
