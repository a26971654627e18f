"""Indexing what was accepted: by the rules of a write, once, whatever happens to the worker or to the memory meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.faults.model_server import Answer, ModelServer, vectors
from tests.store.things import make_scope

from recalld_server.core.drafts import prepare
from recalld_server.core.indexer import Indexer, IndexerOptions
from recalld_server.core.indexing import indexed
from recalld_server.core.resolve import Lines, RulesResolver
from recalld_server.model import Draft, IndexState, Memory, Scope, State, Stats, Visibility, utc_now
from recalld_server.models.openai import OpenAIEmbedder
from recalld_server.store.base import NewMemory
from recalld_server.store.postgres import PoolOptions, PostgresStore

LINES = Lines(0.9, 0.3)
FAST = IndexerOptions(attempts=2, first_pause=0.0, outage_pause=0.0)
BAD = "坏"


@dataclass(frozen=True)
class World:
    """A store, a model and a namespace."""

    store: PostgresStore
    model: ModelServer
    embedder: OpenAIEmbedder
    scope: Scope

    def indexer(self, options: IndexerOptions = FAST) -> Indexer:
        """A worker, as each server has one."""
        store = self.store
        return Indexer(store, store, store.index_jobs(), self.embedder, RulesResolver(), LINES, options)

    async def put(self, *texts: str, now: bool = False, visibility: Visibility = Visibility.SHARED) -> list[UUID]:
        """Stores memories; with `now` they are indexed at once, else they wait."""
        news = []
        for text in texts:
            prepared = prepare(Draft(text), self.scope, default_visibility=visibility, limit=10_000, now=utc_now())
            vector = (await self.embedder.embed_passages([text])).vectors[0] if now else None
            memory = prepared.memory if now else replace(prepared.memory, index_state=IndexState.PENDING)
            news.append(indexed(memory, prepared.content_hash, 20.0, vector, None))
        async with self.store.unit(self.scope) as unit:
            stored = await unit.insert(self.scope, news, actor=self.scope.agent_id)
        return [memory.memory_id for memory in stored]

    async def get(self, memory_id: UUID) -> Memory:
        async with self.store.view([self.scope]) as view:
            return (await view.get(self.scope, [memory_id]))[memory_id]

    async def stats(self) -> Stats:
        async with self.store.view([self.scope]) as view:
            return await view.stats([self.scope], since=utc_now() - timedelta(days=1), until=utc_now())


@pytest.fixture
def model() -> Iterator[ModelServer]:
    server = ModelServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def world(database: str, model: ModelServer) -> AsyncIterator[World]:
    embedder = OpenAIEmbedder(model="words", base_url=model.url)
    await embedder.start()
    store = PostgresStore(database, PoolOptions(size=6))
    await store.start()
    await store.embedding_model(embedder.id, embedder.dimensions)
    yield World(store, model, embedder, await make_scope(store))
    await store.close()
    await embedder.close()


@pytest.mark.parametrize(
    ("old", "new"),
    [("Alice lives in Paris.", "Alice lives in Rome."), ("林乔住在北京。", "林乔住在上海。")],
)
async def test_a_new_value_ends_the_old_one(world: World, old: str, new: str) -> None:
    (before,) = await world.put(old, now=True)
    (after,) = await world.put(new)
    assert await world.indexer().run() == 1
    ended, live = await world.get(before), await world.get(after)
    assert (ended.state, ended.superseded_by) == (State.SUPERSEDED, after)
    assert (live.state, live.index_state, live.supersedes) == (State.ACTIVE, IndexState.INDEXED, (before,))


@pytest.mark.parametrize(
    ("late", "younger"),
    [("Alice lives in Paris.", "Alice lives in Rome."), ("林乔住在北京。", "林乔住在上海。")],
)
async def test_what_waited_gives_way_to_what_was_said_after_it(world: World, late: str, younger: str) -> None:
    (first,) = await world.put(late)
    (second,) = await world.put(younger, now=True)
    await world.indexer().run()
    ended, live = await world.get(first), await world.get(second)
    assert (ended.state, ended.superseded_by) == (State.SUPERSEDED, second)
    assert live.state is State.ACTIVE


@pytest.mark.parametrize(
    ("known", "again"),
    [("Omar's phone is 5512.", "Omar's phone: 5512!"), ("王师傅的手机尾号是7716。", "王师傅手机尾号是7716")],
)
async def test_what_is_known_is_folded_into_it(world: World, known: str, again: str) -> None:
    (first,) = await world.put(known, now=True)
    (second,) = await world.put(again)
    await world.indexer().run()
    folded, held = await world.get(second), await world.get(first)
    assert (folded.state, folded.superseded_by) == (State.SUPERSEDED, first)
    assert (held.state, held.use_count) == (State.ACTIVE, 1)
    assert (await world.stats()).duplicates_skipped == 1


async def test_memories_that_wait_together_are_compared_with_each_other(world: World) -> None:
    ids = await world.put("Alice lives in Paris.", "Bob likes tea", "Alice lives in Rome.", "会议在周五")
    assert await world.indexer().run() == 4
    states = [(await world.get(memory_id)).state for memory_id in ids]
    assert states == [State.SUPERSEDED, State.ACTIVE, State.ACTIVE, State.ACTIVE]
    assert (await world.stats()).queue_depth == 0


async def test_a_doubtful_one_is_linked_and_reviewed(world: World) -> None:
    (known,) = await world.put("Alice lives in Paris.", now=True)
    (late,) = await world.put("Maybe Alice lives in Rome.")
    await world.indexer().run()
    assert (await world.get(late)).conflicts_with == (known,)
    assert (await world.get(known)).conflicts_with == (late,)
    assert (await world.stats()).conflicts_open == 1


async def test_a_private_memory_meets_its_own_agent_only(world: World) -> None:
    (shared,) = await world.put("Alice lives in Paris.", now=True)
    (private,) = await world.put("Alice lives in Rome.", visibility=Visibility.PRIVATE)
    await world.indexer().run()
    assert (await world.get(shared)).state is State.ACTIVE
    assert (await world.get(private)).index_state is IndexState.INDEXED


def refusing(texts: Sequence[str]) -> Answer:
    return (400, {}) if any(BAD in text for text in texts) else vectors(texts)


async def test_a_text_that_is_always_refused_is_dead_after_its_attempts(world: World) -> None:
    world.model.answer = refusing
    bad, good = await world.put(f"这是{BAD}的", "the good one")
    indexer = world.indexer()
    await indexer.run()
    assert (await world.get(good)).index_state is IndexState.INDEXED
    assert (await world.get(bad)).index_state is IndexState.PENDING
    await indexer.run()
    dead = await world.get(bad)
    assert dead.index_state is IndexState.FAILED
    assert "HTTP 400" in dead.index_error
    assert BAD not in dead.index_error
    stats = await world.stats()
    assert (stats.dead_jobs, stats.queue_depth) == (1, 0)
    assert await indexer.run() == 0
    world.model.answer = vectors
    assert await world.store.index_jobs().retry_failed() == 1
    assert await indexer.run() == 1
    assert (await world.get(bad)).index_state is IndexState.INDEXED


async def test_an_outage_is_no_attempt(world: World) -> None:
    (memory_id,) = await world.put("等待 waiting")
    indexer = world.indexer()
    world.model.answer = lambda texts: (500, {})
    for _ in range(FAST.attempts + 2):
        assert await indexer.run() == 0
    assert (await world.get(memory_id)).index_state is IndexState.PENDING
    world.model.answer = vectors
    world.embedder._remote._breaker._open_until = 0.0
    assert await indexer.run() == 1
    assert (await world.get(memory_id)).index_state is IndexState.INDEXED


async def test_what_a_dead_worker_held_is_free_when_its_lease_has_passed(world: World) -> None:
    (memory_id,) = await world.put("记得 remember")
    assert len(await world.store.index_jobs().claim(10, timedelta(milliseconds=50))) == 1
    indexer = world.indexer()
    async with asyncio.timeout(20):
        while await indexer.run() == 0:
            pass
    assert (await world.get(memory_id)).index_state is IndexState.INDEXED


async def test_a_memory_at_which_the_server_dies_each_time_is_given_up(world: World) -> None:
    (memory_id,) = await world.put("毒 poison")
    for _ in range(FAST.attempts):
        assert len(await world.store.index_jobs().claim(10, timedelta(0))) == 1
    await world.indexer().run()
    dead = await world.get(memory_id)
    assert (dead.index_state, dead.index_error) == (IndexState.FAILED, "the server ended during each attempt")


async def test_two_workers_index_each_memory_once(world: World) -> None:
    ids = await world.put(*(f"第 {n} 件事 thing {n * 7919}" for n in range(24)))
    options = replace(FAST, batch=3)

    async def work() -> int:
        indexer, done = world.indexer(options), 0
        while count := await indexer.run():
            done += count
        return done

    assert sum(await asyncio.gather(work(), work())) == 24
    assert {(await world.get(memory_id)).index_state for memory_id in ids} == {IndexState.INDEXED}


Deed = Callable[[World, UUID], Coroutine[Any, Any, None]]


async def forget(world: World, memory_id: UUID) -> None:
    async with world.store.unit(world.scope) as unit:
        await unit.set_state(world.scope, [memory_id], State.FORGOTTEN, actor="ann", action="forget", reason="")


async def erase(world: World, memory_id: UUID) -> None:
    async with world.store.unit(world.scope) as unit:
        await unit.erase(world.scope, [memory_id], actor="ann")


async def update(world: World, memory_id: UUID) -> None:
    memory = replace(await world.get(memory_id), content="改过了 changed", revision=2)
    async with world.store.unit(world.scope) as unit:
        await unit.replace(
            world.scope,
            NewMemory(memory, b"changed", indexed(memory, b"", 20.0, None, None).lexical, None),
            expected_revision=1,
            action="update",
            actor="ann",
            reason="",
        )


@pytest.mark.parametrize("deed", [forget, erase, update], ids=lambda deed: deed.__name__)
async def test_what_changes_while_it_is_embedded_is_not_brought_back(world: World, deed: Deed) -> None:
    (memory_id,) = await world.put("原来 before")
    loop, texts = asyncio.get_running_loop(), list[str]()

    def meanwhile(asked: Sequence[str]) -> Answer:
        if not texts:
            asyncio.run_coroutine_threadsafe(deed(world, memory_id), loop).result(20)
        texts.extend(asked)
        return vectors(asked)

    world.model.answer = meanwhile
    indexer = world.indexer()
    await indexer.run()
    async with world.store.view([world.scope]) as view:
        held = (await view.get(world.scope, [memory_id])).get(memory_id)
    if deed is update:
        assert held is not None
        assert held.index_state is IndexState.PENDING
        assert await indexer.run() == 1
        assert texts[-1] == "改过了 changed"
        assert (await world.get(memory_id)).index_state is IndexState.INDEXED
        return
    assert held is None or (held.state, held.index_state) == (State.FORGOTTEN, IndexState.PENDING)
    assert (held is None) == (deed is erase)
    assert await indexer.run() == 0


async def test_a_worker_that_is_stopped_leaves_its_memories_to_others_at_once(world: World) -> None:
    (memory_id,) = await world.put("停 stop")
    loop, asked = asyncio.get_running_loop(), asyncio.Event()
    hold = asyncio.Event()

    def slow(texts: Sequence[str]) -> Answer:
        loop.call_soon_threadsafe(asked.set)
        asyncio.run_coroutine_threadsafe(hold.wait(), loop).result(20)
        return vectors(texts)

    world.model.answer = slow
    running = asyncio.create_task(world.indexer().run())
    await asked.wait()
    assert await world.indexer().run() == 0
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    hold.set()
    world.model.answer = vectors
    assert await world.indexer().run() == 1
    assert (await world.get(memory_id)).index_state is IndexState.INDEXED
