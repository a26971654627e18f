"""What a reranker says of the best hits, mixed with what the ranking says; without it where it does not answer in time."""

from __future__ import annotations

from dataclasses import replace

from recalld_server.core.types import ArmScore, Hit
from recalld_server.errors import ModelUnavailable
from recalld_server.models.base import Reranker

RERANKED = 30
"""Hits that a reranker judges; they keep their place above the others."""
LONGEST_SECONDS = 2.0
"""A reranker gets this long at most, and DEADLINE_SHARE of what is left of the deadline."""
DEADLINE_SHARE = 0.5
WEIGHT = 0.7
"""Share of the reranker's judgement in the score."""


async def rerank(
    reranker: Reranker, text: str, hits: list[Hit], left: float | None
) -> tuple[list[Hit], tuple[str, ...]]:
    """The first hits as the reranker orders them, the others behind; as they were when it does not answer in time, with the
    name of the stage that was skipped. `left`: seconds of the caller's deadline."""
    judged, others = hits[:RERANKED], hits[RERANKED:]
    limit = LONGEST_SECONDS if left is None else min(LONGEST_SECONDS, left * DEADLINE_SHARE)
    if limit <= 0:
        return hits, ("rerank",)
    try:
        scores = await reranker.rerank(text, [hit.memory.content for hit in judged], timeout=limit)
    except (TimeoutError, ModelUnavailable):
        return hits, ("rerank",)
    places = sorted(range(len(judged)), key=lambda at: -scores[at])
    order = []
    for place, at in enumerate(places, 1):
        fit = min(1.0, max(0.0, scores[at]))
        score = (1 - WEIGHT) * judged[at].score + WEIGHT * fit
        arm = ArmScore("rerank", scores[at], place, score - judged[at].score)
        order.append(replace(judged[at], score=score, arms=(*judged[at].arms, arm)))
    order.sort(key=lambda hit: -hit.score)
    return order + others, ()
