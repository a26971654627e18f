"""ReviewService: decisions that wait for a person."""

from __future__ import annotations

from recalld.v1 import review_service_pb2 as pb
from recalld_server.core.services import Core
from recalld_server.rpc import convert
from recalld_server.rpc.calls import Context, call_options, paging, principal


class ReviewServicer:
    """One method for each RPC."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def ListReviews(self, request: pb.ListReviewsRequest, context: Context) -> pb.ListReviewsResponse:  # noqa: N802
        state = convert.review_state(request.state)
        page = await self._core.reviews.list(principal(), request.namespace, state, **paging(request))
        reviews = [convert.review(each) for each in page.items]
        return pb.ListReviewsResponse(reviews=reviews, next_page_token=page.next_token)

    async def ResolveReview(  # noqa: N802
        self, request: pb.ResolveReviewRequest, context: Context
    ) -> pb.ResolveReviewResponse:
        review = await self._core.reviews.resolve(
            principal(),
            request.namespace,
            convert.uuid(request.review_id, "review_id"),
            convert.verdict(request),
            call_options(request, context),
        )
        return pb.ResolveReviewResponse(review=convert.review(review))
