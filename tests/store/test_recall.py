"""The vector arm finds what an exact search finds, through the HNSW index and beside it, whatever the filter."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

import asyncpg
import numpy as np
import pytest
from tests.store.conformance.candidates import centred
from tests.store.things import DIMENSIONS, MODEL, draft, make_scope, query_terms, turned, vector, write

from recalld_server.model import Filter, Scope, State, TimeSpan
from recalld_server.store.base import CandidateQuery, NewMemory, Vector
from recalld_server.store.postgres import MaintenanceOptions, PoolOptions, PostgresStore
from recalld_server.store.postgres.candidates import SearchOptions

LIMIT, FEW = 60, 100
SHARES = {"half": 2, "tenth": 10, "percent": 100, "rare": 500}
"""Tag: one memory in that many has it."""
QUERIES = 12


class Filled(NamedTuple):
    """A store with the memories of one namespace."""

    store: PostgresStore
    scope: Scope
    news: list[NewMemory]


def near_a_topic(number: int) -> Vector:
    """Vectors lie in clusters, as those of texts do, and not all have norm 1."""
    topic = vector(("topic", number % 40))
    return np.asarray(turned(topic, 0.7, ("aside", number)) * (0.9 if number % 3 else 1.0), np.float32)


@pytest.fixture(params=[300, 2_000], ids=str)
async def filled(request: pytest.FixtureRequest, database: str) -> AsyncIterator[Filled]:
    """Most vectors in the index, the last tenth not yet; filters that mean at most 100 rows are read whole."""
    store = PostgresStore(database, PoolOptions(size=4), SearchOptions(small=50, few=FEW))
    await store.start()
    await store.embedding_model(MODEL, DIMENSIONS)
    scope, count = await make_scope(store), request.param
    news = [
        draft(
            scope,
            f"记录 record {number}",
            embedding=near_a_topic(number),
            tags=tuple(tag for tag, every in SHARES.items() if number % every == 0),
        )
        for number in range(count)
    ]
    maintenance = store.maintenance(MaintenanceOptions(counted_from=1, ann_from=100, fresh_tail=0))
    fresh = count // 10
    for start in range(0, count - fresh, 500):
        await write(store, scope, *news[start : min(start + 500, count - fresh)])
    await maintenance.refresh_statistics()
    while await maintenance.turn_on_ann():
        pass
    await write(store, scope, *news[count - fresh :])
    await maintenance.refresh_statistics()
    # as after a while of running, so that what a filter means is estimated well
    connection = await asyncpg.connect(database)
    await connection.execute("ANALYZE")
    await connection.close()
    yield Filled(store, scope, news)
    await store.close()


async def recall(filled: Filled, filter: Filter, matching: set[UUID]) -> float:
    """Share of the exact answers that is found; every answer has as many rows as it can."""
    store, scope, news = filled
    found = wanted = 0
    for number in range(QUERIES):
        query = turned(vector(("topic", number)), 0.8, ("query", number))
        best = centred(news, query)
        exact = set(sorted(matching, key=lambda memory_id: -best[memory_id])[:LIMIT])
        asked = CandidateQuery(filter, query, {}, vector_limit=LIMIT, recent_limit=0)
        async with store.view([scope]) as view:
            answer = await view.candidates([scope], asked)
        if len(matching) > FEW:
            assert answer.plans == ("hnsw",)
        elif len(matching) * 50 < len(news):
            assert answer.plans == ("exact",)
        assert len(answer.found) == min(LIMIT, len(matching))
        found += len(exact & {each.memory_id for each in answer.found})
        wanted += len(exact)
    return found / wanted


async def test_nearly_all_that_an_exact_search_finds_is_found_whatever_the_filter(filled: Filled) -> None:
    tags = {new.memory.memory_id: new.memory.tags for new in filled.news}
    found = {"all": await recall(filled, Filter(), set(tags))}
    for tag in SHARES:
        matching = {memory_id for memory_id, its in tags.items() if tag in its}
        found[tag] = await recall(filled, Filter(all_tags=(tag,)), matching)
    assert min(found.values()) >= 0.98, found
    await what_happened_in_a_span_is_proposed_beside_the_index(filled)
    await a_namespace_of_which_little_is_left_still_fills_an_answer(filled)


async def what_happened_in_a_span_is_proposed_beside_the_index(filled: Filled) -> None:
    store, scope, news = filled
    day = max(new.memory.create_time for new in news) - timedelta(days=1_000)  # as an import of old notes
    told = [draft(scope, f"那天的事 event {n}", event_time=day, embedding=vector(("far", n))) for n in range(3)]
    await write(store, scope, *told)
    news.extend(told)
    span = TimeSpan(day - timedelta(hours=1), day + timedelta(hours=1))
    asked = CandidateQuery(Filter(), vector(("topic", 1)), {}, vector_limit=10, recent_limit=0, span=span)
    async with store.view([scope]) as view:
        answer = await view.candidates([scope], asked)
    assert answer.plans == ("hnsw",)
    in_time = {each.memory_id for each in answer.found if "time" in each.arms}
    assert in_time == {new.memory.memory_id for new in told}


async def a_namespace_of_which_little_is_left_still_fills_an_answer(filled: Filled) -> None:
    store, scope, news = filled
    gone = [new.memory.memory_id for new in news if "tenth" not in new.memory.tags]
    async with store.unit(scope) as unit:
        await unit.set_state(scope, gone, State.FORGOTTEN, actor="a", action="forget", reason="")
    every = {"vector_limit": LIMIT, "lexical_limit": LIMIT, "recent_limit": LIMIT}
    async with store.view([scope]) as view:
        answer = await view.candidates(
            [scope],
            CandidateQuery(Filter(), vector("q"), query_terms("record 记录"), **every),  # type: ignore[arg-type]
        )
    for arm in ("vector", "lexical", "recency"):
        assert sum(arm in each.arms for each in answer.found) == min(LIMIT, len(news) - len(gone)), arm
