"""The embedding model refuses a text, is slow, blocks, or is away: what was acknowledged is there, once, and is found."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import asyncpg
import grpc
import numpy as np
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.e2e.inside import SPACE, TestEmbedder, listening, serving

from recalld import AsyncClient, BatchItem, RankingOptions, WriteResult, errors
from recalld_server.errors import ModelUnavailable
from recalld_server.models.base import EmbeddingBatch, Vector
from recalld_server.models.local import DIMENSIONS, LocalEmbedder
from recalld_server.models.vectors import checked
from recalld_server.models.workers import Workers


class Refusing(TestEmbedder):
    """Fails on texts with one of some words."""

    words: tuple[str, ...] = ("拒绝", "refused")

    async def embed_passages(self, texts: Sequence[str], *, timeout: float | None = None) -> EmbeddingBatch:
        self.asked += texts
        return checked(
            ["no" if any(word in text for word in self.words) else self._vector(text) for text in texts],
            self.dimensions,
        )


async def test_a_text_that_the_model_refuses_fails_alone(database: str) -> None:
    async with serving(database, Refusing()) as client:
        texts = ["Alice likes tea", "周五不开会", "这一条会被拒绝", "Omar has a cat", "门禁密码在抽屉里"]
        batch = await client.write_batch(texts)
        assert [item.error is not None for item in batch] == [False, False, True, False, False]
        assert {memory.content async for memory in client.list()} == {*texts} - {texts[2]}
        for text in set(texts) - {texts[2]}:
            assert (await client.search(text))[0].content == text


BATCHES = [
    ["Alice likes tea", "this one is refused", "Omar has a cat", " "],
    ["小林爱喝茶", "这一条会被拒绝", "阿明养了一只猫", "　"],
]


def answers(items: Sequence[BatchItem]) -> list[tuple[WriteResult | None, str]]:
    """What each was told, to compare."""
    return [(each.result, repr(each.error)) for each in items]


@pytest.mark.parametrize("texts", BATCHES)
async def test_a_named_batch_is_completed_when_it_is_sent_again(database: str, texts: list[str]) -> None:
    """What was stored has its first answer, also after the batch is complete; what failed for good fails for the same reason."""
    embedder = Refusing()
    async with serving(database, embedder) as client:
        first, refused, other, blank = await client.write_batch(texts, request_id="b-1")
        assert isinstance(refused.error, errors.Unavailable)
        assert isinstance(blank.error, errors.InvalidArgument)
        assert answers(await client.write_batch(texts, request_id="b-1")) == answers([first, refused, other, blank])
        embedder.words = ()
        again = await client.write_batch(texts, request_id="b-1")
        assert again[1].unwrap().outcome == "created"
        assert answers(again) == answers([first, again[1], other, blank])
        assert answers(await client.write_batch(texts, request_id="b-1")) == answers(again)
        assert [memory.content async for memory in client.list()] == [texts[1], *texts[2::-2]]
        assert (await client.stats()).duplicates_skipped == 0
        with pytest.raises(errors.FailedPrecondition):
            await client.write_batch(texts[:2], request_id="b-1")


@pytest.mark.parametrize("texts", BATCHES)
async def test_of_many_that_complete_a_named_batch_at_once_one_does(database: str, texts: list[str]) -> None:
    embedder = Refusing()
    async with serving(database, embedder) as client:
        await client.write_batch(texts, request_id="b-1")
        embedder.words = ()
        told = await asyncio.gather(*(client.write_batch(texts, request_id="b-1") for _ in range(8)))
        assert all(answers(each) == answers(told[0]) for each in told)
        assert {memory.content async for memory in client.list()} == set(texts[:3])
        assert (await client.stats()).duplicates_skipped == 0


@pytest.mark.parametrize("texts", BATCHES)
async def test_a_batch_whose_answer_was_erased_meanwhile_is_handled_anew(database: str, texts: list[str]) -> None:
    embedder = Refusing()
    async with serving(database, embedder) as client:
        first, *_ = await client.write_batch(texts, request_id="b-1")
        await client.forget(first.unwrap().memory_id, mode="erase")
        embedder.words = ()
        again = await client.write_batch(texts, request_id="b-1")
        assert [each.result and each.result.outcome for each in again] == ["created", "created", "duplicate", None]


class Held(TestEmbedder):
    """Answers when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = asyncio.Event()

    async def embed_passages(self, texts: Sequence[str], *, timeout: float | None = None) -> EmbeddingBatch:
        await self.go_on.wait()
        return await super().embed_passages(texts, timeout=timeout)


@pytest.mark.parametrize("text", ["I moved to Shanghai", "我搬到上海了"])
async def test_a_write_that_is_repeated_after_its_deadline_is_there_once(database: str, text: str) -> None:
    embedder = Held()
    async with serving(database, embedder) as client:
        with pytest.raises(errors.DeadlineExceeded):
            await client.write(text, request_id="r-1", timeout=0.05)
        embedder.go_on.set()
        first = await client.write(text, request_id="r-1")
        assert await client.write(text, request_id="r-1") == first
        with pytest.raises(errors.FailedPrecondition):
            await client.write("another text 另一段", request_id="r-1")
        assert [memory.memory_id async for memory in client.list()] == [first.memory_id]


class Away(TestEmbedder):
    """Fails as a whole, or gives vectors that are none, until it is well."""

    trouble: Any = None

    async def embed_passages(self, texts: Sequence[str], *, timeout: float | None = None) -> EmbeddingBatch:
        if isinstance(self.trouble, Exception):
            raise self.trouble
        if self.trouble is not None:
            return checked([self.trouble for _ in texts], self.dimensions)
        return await super().embed_passages(texts, timeout=timeout)

    embed_queries = embed_passages


@pytest.mark.parametrize(
    "trouble",
    [
        ModelUnavailable("the provider answered 429", retry_after=3),
        ModelUnavailable("the provider answered 500"),
        [],
        np.zeros(384),
        np.full(384, np.nan),
        np.ones(7),
    ],
    ids=["busy", "broken", "empty", "zeros", "nan", "short"],
)
async def test_while_the_model_is_away_nothing_half_is_stored_and_words_still_find(database: str, trouble: Any) -> None:
    embedder = Away()
    async with serving(database, embedder) as client:
        await client.write("the build PAY-1423 broke 构建失败")
        embedder.trouble = trouble
        with pytest.raises(errors.Unavailable):
            await client.write("林乔喝乌龙茶")
        found = await client.search("构建 PAY-1423")
        assert [hit.content for hit in found] == ["the build PAY-1423 broke 构建失败"]
        assert found.degraded_stages == ("vector",)
        assert (await client.stats()).total == 1
        embedder.trouble = None
        await client.write("林乔喝乌龙茶")
        assert (await client.search("林乔喝什么茶"))[0].content == "林乔喝乌龙茶"
    connection = await asyncpg.connect(database, server_settings={"search_path": "recalld"})
    assert await connection.fetchval("SELECT array_agg(l2_norm(embedding) > 0.9) FROM embeddings") == [True, True]
    await connection.close()


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u3000\u3000", "\u200b"])
async def test_what_is_blank_is_refused_before_the_model_is_asked(database: str, text: str) -> None:
    embedder = TestEmbedder()
    async with serving(database, embedder) as client:
        for call in (client.write, client.search, client.context):
            with pytest.raises(errors.InvalidArgument):
                await call(text)
        assert embedder.asked == []
        assert (await client.stats()).total == 0


class Blocking:
    """An encoder that keeps its thread until it is let go."""

    def __init__(self) -> None:
        self.entered, self.go_on = threading.Event(), threading.Event()

    def windows(self, text: str, prefix: str) -> list[list[int]]:
        return [[len(text)]]

    def encode(self, window: list[int]) -> Vector:
        self.entered.set()
        assert self.go_on.wait(60)
        return np.full(DIMENSIONS, float(window[0]), np.float32)

    def finish(self, text: str, mean: Vector) -> Vector:
        return mean


async def test_a_model_that_is_busy_keeps_no_other_call_waiting(database: str, tmp_path: Path) -> None:
    encoder, embedder = Blocking(), LocalEmbedder(tmp_path, threads=2)
    embedder._workers = Workers(lambda: encoder, 2)
    async with (
        listening(database, embedder) as (address, key),
        AsyncClient(address, key=key, namespace=SPACE) as client,
        grpc.aio.insecure_channel(address) as channel,
    ):
        writes = [asyncio.ensure_future(client.write(f"第 {n} 条 item {n * 7919}")) for n in range(10)]
        try:
            assert await asyncio.to_thread(encoder.entered.wait, 20)
            async with asyncio.timeout(20):
                for _ in range(20):
                    assert (await client.stats()).total == 0
                health: Any = health_pb2_grpc.HealthStub(channel)
                answer = await health.Check(health_pb2.HealthCheckRequest())
                assert answer.status == health_pb2.HealthCheckResponse.SERVING
                assert list(await client.search("item", ranking=RankingOptions(vector_weight=0))) == []
            assert not any(write.done() for write in writes)
        finally:
            encoder.go_on.set()
        results = await asyncio.gather(*writes)
        assert {result.memory_id for result in results} == {memory.memory_id async for memory in client.list()}
    await embedder.close()
