"""Finding memories."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Unpack

from recalld._async.bound import AsyncBound
from recalld._calls import names
from recalld._calls import request_id as named
from recalld._convert.build import build, many, to_enum
from recalld._convert.filters import to_filter
from recalld._convert.search import from_context, from_search, to_ranking
from recalld._convert.times import to_timestamp
from recalld.enums import TimeMode, TimeModeLike
from recalld.filters import Filter, FilterFields, combine
from recalld.types.search import Context, RankingOptions, SearchResult
from recalld.v1 import memory_service_pb2 as sv


class AsyncFinding(AsyncBound):
    """Finding memories."""

    async def search(
        self,
        query: str,
        *,
        top_k: int | None = None,
        min_score: float | None = None,
        filter: Filter | None = None,
        ranking: RankingOptions | None = None,
        time_zone: str | None = None,
        time_mode: TimeModeLike | None = None,
        reference_time: datetime | None = None,
        as_of: datetime | None = None,
        max_tokens: int | None = None,
        explain: bool = False,
        namespaces: Sequence[str] | str | None = None,
        timeout: float | None = None,
        **where: Unpack[FilterFields],
    ) -> SearchResult:
        """Finds memories by meaning, by words and by time; best first, 5 unless `top_k` (≤ 100) says otherwise.

        Which memories may be found is a `filter`, or its parts as keywords: `kinds="episodic"`, `user_ids=["u1"]`,
        `metadata=where("rank") > 9`, … (see `Filter`). `namespaces` searches up to eight at once instead of the one
        that is bound. `time_zone` (IANA, default UTC) and `reference_time` (default now) say what "yesterday" means;
        `as_of` searches memories as they were then.
        """
        request = build(
            sv.SearchRequest,
            namespaces=names(namespaces, self._namespace),
            query=query,
            filter=to_filter(combine(filter, where)),
            top_k=top_k,
            min_score=min_score,
            ranking=to_ranking(ranking),
            time_zone=time_zone,
            time_mode=to_enum(sv.TimeMode, TimeMode, time_mode, "time_mode"),
            reference_time=to_timestamp(reference_time, "reference_time"),
            as_of=to_timestamp(as_of, "as_of"),
            max_tokens=max_tokens,
            explain=explain,
        )
        return from_search(await self._transport.read(lambda stubs: stubs.memory.Search, request, timeout))

    async def context(
        self,
        query: str,
        *,
        max_tokens: int | None = None,
        session_id: str | None = None,
        language: str | None = None,
        time_zone: str | None = None,
        include_counterfactuals: bool = False,
        filter: Filter | None = None,
        namespaces: Sequence[str] | str | None = None,
        timeout: float | None = None,
        **where: Unpack[FilterFields],
    ) -> Context:
        """Builds the text that an agent pastes into its prompt, at most `max_tokens` (default 1,000) long.

        `language` is that of the headings, "en" or "zh"; None: that of the query. Filters are as in `search`.
        """
        request = build(
            sv.BuildContextRequest,
            namespaces=names(namespaces, self._namespace),
            query=query,
            filter=to_filter(combine(filter, where)),
            max_tokens=max_tokens,
            session_id=session_id,
            language=language,
            time_zone=time_zone,
            include_counterfactuals=include_counterfactuals,
        )
        return from_context(await self._transport.read(lambda stubs: stubs.memory.BuildContext, request, timeout))

    async def mark_used(
        self,
        search_id: str,
        memory_ids: Sequence[str] | str,
        *,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> int:
        """Says which hits of a search or context were of use; returns how many were marked."""
        request = build(
            sv.MarkUsedRequest, search_id=search_id, memory_ids=many(memory_ids), request_id=named(request_id)
        )
        return (await self._transport.mutate(lambda stubs: stubs.memory.MarkUsed, request, timeout)).marked
