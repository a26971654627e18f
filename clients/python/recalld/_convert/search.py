"""What is found."""

from __future__ import annotations

from recalld._convert.build import build
from recalld._convert.filters import from_time_range
from recalld._convert.memories import from_memory
from recalld.filters import TimeRange
from recalld.types import search as t
from recalld.v1 import memory_service_pb2 as sv


def to_ranking(ranking: t.RankingOptions | None) -> sv.RankingOptions | None:
    """The message of ranking options; None stays None."""
    if ranking is None:
        return None
    return build(
        sv.RankingOptions,
        "ranking",
        lexical_weight=ranking.lexical_weight,
        vector_weight=ranking.vector_weight,
        recency_weight=ranking.recency_weight,
        half_life_days=ranking.half_life_days,
        importance_weight=ranking.importance_weight,
        skip_reranker=ranking.skip_reranker,
        keep_near_duplicates=ranking.keep_near_duplicates,
    )


def from_search(message: sv.SearchResponse) -> t.SearchResult:
    """What was found."""
    understood = None
    if message.HasField("understood_time"):
        span = from_time_range(message.understood_time, "range") or TimeRange()
        understood = t.UnderstoodTime(message.understood_time.phrase, span)
    return t.SearchResult(
        hits=tuple(_from_hit(each) for each in message.hits),
        search_id=message.search_id,
        understood_time=understood,
        degraded_stages=tuple(message.degraded_stages),
        min_score=message.min_score,
        explanation=_from_explanation(message.explanation) if message.HasField("explanation") else None,
        omitted_by_tokens=message.omitted_by_tokens,
    )


def from_context(message: sv.BuildContextResponse) -> t.Context:
    """The text for a prompt."""
    return t.Context(
        text=message.text,
        sections=tuple(t.ContextSection(each.heading, each.text, tuple(each.memory_ids)) for each in message.sections),
        token_count=message.token_count,
        search_id=message.search_id,
        degraded_stages=tuple(message.degraded_stages),
    )


def _from_hit(message: sv.SearchHit) -> t.SearchHit:
    return t.SearchHit(
        memory=from_memory(message.memory),
        score=message.score,
        arms=tuple(t.ArmScore(each.arm, each.raw, each.rank, each.contribution) for each in message.arms),
        folded_ids=tuple(message.folded_ids),
    )


def _from_explanation(message: sv.SearchExplanation) -> t.SearchExplanation:
    return t.SearchExplanation(
        plans=tuple(message.plans),
        timings=tuple(t.StageTiming(each.stage, each.milliseconds) for each in message.timings),
        candidates=dict(message.candidates),
        weights=dict(message.weights),
        terms=tuple(message.terms),
    )
