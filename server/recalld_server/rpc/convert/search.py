"""Searches: what to find, and what was found."""

from __future__ import annotations

from recalld.v1 import memory_service_pb2
from recalld_server.core.types import Explanation, Hit, Ranking, SearchAnswer, SearchQuery
from recalld_server.model import TimeMode
from recalld_server.rpc.calls import Context
from recalld_server.rpc.convert.filter import filter_of
from recalld_server.rpc.convert.memory import fill
from recalld_server.rpc.convert.values import enum_or, from_time_span, optional_time, time_zone

DEFAULT_TOP_K = 5
WEIGHTS = ("lexical_weight", "vector_weight", "recency_weight", "half_life_days", "importance_weight")


def search_query(request: memory_service_pb2.SearchRequest, context: Context) -> SearchQuery:
    """Raises InvalidField."""
    return SearchQuery(
        namespaces=tuple(request.namespaces),
        text=request.query,
        filter=filter_of(request.filter),
        top_k=request.top_k if request.HasField("top_k") else DEFAULT_TOP_K,
        min_score=request.min_score if request.HasField("min_score") else None,
        ranking=_ranking(request.ranking),
        time_zone=time_zone(request.time_zone, "time_zone"),
        time_mode=enum_or(TimeMode, request.time_mode, TimeMode.BOOST),
        reference_time=optional_time(request, "reference_time"),
        as_of=optional_time(request, "as_of"),
        max_tokens=request.max_tokens if request.HasField("max_tokens") else None,
        explain=request.explain,
        timeout=context.time_remaining(),
    )


def search_response(answer: SearchAnswer) -> memory_service_pb2.SearchResponse:
    """What was found, as it is sent."""
    understood = None
    if answer.understood_phrase:
        understood = memory_service_pb2.UnderstoodTime(
            phrase=answer.understood_phrase, range=from_time_span(answer.understood_range)
        )
    response = memory_service_pb2.SearchResponse(
        search_id=str(answer.search_id),
        understood_time=understood,
        degraded_stages=answer.degraded_stages,
        min_score=answer.min_score,
        explanation=None if answer.explanation is None else _explanation(answer.explanation),
        omitted_by_tokens=answer.omitted_by_tokens,
    )
    for each in answer.hits:
        _fill_hit(response.hits.add(), each)
    return response


def _ranking(message: memory_service_pb2.RankingOptions) -> Ranking:
    weights = {name: getattr(message, name) for name in WEIGHTS if message.HasField(name)}  # type: ignore[arg-type]
    return Ranking(skip_reranker=message.skip_reranker, keep_near_duplicates=message.keep_near_duplicates, **weights)


def _fill_hit(message: memory_service_pb2.SearchHit, value: Hit) -> None:
    fill(message.memory, value.memory)
    message.score = value.score
    for arm in value.arms:
        message.arms.add(arm=arm.arm, raw=arm.raw, rank=arm.rank, contribution=arm.contribution)
    message.folded_ids.extend(map(str, value.folded_ids))


def _explanation(value: Explanation) -> memory_service_pb2.SearchExplanation:
    return memory_service_pb2.SearchExplanation(
        plans=value.plans,
        timings=[memory_service_pb2.StageTiming(stage=stage, milliseconds=taken) for stage, taken in value.timings],
        candidates=dict(value.candidates),
        weights=dict(value.weights),
        terms=value.terms,
    )
