"""Decisions that wait for a person."""

from __future__ import annotations

from recalld._async.bound import AsyncBound
from recalld._async.pager import AsyncPager
from recalld._calls import request_id as named
from recalld._convert.build import build, to_enum
from recalld._convert.events import from_review
from recalld.enums import ReviewDecision, ReviewDecisionLike, ReviewState, ReviewStateLike
from recalld.types.events import Review
from recalld.v1 import review_service_pb2 as sv


class AsyncReviewing(AsyncBound):
    """Decisions that wait for a person."""

    def reviews(
        self, *, state: ReviewStateLike | None = None, page_size: int | None = None, timeout: float | None = None
    ) -> AsyncPager[Review]:
        """Lists reviews, oldest first; the OPEN ones unless `state` says otherwise."""
        request = build(
            sv.ListReviewsRequest,
            namespace=self._namespace,
            state=to_enum(sv.ReviewState, ReviewState, state, "state"),
            page_size=page_size,
        )
        return AsyncPager(
            self._transport,
            lambda stubs: stubs.review.ListReviews,
            request,
            lambda answer: map(from_review, answer.reviews),
            timeout,
        )

    async def resolve_review(
        self,
        review_id: str,
        decision: ReviewDecisionLike,
        *,
        content: str | None = None,
        chosen_id: str | None = None,
        reason: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> Review:
        """Decides a review: "approve", "edit" (with `content`), "reject", "keep_both" or "choose" (`chosen_id`)."""
        request = build(
            sv.ResolveReviewRequest,
            namespace=self._namespace,
            review_id=review_id,
            decision=to_enum(sv.ReviewDecision, ReviewDecision, decision, "decision"),
            content=content,
            chosen_id=chosen_id,
            reason=reason,
            request_id=named(request_id),
        )
        answer = await self._transport.mutate(lambda stubs: stubs.review.ResolveReview, request, timeout)
        return from_review(answer.review)
