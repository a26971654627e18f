"""Figures come from counters: after whatever happened, in whatever order, they are what a count of every row says."""

from __future__ import annotations

import random
import statistics
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from tests.store.things import as_agent, draft, make_scope, vector, write

from recalld_server.errors import RecalldError
from recalld_server.model import (
    EVERY_AGENT,
    IndexState,
    Kind,
    ReviewCause,
    ReviewDecision,
    ReviewState,
    Scope,
    State,
    Stats,
    Visibility,
    new_id,
    utc_now,
)
from recalld_server.store.base import Searched
from recalld_server.store.postgres import PostgresStore

AGENTS = ("ann", "bob")
EVER = timedelta(days=365)
BAND = 0.026
"""How far a median from bands of 5 % may be off."""

VISIBLE = "namespace_id = ANY ($1::uuid[]) AND (visibility = 2 OR agent_id = $2 OR $2 = '*')"
LIVE = "state = 1 AND (expire_time IS NULL OR expire_time > now())"
EVERY_ROW = f"""
SELECT
  (SELECT count(*) FROM memories WHERE {VISIBLE} AND {LIVE}) AS total,
  (SELECT coalesce(avg(confidence), 0) FROM memories WHERE {VISIBLE} AND {LIVE}) AS mean_confidence,
  (SELECT coalesce(sum(octet_length(content)), 0) FROM memories WHERE {VISIBLE}) AS content_bytes,
  (SELECT count(*) FROM memories m WHERE {VISIBLE} AND {LIVE} AND NOT EXISTS (
    SELECT FROM found f WHERE f.namespace_id = m.namespace_id AND f.memory_id = m.memory_id)) AS never_found,
  (SELECT count(*) FROM memories WHERE {VISIBLE} AND state = 1 AND index_state = 1) AS queue_depth,
  (SELECT count(*) FROM memories WHERE {VISIBLE} AND state = 1 AND index_state = 3) AS dead_jobs,
  (SELECT coalesce(extract(epoch FROM now() - min(create_time)), 0) FROM memories
    WHERE {VISIBLE} AND state = 1 AND index_state = 1) AS queue_age_seconds,
  (SELECT count(*) FROM reviews WHERE {VISIBLE} AND state = 1 AND expire_time > now()) AS reviews_waiting,
  (SELECT count(*) FROM reviews WHERE {VISIBLE} AND state = 1 AND expire_time > now() AND type = 2) AS conflicts_open
"""
KINDS = f"""
SELECT kind, CASE WHEN state = 1 AND expire_time <= now() THEN 6 ELSE state END AS state, count(*) AS n
FROM memories WHERE {VISIBLE} GROUP BY 1, 2
"""
SEARCHES = """
SELECT date_trunc('day', create_time, 'UTC') AS day, milliseconds, helped FROM searches
WHERE namespace_ids && $1::uuid[] AND tenant_id = $2 AND create_time >= $3 AND create_time < $4
"""


@pytest.fixture
async def database_itself(database: str, store: PostgresStore) -> AsyncIterator[asyncpg.Connection]:
    """As its owner, whom no policy binds."""
    connection = await asyncpg.connect(database, server_settings={"search_path": "recalld"})
    yield connection
    await connection.close()


async def figures(store: PostgresStore, scopes: list[Scope], since: datetime, until: datetime) -> Stats:
    async with store.view(scopes) as view:
        return await view.stats(scopes, since=since, until=until)


async def agree(
    store: PostgresStore,
    connection: asyncpg.Connection,
    scopes: list[Scope],
    since: datetime | None = None,
    until: datetime | None = None,
) -> Stats:
    since, until = since or utc_now() - EVER, until or utc_now() + EVER
    ids, agent = [scope.namespace_id for scope in scopes], scopes[0].agent_id
    stats = await figures(store, scopes, since, until)
    row = await connection.fetchrow(EVERY_ROW, ids, agent)
    assert row is not None
    for name, counted in row.items():
        slack = 5.0 if name == "queue_age_seconds" else 1e-6
        assert getattr(stats, name) == pytest.approx(float(counted), abs=slack), name
    kinds = {(each.kind, each.state): each.count for each in stats.counts}
    assert kinds == {(row["kind"], row["state"]): row["n"] for row in await connection.fetch(KINDS, ids, agent)}
    searches = await connection.fetch(SEARCHES, ids, scopes[0].tenant_id, since, until)
    assert stats.searches == len(searches)
    days = {day.day: day.searches for day in stats.days if day.searches}
    assert days == Counter(row["day"] for row in searches)
    if searches:
        assert stats.hit_rate == pytest.approx(sum(row["helped"] for row in searches) / len(searches))
        p50 = statistics.median(row["milliseconds"] for row in searches)
        assert stats.search_p50_milliseconds == pytest.approx(p50, rel=BAND)
    return stats


class Life:
    """What may happen to memories, one step at a time, by chance."""

    def __init__(self, store: PostgresStore, scopes: list[Scope], seed: int) -> None:
        self.store = store
        self.scopes = scopes
        self.chance = random.Random(seed)
        self.memories: list[tuple[Scope, UUID]] = []
        self.searches: list[Searched] = []
        self.reviews: list[tuple[Scope, UUID]] = []
        self.number = 0

    async def step(self) -> None:
        steps: list[Callable[[], Awaitable[Any]]] = [
            *[self.write] * 3,
            *[self.search] * 3,
            *[self.mark] * 2,
            *[self.move] * 3,
            self.supersede,
            self.update,
            self.erase,
            self.index,
            self.doubt,
            self.decide,
            self.sweep,
            self.retry,
        ]
        with suppress(RecalldError):  # some of what chance brings must be refused: then nothing may be counted
            await self.chance.choice(steps)()

    def some(self, at_most: int) -> tuple[Scope, list[UUID]]:
        """Memories of one namespace, as the server sees them."""
        scope = self.chance.choice(self.scopes)
        held = [memory_id for each, memory_id in self.memories if each.namespace_id == scope.namespace_id]
        chosen = self.chance.sample(held, min(len(held), self.chance.randint(1, at_most)))
        return replace(scope, agent_id=EVERY_AGENT), chosen

    def ends(self) -> datetime | None:
        now = utc_now()
        spans = (None, None, timedelta(seconds=-30), timedelta(milliseconds=-1), timedelta(days=3))
        span = self.chance.choice(spans)
        return None if span is None else now + span

    async def write(self) -> None:
        scope = self.chance.choice(self.scopes)
        news = []
        for _ in range(self.chance.randint(1, 6)):
            self.number += 1
            index_state = self.chance.choice([IndexState.INDEXED] * 3 + [IndexState.PENDING, IndexState.FAILED])
            new = draft(
                scope,
                f"记忆 memory {self.number}",
                kind=self.chance.choice(list(Kind)),
                visibility=self.chance.choice(list(Visibility)),
                state=self.chance.choice([State.ACTIVE] * 4 + [State.PENDING_REVIEW]),
                confidence=self.chance.random(),
                expire_time=self.ends(),
                index_state=index_state,
            )
            news.append(new if index_state is IndexState.INDEXED else replace(new, vector=None))
        stored = await write(self.store, scope, *news)
        self.memories += [(scope, memory.memory_id) for memory in stored]

    async def search(self) -> None:
        agent = self.chance.choice(self.scopes)
        places = self.chance.sample(self.scopes, self.chance.randint(1, len(self.scopes)))
        places = list({each.namespace_id: each for each in places}.values())
        found = [
            (scope.namespace_id, memory_id)
            for scope, memory_id in self.chance.sample(self.memories, min(len(self.memories), 4))
            if scope.namespace_id in {each.namespace_id for each in places}
        ]
        search = Searched(
            agent.tenant_id,
            agent.agent_id,
            new_id(),
            tuple(each.namespace_id for each in places),
            tuple(found),
            self.chance.lognormvariate(2, 1),
            utc_now() - timedelta(hours=self.chance.uniform(0, 60)),
        )
        self.searches.append(search)
        await self.store.log_searches([search] * self.chance.randint(1, 2))

    async def mark(self) -> None:
        if not self.searches:
            return
        search = self.chance.choice(self.searches)
        place = self.chance.choice(search.namespace_ids)
        scope = next(each for each in self.scopes if each.namespace_id == place)
        scope = as_agent(scope, search.agent_id)
        async with self.store.unit(scope) as unit:
            await unit.mark_used(scope, search.search_id, [memory_id for _, memory_id in search.found][:2])

    async def move(self) -> None:
        scope, ids = self.some(4)
        state = self.chance.choice([State.ACTIVE, State.ARCHIVED, State.FORGOTTEN, State.REJECTED])
        async with self.store.unit(scope) as unit:
            await unit.set_state(scope, ids, state, actor="ann", action="move", reason="")

    async def supersede(self) -> None:
        scope, ids = self.some(3)
        if ids:
            async with self.store.unit(scope) as unit:
                await unit.supersede(scope, ids[1:], ids[0], actor="ann", reason="", when=utc_now())

    async def update(self) -> None:
        scope, ids = self.some(1)
        async with self.store.unit(scope) as unit:
            for memory_id, memory in (await unit.get(scope, ids)).items():
                state = State.ACTIVE if memory.state is State.EXPIRED else memory.state
                self.number += 1
                new = draft(scope, f"改过 changed {self.number}")
                changed = replace(
                    memory,
                    content=new.memory.content,
                    kind=self.chance.choice(list(Kind)),
                    state=state,
                    confidence=self.chance.random(),
                    expire_time=self.ends(),
                    index_state=self.chance.choice([IndexState.INDEXED, IndexState.PENDING]),
                )
                vectors = new.vector if changed.index_state is IndexState.INDEXED else None
                new = replace(new, memory=replace(changed, memory_id=memory_id), vector=vectors)
                await unit.replace(
                    scope, new, expected_revision=memory.revision, action="update", actor="ann", reason=""
                )

    async def erase(self) -> None:
        scope, ids = self.some(3)
        async with self.store.unit(scope) as unit:
            await unit.erase(scope, ids, actor="ann")
        self.memories = [each for each in self.memories if each[1] not in ids]

    async def index(self) -> None:
        scope, ids = self.some(1)
        async with self.store.unit(scope) as unit:
            for memory_id in ids:
                good = vector(memory_id) if self.chance.random() < 0.6 else None
                await unit.set_index(
                    scope, memory_id, vector=good, text_vector=None, error="" if good is not None else "x"
                )

    async def doubt(self) -> None:
        scope, ids = self.some(2)
        ends = utc_now() + self.chance.choice([timedelta(seconds=-5), timedelta(minutes=3), timedelta(days=14)])
        cause = self.chance.choice(list(ReviewCause))
        async with self.store.unit(scope) as unit:
            self.reviews.append((scope, await unit.open_review(scope, cause, ids, expire_time=ends)))

    async def decide(self) -> None:
        if self.reviews:
            scope, review_id = self.chance.choice(self.reviews)
            async with self.store.unit(scope) as unit:
                decision = ReviewDecision.KEEP_BOTH
                await unit.close_review(scope, review_id, ReviewState.RESOLVED, decision=decision, actor="ann")

    async def sweep(self) -> None:
        await self.store.maintenance().sweep_expired()

    async def retry(self) -> None:
        await self.store.index_jobs().retry_failed()


@pytest.mark.parametrize("seed", range(6))
async def test_counters_are_what_a_full_count_says(
    store: PostgresStore, database_itself: asyncpg.Connection, seed: int
) -> None:
    homes = [await make_scope(store, name) for name in ("space", "别处", "third")]
    life = Life(store, [as_agent(home, agent) for home in homes for agent in AGENTS], seed)
    for number in range(120):
        await life.step()
        if number % 15 == 14:
            for agent in (*AGENTS, EVERY_AGENT):
                own = [as_agent(home, agent) for home in homes]
                await agree(store, database_itself, own)
                since = utc_now() - timedelta(hours=life.chance.uniform(1, 60))
                until = since + timedelta(hours=life.chance.uniform(0.1, 40))
                await agree(store, database_itself, own[:1], since, until)
                await agree(store, database_itself, own[1:], since, until)
    whole = await agree(store, database_itself, [as_agent(home, EVERY_AGENT) for home in homes])
    assert min(whole.total, whole.searches, whole.never_found, whole.hit_rate) > 0
    assert len(whole.counts) > 5


async def test_a_range_is_cut_to_the_microsecond(store: PostgresStore, scope: Scope) -> None:
    at = datetime(2026, 3, 1, 10, 30, tzinfo=UTC)
    tick = timedelta(microseconds=1)
    moments = [at - timedelta(hours=3), at - tick, at, at + tick, at + timedelta(hours=3)]
    await store.log_searches(
        [Searched(scope.tenant_id, "ann", new_id(), (scope.namespace_id,), (), 4.0, moment) for moment in moments]
    )
    for first in range(5):
        for last in range(first, 5):
            stats = await figures(store, [scope], moments[first], moments[last])
            assert stats.searches == last - first
            assert (await figures(store, [scope], moments[first], moments[last] + tick)).searches == last - first + 1


async def test_counters_of_a_time_that_has_passed_are_swept(
    store: PostgresStore, scope: Scope, database_itself: asyncpg.Connection
) -> None:
    past = utc_now() - timedelta(minutes=1)
    await write(store, scope, *(draft(scope, f"过期 over {n}", expire_time=past) for n in range(3)))
    assert await database_itself.fetchval("SELECT sum(n) FROM expiring") == 3
    assert (await agree(store, database_itself, [scope])).total == 0
    assert await store.maintenance().sweep_expired() == 3
    assert await database_itself.fetchval("SELECT count(*) FROM expiring") == 0
    assert (await agree(store, database_itself, [scope])).total == 0


QUEUE = "SELECT amount FROM operator_figures() WHERE queue = 'index' AND figure = $1"
READ = "SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_xact_all_tables WHERE relname LIKE 'memories%'"


async def test_an_operator_is_told_of_all_that_waits_without_a_look_at_each(
    store: PostgresStore, database_itself: asyncpg.Connection
) -> None:
    scopes = [await make_scope(store, "space"), await make_scope(store, "空间", tenant="beta")]
    for scope in scopes:
        waiting = [draft(scope, f"等待 {number}", index_state=IndexState.PENDING) for number in range(200)]
        stored = await write(store, scope, *waiting, draft(scope, "indexed 已索引"))
        async with store.unit(scope) as unit:
            await unit.set_index(scope, stored[7].memory_id, vector=None, text_vector=None, error="too long")
    async with database_itself.transaction():
        depth, failed, age = [await database_itself.fetchval(QUEUE, each) for each in ("depth", "failed", "age")]
        read = await database_itself.fetchval(READ)
        oldest = await database_itself.fetchval("SELECT min(create_time) FROM memories WHERE index_state = 1")
        now = await database_itself.fetchval("SELECT now()")
    assert (depth, failed) == (398, 2)
    assert age == pytest.approx((now - oldest).total_seconds(), abs=1)
    assert read < 20
