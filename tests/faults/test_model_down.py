"""The embedding model is down or answers nonsense: nothing is made up, nothing acknowledged is lost, all is found after."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import grpc
import pytest
from tests.faults.leftovers import Ledger, healed, nothing_left
from tests.faults.model_server import Answer, ModelServer, not_finite, reordered, too_few, too_short, vectors, zeros
from tests.rpc.calling import Failure, call, failure

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb
from recalld.v1 import namespace_service_pb2 as ns
from recalld_server.app import App, Endpoints
from recalld_server.breaker import PAUSE_SECONDS
from recalld_server.settings import read_settings

SECONDS = 60.0
MODEL_SECONDS = 1.0
"""That the server waits for an answer of the model."""
REFUSING, ACCEPTING = "refusing", "accepting"


@dataclass(frozen=True)
class World:
    """A server, its model and its database."""

    model: ModelServer
    channel: grpc.aio.Channel
    key: tuple[tuple[str, str], ...]
    dsn: str

    async def call(self, method: str, request: Any) -> Any:
        # without a deadline, so that the model is waited for as long as the server's own setting says
        return await call(self.channel, method, request, self.key, timeout=None)

    async def write(self, namespace: str, content: str, **options: Any) -> pb.WriteResult:
        answer = await self.call("Write", writing(namespace, content, **options))
        result: pb.WriteResult = answer.result
        return result

    async def states(self, namespace: str) -> dict[str, int]:
        """index_state by content."""
        listed = await self.call("List", pb.ListRequest(namespace=namespace))
        return {memory.content: memory.index_state for memory in listed.memories}


def writing(namespace: str, content: str, **options: Any) -> pb.WriteRequest:
    return pb.WriteRequest(namespace=namespace, memory=memory_pb2.MemoryInput(content=content), **options)


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Waits for a condition. Raises TimeoutError."""
    async with asyncio.timeout(SECONDS):
        while not await condition():  # noqa: ASYNC110 - what is waited for is in another process or thread
            await asyncio.sleep(0.02)


@pytest.fixture
def model() -> Iterator[ModelServer]:
    server = ModelServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def world(database: str, model: ModelServer, tmp_path: Path) -> AsyncIterator[World]:
    options = {"embedder": "openai", "embedding_url": model.url, "embedding_model": "words"}
    settings = read_settings({}, listen="127.0.0.1:0", embedding_timeout_seconds=MODEL_SECONDS, **options)
    app = App(settings, Endpoints(tmp_path, database, database, None))
    try:
        address = await app.start()
        key = (("authorization", f"Bearer {(tmp_path / 'root.key').read_text().strip()}"),)
        async with grpc.aio.insecure_channel(address) as channel:
            world = World(model, channel, key, database)
            accept = ns.Policy(when_model_is_down=ns.MODEL_DOWN_POLICY_ACCEPT)
            await world.call("CreateNamespace", ns.CreateNamespaceRequest(name=REFUSING))
            await world.call("CreateNamespace", ns.CreateNamespaceRequest(name=ACCEPTING, policy=accept))
            yield world
    finally:
        await app.stop()


def answering(answer: Answer) -> Callable[[ModelServer], None]:
    return lambda model: setattr(model, "answer", lambda texts: answer)


TROUBLES: dict[str, Callable[[ModelServer], None]] = {
    "gone": ModelServer.stop,
    "busy": answering((429, {})),
    "broken": answering((500, {})),
    "empty": answering((200, {"data": []})),
    "nonsense": answering((200, ["?"])),
    "zeros": lambda model: setattr(model, "answer", zeros),
    "not finite": lambda model: setattr(model, "answer", not_finite),
    "too short": lambda model: setattr(model, "answer", too_short),
    "too few": lambda model: setattr(model, "answer", too_few),
    "silent": lambda model: setattr(model, "answer", silent),
}


def silent(texts: Sequence[str]) -> Answer:
    time.sleep(8 * MODEL_SECONDS)  # the answer comes when nobody waits for it any more
    return vectors(texts)


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_a_write_is_refused_or_waits_and_is_found_after_recovery(world: World, trouble: str) -> None:
    TROUBLES[trouble](world.model)
    failed = await failure(world.channel, "Write", writing(REFUSING, "Lin likes oolong"), world.key, timeout=None)
    assert (failed.code, failed.reason) == (grpc.StatusCode.UNAVAILABLE, "MODEL_UNAVAILABLE")
    assert failed.retry_after is not None
    assert await world.states(REFUSING) == {}

    texts = ["林乔喝乌龙茶", "Omar plays the violin"]
    written = [await world.write(ACCEPTING, text) for text in texts]
    assert [each.outcome for each in written] == [pb.WRITE_OUTCOME_ACCEPTED] * 2
    assert [each.index_state for each in written] == [memory_pb2.INDEX_STATE_PENDING] * 2
    pending = memory_pb2.Filter(index_states=[memory_pb2.INDEX_STATE_PENDING])
    waiting = await world.call("List", pb.ListRequest(namespace=ACCEPTING, filter=pending))
    assert {memory.content for memory in waiting.memories} == set(texts)
    by_words = await world.call("Search", pb.SearchRequest(namespaces=[ACCEPTING], query="乌龙茶"))
    assert by_words.hits[0].memory.content == texts[0]
    assert list(by_words.degraded_stages) == ["vector"]
    assert (await world.call("Stats", pb.StatsRequest(namespace=ACCEPTING))).queue_depth == 2

    world.model.answer = vectors
    if trouble == "gone":
        world.model.start()

    async def all_indexed() -> bool:
        return set((await world.states(ACCEPTING)).values()) == {memory_pb2.INDEX_STATE_INDEXED}

    await until(all_indexed)
    meaning = pb.RankingOptions(lexical_weight=0.0)

    async def found(text: str) -> bool:
        request = pb.SearchRequest(namespaces=[ACCEPTING], query=text, ranking=meaning)
        answer = await world.call("Search", request)
        return not answer.degraded_stages and answer.hits[0].memory.content == text

    for text in texts:
        await until(lambda text=text: found(text))  # type: ignore[misc]
    stats = await world.call("Stats", pb.StatsRequest(namespace=ACCEPTING))
    assert (stats.queue_depth, stats.queue_age_seconds, stats.dead_jobs) == (0, 0, 0)
    connection = await asyncpg.connect(world.dsn)
    try:
        row = await connection.fetchrow("SELECT count(*), min(recalld.l2_norm(embedding)) FROM recalld.embeddings")
        assert row is not None
        assert tuple(row) == (2, pytest.approx(1.0, abs=0.01))
        assert await connection.fetchval("SELECT count(*) FROM recalld.index_jobs") == 0
    finally:
        await connection.close()


def refusing_one(texts: Sequence[str]) -> Answer:
    return (400, {}) if any("坏" in text for text in texts) else vectors(texts)


@pytest.mark.parametrize("namespace", [REFUSING, ACCEPTING])
async def test_a_text_that_the_model_refuses_fails_alone(world: World, namespace: str) -> None:
    world.model.answer = refusing_one
    texts = ["Lin has a cat", "周五不开会", "这一条是坏的", "Omar plays chess", "门禁密码在抽屉里"]
    memories = [memory_pb2.MemoryInput(content=text) for text in texts]
    batch = await world.call("BatchWrite", pb.BatchWriteRequest(namespace=namespace, memories=memories))
    errors = [Failure.of(item.error).reason if item.HasField("error") else "" for item in batch.items]
    states = await world.states(namespace)
    if namespace == REFUSING:
        assert errors == ["", "", "MODEL_UNAVAILABLE", "", ""]
        assert states.keys() == set(texts) - {texts[2]}
        return
    assert errors == [""] * 5
    assert states.keys() == set(texts)
    assert [text for text, state in states.items() if state != memory_pb2.INDEX_STATE_INDEXED] == [texts[2]]
    world.model.answer = vectors

    async def indexed() -> bool:
        return (await world.states(namespace))[texts[2]] == memory_pb2.INDEX_STATE_INDEXED

    await until(indexed)


async def test_an_accepted_write_is_indexed_at_once_when_the_model_is_there(world: World) -> None:
    first = await world.write(REFUSING, "The office is on the 4th floor")
    accepted = await world.write(REFUSING, "会议室在三楼", durability=pb.DURABILITY_ACCEPTED)
    assert accepted.outcome == pb.WRITE_OUTCOME_ACCEPTED
    again = await world.write(REFUSING, "会议室在三楼", durability=pb.DURABILITY_ACCEPTED)
    assert (again.outcome, again.memory_id) == (pb.WRITE_OUTCOME_DUPLICATE, accepted.memory_id)

    async def indexed() -> bool:
        return set((await world.states(REFUSING)).values()) == {memory_pb2.INDEX_STATE_INDEXED}

    await until(indexed)
    assert first.memory_id != accepted.memory_id
    stats = await world.call("Stats", pb.StatsRequest(namespace=REFUSING))
    assert (stats.total, stats.duplicates_skipped) == (2, 1)


async def test_answers_in_another_order_are_put_in_order(world: World) -> None:
    world.model.answer = reordered
    texts = ["Lin has a cat", "周五不开会", "Omar plays chess", "门禁密码在抽屉里"]
    memories = [memory_pb2.MemoryInput(content=text) for text in texts]
    await world.call("BatchWrite", pb.BatchWriteRequest(namespace=REFUSING, memories=memories))
    meaning = pb.RankingOptions(lexical_weight=0.0)
    for text in texts:
        found = await world.call("Search", pb.SearchRequest(namespaces=[REFUSING], query=text, ranking=meaning))
        assert found.hits[0].memory.content == text


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_under_load_nothing_is_lost_or_left_and_it_goes_on_when_the_model_is_back(
    world: World, trouble: str
) -> None:
    ledger, codes = Ledger(), set[grpc.StatusCode]()
    stopping = asyncio.Event()

    async def writer(number: int) -> None:
        step = 0
        while not stopping.is_set():
            text = f"fact {number}-{step} 事实 {number * 7919 + step * 104729}"
            try:
                await ledger.keep(text, world.write(REFUSING, text))
            except grpc.aio.AioRpcError as error:
                codes.add(error.code())
                await asyncio.sleep(0.02)
            step += 1

    async def more_than(count: int) -> None:
        async def there() -> bool:
            return len(ledger.acknowledged) > count

        await until(there)

    await asyncio.gather(*(world.write(REFUSING, f"before {number} 之前 {number * 7919}") for number in range(8)))
    async with nothing_left(world.dsn):
        writers = [asyncio.create_task(writer(number)) for number in range(4)]
        try:
            await more_than(8)
            TROUBLES[trouble](world.model)
            refused = await failure(
                world.channel, "Write", writing(REFUSING, "meanwhile 与此同时"), world.key, timeout=None
            )
            assert refused.reason == "MODEL_UNAVAILABLE"
            world.model.answer = vectors
            if trouble == "gone":
                world.model.start()
            # left alone for a while after it failed again and again, then tried
            async with asyncio.timeout(healed() + PAUSE_SECONDS):
                await more_than(len(ledger.acknowledged) + 8)
        finally:
            stopping.set()
            await asyncio.gather(*writers)
    assert codes <= {grpc.StatusCode.UNAVAILABLE}
    await ledger.holds(world.dsn, among="fact %")
