"""Search: understand the time and the words, embed (no connection is held), ask the arms, rank.

It never answers empty because something failed: while the embedding model is down the words still find, and the answer
says which stage was skipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import structlog

from recalld_server import telemetry
from recalld_server.core import ranking
from recalld_server.core.access import Access
from recalld_server.core.policy import DEFAULTS, Action
from recalld_server.core.rerank import RERANKED, rerank
from recalld_server.core.search_log import SearchLog, searched
from recalld_server.core.types import ArmScore, Explanation, Hit, Ranking, SearchAnswer, SearchQuery
from recalld_server.errors import BlankContent, ModelUnavailable
from recalld_server.model import Filter, Memory, Policy, Principal, Scope, TimeMode, TimeSpan, new_id, utc_now
from recalld_server.models.base import Embedder, Reranker
from recalld_server.store.base import CandidateQuery, Candidates, Reads, Vector, View
from recalld_server.telemetry import Stages
from recalld_server.text.asking import asks_only_for_time
from recalld_server.text.budget import estimate_tokens
from recalld_server.text.clean import clean, is_blank
from recalld_server.text.entities import identifiers
from recalld_server.text.time_ranges import find_time_range
from recalld_server.text.tokens import query_weights, term_id, turns

log = structlog.get_logger(__name__)

EMBEDDING_SHARE = 0.6
"""Share of the caller's deadline that the embedding may take before the vector arm is given up."""
LAST_TURN_SHARE = 0.4
"""Share of the last turn in the vector of a dialogue (measured on dialogues as queries)."""
CANDIDATES = 60
"""Rows that the arms by meaning and by words propose each: more changed nothing (measured)."""
RECENT = 10
IN_TIME = 20
ONLY_TIME = 0.8
"""Added for the time that a query asks for when it asks for nothing else: more than meaning and words together."""
ONLY_TIME_LATER = 0.2
"""Share of that for what was written in the two weeks after: another day is not the day that was asked for."""


@dataclass(frozen=True, slots=True)
class _Time:
    """The time that a query speaks of, and the filter with which the arms are asked."""

    phrase: str
    span: TimeSpan | None
    filter: Filter
    alone: bool = False
    """The query asks for that time and for nothing else."""


class Searches:
    """Finds memories."""

    def __init__(
        self,
        reads: Reads,
        access: Access,
        embedder: Embedder,
        reranker: Reranker | None = None,
        log: SearchLog | None = None,
    ) -> None:
        self._reads = reads
        self._access = access
        self._embedder = embedder
        self._reranker = reranker
        self._log = log

    async def search(self, principal: Principal, query: SearchQuery, *, record: bool = True) -> SearchAnswer:
        """The best memories for a query; `record` keeps what was found, for MarkUsed and Stats. Raises BlankContent, NamespaceNotFound, RoleRequired, StoreUnavailable."""
        with Stages("search") as clock:
            return await self._search(principal, query, clock, record=record)

    async def _search(self, principal: Principal, query: SearchQuery, clock: Stages, *, record: bool) -> SearchAnswer:
        rooms = await self._access.open_all(principal, query.namespaces, Action.READ)
        text = clean(query.text)
        if is_blank(text):
            raise BlankContent("query")
        clock.mark("access")
        now = query.reference_time or utc_now()
        when = _understood(query, text, now)
        clock.mark("time")
        weights = _weights(query.ranking, rooms[0].policy)
        if when.alone:
            weights = replace(weights, time=ONLY_TIME, told_later=ONLY_TIME_LATER)
        vector, degraded = await self._embed(text, weights, query.timeout)
        clock.mark("embed")
        # of "what did I do last Friday" no word is one of the answer
        terms = query_weights(text) if weights.lexical > 0 and not when.alone else {}
        wanted = query.top_k if self._reranker is None else max(query.top_k, RERANKED)
        asked = CandidateQuery(
            filter=when.filter,
            vector=vector,
            terms={term_id(term): weight for term, weight in terms.items()},
            identifiers=tuple(identifiers(text)),
            vector_limit=max(CANDIDATES, wanted),
            lexical_limit=max(CANDIDATES, wanted),
            # the newest fill an answer for which the others found too little
            recent_limit=max(RECENT, wanted),
            span=when.span,
            span_limit=max(IN_TIME, wanted),
            as_of=query.as_of,
        )
        scopes = [room.scope for room in rooms]

        async def find(view: View) -> tuple[Candidates, list[Hit]]:
            candidates = await view.candidates(scopes, asked)
            clock.mark("candidates", **_proposed(candidates))
            ranked = _ranked(candidates, text, when, weights, now, wanted)
            clock.mark("rank")
            hits = await _read(view, scopes, ranked, query.as_of)
            clock.mark("read")
            return candidates, hits

        candidates, hits = await self._reads.read(scopes, find)
        if self._reranker is not None and hits and not query.ranking.skip_reranker:
            left = None if query.timeout is None else query.timeout - clock.seconds
            hits, skipped = await rerank(self._reranker, text, hits, left)
            degraded += skipped
            clock.mark("rerank")
        chosen, omitted = _within(hits, query)
        search_id = new_id()
        if record and self._log is not None:
            self._log.add(searched(principal, scopes, search_id, [hit.memory for hit in chosen], clock.seconds))
        telemetry.record_search(len(chosen), _proposed(candidates), degraded)
        log.info(
            "searched",
            search_id=str(search_id),
            namespaces=len(scopes),
            candidates=len(candidates.found),
            hits=len(chosen),
            tokens=sum(estimate_tokens(hit.memory.content) for hit in chosen),
            query_tokens=estimate_tokens(text),
            degraded=list(degraded),
            milliseconds=round(clock.seconds * 1000, 1),
        )
        return SearchAnswer(
            hits=tuple(chosen),
            search_id=search_id,
            understood_phrase=when.phrase,
            understood_range=when.span or TimeSpan(),
            degraded_stages=degraded,
            min_score=query.min_score or 0.0,
            explanation=_explained(candidates, weights, terms, clock) if query.explain else None,
            omitted_by_tokens=omitted,
        )

    async def _embed(
        self, text: str, weights: ranking.Weights, timeout: float | None
    ) -> tuple[Vector | None, tuple[str, ...]]:
        """The query's vector; of a dialogue, a mix of the whole and of its last turn."""
        if weights.vector <= 0:
            return None, ()
        said = turns(text)
        texts = [text] if len(said) < 2 else ["\n".join(said), said[-1]]
        limit = timeout * EMBEDDING_SHARE if timeout is not None else None
        try:
            batch = await self._embedder.embed_queries(texts, timeout=limit)
        except (TimeoutError, ModelUnavailable):
            return None, ("vector",)
        whole, last = batch.vectors[0], batch.vectors[-1]
        if whole is None or last is None:
            return whole if whole is not None else last, () if whole is not None or last is not None else ("vector",)
        mixed = (1 - LAST_TURN_SHARE) * whole + LAST_TURN_SHARE * last
        norm = float(np.linalg.norm(mixed))
        return (mixed / norm).astype(np.float32) if norm > 1e-6 else whole, ()


def _proposed(candidates: Candidates) -> dict[str, int]:
    """How many memories each arm proposed."""
    proposed: Counter[str] = Counter()
    for arms, count in Counter([found.arms for found in candidates.found]).items():
        proposed.update(dict.fromkeys(arms, count))
    return dict(proposed)


def _understood(query: SearchQuery, text: str, now: datetime) -> _Time:
    """An explicit range in the request wins over words; words are a boost, or a filter where the caller says so."""
    if query.time_mode is TimeMode.IGNORE or query.filter.event_time != TimeSpan():
        return _Time("", None, query.filter)
    found = find_time_range(text, now, ZoneInfo(query.time_zone))
    if found is None:
        return _Time("", None, query.filter)
    span = TimeSpan(found.start, found.end)
    if query.time_mode is TimeMode.FILTER:
        return _Time(found.phrase, span, replace(query.filter, event_time=span))
    return _Time(found.phrase, span, query.filter, asks_only_for_time(text, found.phrase))


def _weights(asked: Ranking, policy: Policy) -> ranking.Weights:
    """The request's weights over the policy's over the defaults."""
    base = ranking.Weights()

    def first(*values: float | None) -> float:
        return next(value for value in values if value is not None)

    half_life = asked.half_life_days or policy.half_life_days
    return replace(
        base,
        lexical=first(asked.lexical_weight, policy.lexical_weight, DEFAULTS.lexical_weight, base.lexical),
        vector=first(asked.vector_weight, policy.vector_weight, DEFAULTS.vector_weight, base.vector),
        recency=first(asked.recency_weight, policy.recency_weight, base.recency),
        importance=first(asked.importance_weight, base.importance),
        half_life_days=dict.fromkeys(base.half_life_days, half_life) if half_life else base.half_life_days,
        fold=not asked.keep_near_duplicates,
    )


def _ranked(
    candidates: Candidates, text: str, when: _Time, weights: ranking.Weights, now: datetime, limit: int
) -> Sequence[ranking.Ranked]:
    features = ranking.QueryFeatures(text, when.span, candidates.lexical_units)
    return ranking.rank(candidates.found, features, weights, now, limit=limit)


async def _read(
    view: View,
    scopes: Sequence[Scope],
    ranked: Sequence[ranking.Ranked],
    as_of: datetime | None,
) -> list[Hit]:
    """The ranked ones with their memories, in order. Two namespaces may hold memories of the same id."""
    memories: dict[tuple[UUID, UUID], Memory] = {}
    for scope in scopes:
        inside = [one.memory_id for one in ranked if one.namespace_id == scope.namespace_id]
        found = await view.get(scope, inside, as_of=as_of)
        memories.update({(scope.namespace_id, memory_id): memory for memory_id, memory in found.items()})
    return [
        Hit(
            memory,
            one.score,
            tuple(ArmScore(name, arm.raw, arm.rank, arm.contribution) for name, arm in one.arms.items()),
            one.folded_ids,
        )
        for one in ranked
        if (memory := memories.get((one.namespace_id, one.memory_id))) is not None
    ]


def _within(hits: Sequence[Hit], query: SearchQuery) -> tuple[list[Hit], int]:
    """The hits that the caller's bounds let through, and how many the token budget left out."""
    good = [hit for hit in hits if query.min_score is None or hit.score >= query.min_score][: query.top_k]
    if query.max_tokens is None:
        return good, 0
    chosen, left = [], query.max_tokens
    for hit in good:
        left -= estimate_tokens(hit.memory.content)
        if left < 0:
            break
        chosen.append(hit)
    return chosen, len(good) - len(chosen)


def _explained(candidates: Candidates, weights: ranking.Weights, terms: dict[str, float], clock: Stages) -> Explanation:
    used = {name: getattr(weights, name) for name in ("lexical", "vector", "session", "speaker", "time", "exact")}
    used |= {name: getattr(weights, name) for name in ("question", "brevity")}
    used |= {name: getattr(weights, name) for name in ("recency", "importance", "confidence", "use")}
    return Explanation(
        plans=candidates.plans,
        timings=tuple(clock.timings),
        candidates=tuple(sorted(_proposed(candidates).items())),
        weights=tuple(used.items()),
        terms=tuple(sorted(terms, key=lambda term: -terms[term])),
    )
