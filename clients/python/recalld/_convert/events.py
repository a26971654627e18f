"""Reviews and what happens as it happens."""

from __future__ import annotations

from recalld._convert.build import from_enum
from recalld._convert.memories import from_memory
from recalld._convert.times import from_timestamp
from recalld.enums import ReviewCause, ReviewDecision, ReviewState, WatchEventType
from recalld.types import events as t
from recalld.v1 import review_service_pb2 as rv
from recalld.v1 import watch_service_pb2 as wv


def from_review(message: rv.Review) -> t.Review:
    """A review."""
    return t.Review(
        review_id=message.review_id,
        namespace=message.namespace,
        cause=from_enum(rv.ReviewCause, ReviewCause, message.cause),
        state=from_enum(rv.ReviewState, ReviewState, message.state),
        memories=tuple(from_memory(each) for each in message.memories),
        decision=from_enum(rv.ReviewDecision, ReviewDecision, message.decision),
        actor=message.actor,
        create_time=from_timestamp(message, "create_time"),
        resolve_time=from_timestamp(message, "resolve_time"),
        expire_time=from_timestamp(message, "expire_time"),
    )


def from_event(message: wv.WatchResponse) -> t.WatchEvent:
    """One thing that happened."""
    return t.WatchEvent(
        type=from_enum(wv.WatchEventType, WatchEventType, message.type),
        namespace=message.namespace,
        memory_id=message.memory_id,
        memory=from_memory(message.memory) if message.HasField("memory") else None,
        actor=message.actor,
        create_time=from_timestamp(message, "create_time"),
        resume_token=message.resume_token,
    )
