"""Reviews and what is decided in them."""

from __future__ import annotations

from recalld.v1 import review_service_pb2 as pb
from recalld_server.core.types import Verdict
from recalld_server.model import Review, ReviewDecision, ReviewState
from recalld_server.rpc.convert.memory import fill
from recalld_server.rpc.convert.values import enum_or, fill_timestamp, optional_uuid, prose


def review_state(value: int) -> ReviewState:
    """Unspecified: OPEN."""
    return enum_or(ReviewState, value, ReviewState.OPEN)


def verdict(request: pb.ResolveReviewRequest) -> Verdict:
    """What is decided. Raises InvalidField."""
    return Verdict(
        decision=ReviewDecision(request.decision),
        content=request.content,
        chosen_id=optional_uuid(request.chosen_id, "chosen_id"),
        reason=prose(request.reason),
    )


def review(value: Review) -> pb.Review:
    """A review as it is sent."""
    message = pb.Review(
        review_id=str(value.review_id),
        namespace=value.namespace,
        cause=int(value.cause),  # type: ignore[arg-type]
        state=int(value.state),  # type: ignore[arg-type]
        decision=int(value.decision or 0),  # type: ignore[arg-type]
        actor=value.actor,
    )
    for each in value.memories:
        fill(message.memories.add(), each)
    fill_timestamp(message.create_time, value.create_time)
    fill_timestamp(message.expire_time, value.expire_time)
    if value.resolve_time is not None:
        fill_timestamp(message.resolve_time, value.resolve_time)
    return message
