"""Reviews, and what happens as it happens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recalld.enums import ReviewCause, ReviewDecision, ReviewState, WatchEventType
from recalld.types.memories import Memory


@dataclass(frozen=True, slots=True)
class Review:
    """A decision that waits for a person, or was made."""

    review_id: str
    namespace: str
    cause: ReviewCause
    state: ReviewState
    memories: tuple[Memory, ...]
    """The memories it is about, the new one first."""
    decision: ReviewDecision
    actor: str
    create_time: datetime | None
    resolve_time: datetime | None
    expire_time: datetime | None

    def __repr__(self) -> str:
        return f"<Review {self.review_id} {self.state} {self.cause}, {len(self.memories)} memories>"


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """One thing that happened."""

    type: WatchEventType
    namespace: str
    memory_id: str
    memory: Memory | None
    """As it is now; None when it is gone."""
    actor: str
    create_time: datetime | None
    """When it was committed."""
    resume_token: str
    """Give it to `watch` to go on behind this event."""

    def __repr__(self) -> str:
        return f"<WatchEvent {self.type} {self.namespace} {self.memory_id}>"
