"""Reflections and reviews: how a call is passed on."""

from __future__ import annotations

from tests.rpc.doubles import (
    ID,
    MEMORY,
    NOW,
    REFLECTION,
    REVIEW,
)
from tests.rpc.passing.case import CALL, OTHER, Case

from recalld.v1 import memory_service_pb2 as pb
from recalld.v1 import review_service_pb2 as rv
from recalld_server.core.reflect import ReflectOrder
from recalld_server.core.types import (
    Verdict,
)
from recalld_server.model import (
    Page,
    ReflectionScope,
    ReflectionTarget,
    ReviewDecision,
    ReviewState,
    TimeSpan,
)
from recalld_server.rpc import convert
from recalld_server.rpc.convert.values import to_timestamp

REFLECTED = pb.Reflection(
    reflection_id=str(ID),
    namespace="team",
    state=pb.REFLECTION_STATE_FAILED,
    scope={  # type: ignore[arg-type]
        "filter": {
            "kinds": [2],
            "any_tags": ["会议"],
            "visibility": 2,
            "confidence": {"min": 0.5},
            "event_time": {"start": to_timestamp(NOW)},
            "metadata": [
                {"path": ["a.b"], "operator": 7, "values": {"values": [{"number_value": 1}, {"string_value": "二"}]}},
                {"path": ["c"], "operator": 1},
                {"path": ["d"], "operator": 6, "value": {"number_value": 3}},
            ],
        }
    },
    targets=[pb.REFLECTION_TARGET_FACTS, pb.REFLECTION_TARGET_EXPIRE_STALE],
    dry_run=True,
    progress=0.5,
    counts={"read": 3, "created": 0, "superseded": 0, "merged": 0, "review": 0, "skipped": 0, "failed": 1},
    insights=[
        pb.Insight(
            category="fact",
            content="住在上海",
            confidence=0.5,
            source_ids=[str(ID)],
            support=2,
            counterfactual="否则会迟到",
            outcome="review",
            review_id=str(ID),
        )
    ],
    skipped={"chatter": 2},
    error="the model did not answer in time",
    actor="ada",
    create_time=to_timestamp(NOW),
    start_time=to_timestamp(NOW),
    end_time=to_timestamp(NOW),
)


CASES = [
    Case(
        "ListReviews",
        rv.ListReviewsRequest(namespace="team", page_size=1),
        "reviews.list",
        ("team", ReviewState.OPEN),
        {"page_size": 1, "page_token": ""},
        Page((REVIEW,), "n"),
        rv.ListReviewsResponse(
            reviews=[
                rv.Review(
                    review_id=str(ID),
                    namespace="team",
                    cause=rv.REVIEW_CAUSE_CONFLICT,
                    state=rv.REVIEW_STATE_RESOLVED,
                    memories=[convert.memory(MEMORY)],
                    decision=rv.REVIEW_DECISION_KEEP_BOTH,
                    actor="ada",
                    create_time=to_timestamp(NOW),
                    resolve_time=to_timestamp(NOW),
                    expire_time=to_timestamp(NOW),
                )
            ],
            next_page_token="n",
        ),
    ),
    Case(
        "ResolveReview",
        rv.ResolveReviewRequest(
            namespace="team",
            review_id=str(ID),
            decision=rv.REVIEW_DECISION_CHOOSE,
            chosen_id=str(OTHER),
            reason="better\x07",
        ),
        "reviews.resolve",
        ("team", ID, Verdict(ReviewDecision.CHOOSE, "", OTHER, "better"), CALL),
        {},
        REVIEW,
        rv.ResolveReviewResponse(review=convert.review(REVIEW)),
    ),
    Case(
        "Reflect",
        pb.ReflectRequest(
            namespace="team",
            scope={"time_range": {"start": to_timestamp(NOW)}},  # type: ignore[arg-type]
            targets=[pb.REFLECTION_TARGET_LESSONS],
            dry_run=True,
        ),
        "reflections.start",
        (
            "team",
            ReflectOrder(ReflectionScope(time_range=TimeSpan(NOW, None)), (ReflectionTarget.LESSONS,), True),
            CALL,
        ),
        {},
        REFLECTION,
        pb.ReflectResponse(reflection=REFLECTED),
    ),
    Case(
        "GetReflection",
        pb.GetReflectionRequest(namespace="team", reflection_id=str(ID)),
        "reflections.get",
        ("team", ID),
        {},
        REFLECTION,
        pb.GetReflectionResponse(reflection=REFLECTED),
    ),
    Case(
        "WatchReflection",
        pb.WatchReflectionRequest(namespace="team", reflection_id=str(ID)),
        "reflections.watch",
        ("team", ID),
        {},
        [REFLECTION, REFLECTION],
        [pb.WatchReflectionResponse(reflection=REFLECTED)] * 2,
    ),
    Case(
        "CancelReflection",
        pb.CancelReflectionRequest(namespace="team", reflection_id=str(ID)),
        "reflections.cancel",
        ("team", ID, CALL),
        {},
        REFLECTION,
        pb.CancelReflectionResponse(reflection=REFLECTED),
    ),
]
