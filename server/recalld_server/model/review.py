"""Decisions that wait for a person."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from recalld_server.model.memory import Memory


class ReviewCause(enum.IntEnum):
    """Why a review was opened."""

    LOW_CONFIDENCE = 1
    CONFLICT = 2


class ReviewState(enum.IntEnum):
    """Where a review stands. An open one past its expire_time reads as EXPIRED before it is stored so."""

    OPEN = 1
    RESOLVED = 2
    EXPIRED = 3


class ReviewDecision(enum.IntEnum):
    """What a person decides."""

    APPROVE = 1
    EDIT = 2
    REJECT = 3
    KEEP_BOTH = 4
    CHOOSE = 5


@dataclass(frozen=True, slots=True)
class Review:
    """A decision that waits, or was made. `memories`: the new one first; those that are gone or hidden are absent."""

    review_id: UUID
    namespace: str
    cause: ReviewCause
    state: ReviewState
    create_time: datetime
    expire_time: datetime
    memories: tuple[Memory, ...] = ()
    decision: ReviewDecision | None = None
    actor: str = ""
    reason: str = ""
    resolve_time: datetime | None = None
