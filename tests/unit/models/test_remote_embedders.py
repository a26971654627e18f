"""Embedders behind HTTP, against a real server that misbehaves as the test wants."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld_server.breaker import FAILURES
from recalld_server.errors import ModelUnavailable
from recalld_server.models.base import ModelSetupError
from recalld_server.models.openai import OpenAIEmbedder
from recalld_server.models.remote_embedder import BATCH_BYTES, BATCH_TEXTS, RemoteEmbedder, batches, split
from recalld_server.models.tei import TEIEmbedder

from .conftest import Answer, Call, Provider

DIMENSIONS = 4
SECRET = "sk-do-not-tell"


def numbers(text: str) -> list[float]:
    """What the good provider gives for a text."""
    return [1.0 + byte for byte in hashlib.sha256(text.encode()).digest()[:DIMENSIONS]]


def inputs(call: Call) -> list[str]:
    found: list[str] = call.body["input" if call.path.endswith("/embeddings") else "inputs"]
    return found


def good(call: Call) -> Answer:
    return answer(call, [numbers(text) for text in inputs(call)])


def answer(call: Call, vectors: list[Any]) -> Answer:
    if call.path == "/embed":
        return Answer(vectors)
    assert call.path == "/v1/embeddings"
    return Answer({"data": [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]})


@pytest.fixture(params=["openai", "tei"])
async def embedder(request: pytest.FixtureRequest, provider: Provider) -> AsyncIterator[RemoteEmbedder]:
    """Started against the good provider."""
    provider.answer = good
    made: RemoteEmbedder
    if request.param == "openai":
        made = OpenAIEmbedder(model="m", base_url=provider.url + "/v1/", api_key=SECRET, dimensions=DIMENSIONS)
    else:
        made = TEIEmbedder(model="m", base_url=provider.url, api_key=SECRET, dimensions=DIMENSIONS)
    await made.start()
    provider.calls.clear()
    provider.asked.clear()
    yield made
    await made.close()


async def test_vectors_come_in_the_order_of_the_texts(embedder: RemoteEmbedder, provider: Provider) -> None:
    texts = [f"fact {n} 事实" for n in range(BATCH_TEXTS * 2 + 5)]
    batch = await embedder.embed_passages(texts)
    assert batch.errors == (None,) * len(texts)
    for text, vector in zip(texts, batch.vectors, strict=True):
        np.testing.assert_allclose(
            np.asarray(vector), np.array(numbers(text)) / np.linalg.norm(numbers(text)), rtol=1e-6
        )
    assert sorted(len(inputs(call)) for call in provider.calls) == [5, BATCH_TEXTS, BATCH_TEXTS]
    assert all(call.headers["Authorization"] == f"Bearer {SECRET}" for call in provider.calls)


async def test_openai_answers_may_come_in_any_order(provider: Provider) -> None:
    def reversed_answer(call: Call) -> Answer:
        reply = good(call)
        reply.payload["data"].reverse()
        return reply

    provider.answer = reversed_answer
    embedder = OpenAIEmbedder(model="m", base_url=provider.url + "/v1")
    batch = await embedder.embed_queries(["one", "二", "three"])
    await embedder.close()
    assert embedder.dimensions == DIMENSIONS
    assert provider.calls[-1].body["encoding_format"] == "float"
    for text, vector in zip(["one", "二", "three"], batch.vectors, strict=True):
        assert np.asarray(vector) @ np.array(numbers(text)) == pytest.approx(np.linalg.norm(numbers(text)))


@pytest.mark.parametrize(
    "broken",
    [[1.0] * (DIMENSIONS - 1), [0.0] * DIMENSIONS, [1.0, math.nan, 1.0, 1.0], [1e400] * DIMENSIONS, "x", None, []],
)
async def test_a_bad_vector_is_the_error_of_its_text(
    embedder: RemoteEmbedder, provider: Provider, broken: object
) -> None:
    provider.answer = lambda call: answer(call, [broken if "坏" in text else numbers(text) for text in inputs(call)])
    batch = await embedder.embed_passages(["good", "坏 text", "好"])
    assert [vector is not None for vector in batch.vectors] == [True, False, True]
    assert batch.errors[1] is not None
    assert "坏" not in batch.errors[1]


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_refused_text_fails_alone(embedder: RemoteEmbedder, provider: Provider, status: int) -> None:
    def picky(call: Call) -> Answer:
        return Answer({"error": "too rude"}, status) if any("rude" in text for text in inputs(call)) else good(call)

    provider.answer = picky
    texts = [f"fact {n}" for n in range(20)]
    texts[13] = "rude 粗鲁"
    batch = await embedder.embed_passages(texts)
    assert [at for at, error in enumerate(batch.errors) if error] == [13]
    assert len(provider.calls) <= 11  # one, then two for each halving


@pytest.mark.parametrize(
    ("payload", "status", "headers", "retry_after"),
    [
        ({"error": "slow down"}, 429, {"Retry-After": "7"}, 7),
        ({"error": "slow down"}, 429, {}, 1),
        ({"error": "slow down"}, 429, {"Retry-After": "nan"}, 1),
        ({"error": "slow down"}, 429, {"Retry-After": "soon"}, 1),
        ({"error": "slow down"}, 503, {"Retry-After": "99999"}, 300),
        ({"error": "past"}, 503, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"error": "broken"}, 500, {}, 1),
        ({"error": f"bad key {SECRET}"}, 401, {}, 60),
        ({"error": "no such model"}, 404, {}, 1),
        ("<html>proxy</html>", 200, {}, 1),
        ({"data": []}, 200, {}, 1),
        ([], 200, {}, 1),
        (None, 200, {}, 1),
        ({"data": [{"index": 0, "embedding": [1.0] * 4}, {"index": 0, "embedding": [1.0] * 4}]}, 200, {}, 1),
        ({"data": [{"index": 0, "embedding": [1.0] * 4}] * 3}, 200, {}, 1),
        ([[1.0] * 4] * 3, 200, {}, 1),
    ],
)
async def test_a_failing_provider_is_unavailable(
    embedder: RemoteEmbedder,
    provider: Provider,
    payload: object,
    status: int,
    headers: dict[str, str],
    retry_after: float,
) -> None:
    provider.answer = lambda call: Answer(payload, status, headers)
    with pytest.raises(ModelUnavailable) as failure:
        await embedder.embed_passages(["the user's secret", "用户的秘密"])
    assert failure.value.retry_after == pytest.approx(retry_after, abs=0.01)
    assert not any(word in str(failure.value) for word in ("secret", "秘密", SECRET))


async def test_a_slow_provider_is_unavailable_in_time(embedder: RemoteEmbedder, provider: Provider) -> None:
    def slow(call: Call) -> Answer:
        provider.released.wait(60)
        return good(call)

    provider.answer = slow
    for _ in range(FAILURES + 1):
        with pytest.raises(ModelUnavailable, match="in time"):
            await embedder.embed_queries(["late"], timeout=0.02)
    provider.released.set()
    provider.answer = good
    assert (await embedder.embed_queries(["again"])).errors == (None,)


async def test_callers_that_wait_for_their_turn_are_bounded_too(embedder: RemoteEmbedder, provider: Provider) -> None:
    def slow(call: Call) -> Answer:
        provider.released.wait(60)
        return good(call)

    provider.answer = slow
    calls = [embedder.embed_queries(["late"], timeout=0.1) for _ in range(12)]
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(outcome, ModelUnavailable) for outcome in outcomes)


async def test_a_provider_that_keeps_failing_is_left_alone(embedder: RemoteEmbedder, provider: Provider) -> None:
    provider.answer = lambda call: Answer({}, 500)
    for _ in range(FAILURES + 3):
        with pytest.raises(ModelUnavailable):
            await embedder.embed_queries(["x"])
    assert len(provider.calls) == FAILURES


async def test_a_cancelled_call_frees_its_place(embedder: RemoteEmbedder, provider: Provider) -> None:
    def slow(call: Call) -> Answer:
        provider.released.wait(60)
        return good(call)

    provider.answer = slow
    task = asyncio.create_task(embedder.embed_passages(["fact"] * BATCH_TEXTS * 20))
    await asyncio.to_thread(provider.asked.wait, 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    provider.answer = good
    provider.released.set()
    assert (await embedder.embed_queries(["next"], timeout=30)).errors == (None,)


async def test_blank_texts_are_not_sent(embedder: RemoteEmbedder, provider: Provider) -> None:
    batch = await embedder.embed_passages(["", "\x00 \ud800", " \n", "fact\x00one"])
    assert [error is None for error in batch.errors] == [False, False, False, True]
    assert [text for call in provider.calls for text in inputs(call)] == ["fact one"]


async def test_long_texts_are_sent_in_windows(embedder: RemoteEmbedder, provider: Provider) -> None:
    text = "钥匙在花盆下面。The key is under the pot. " * 400
    batch = await embedder.embed_passages([text, "short"])
    assert batch.errors == (None, None)
    windows = [window for call in provider.calls for window in inputs(call) if window != "short"]
    assert len(windows) > 2
    mean = np.mean([np.array(numbers(window)) / np.linalg.norm(numbers(window)) for window in windows], axis=0)
    np.testing.assert_allclose(np.asarray(batch.vectors[0]), mean / np.linalg.norm(mean), rtol=1e-5)


async def test_no_server_is_unavailable() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        embedder = OpenAIEmbedder(model="m", base_url=f"http://127.0.0.1:{closed.getsockname()[1]}/v1")
        with pytest.raises(ModelUnavailable, match="reached"):
            await embedder.start()
        await embedder.close()


@pytest.mark.parametrize("make", [OpenAIEmbedder, TEIEmbedder])
async def test_another_length_than_configured_is_refused_at_the_start(
    provider: Provider, make: Callable[..., RemoteEmbedder]
) -> None:
    provider.answer = lambda call: Answer({}, 404) if call.path == "/embed" and make is OpenAIEmbedder else good(call)
    url = provider.url + ("/v1" if make is OpenAIEmbedder else "")
    embedder = make(model="m", base_url=url, dimensions=DIMENSIONS + 1)
    with pytest.raises(ModelSetupError, match=str(DIMENSIONS)):
        await embedder.start()
    await embedder.close()


async def test_shorter_vectors_are_asked_for_where_that_is_needed(provider: Provider) -> None:
    def model(call: Call) -> Answer:
        return answer(call, [numbers(text)[: call.body.get("dimensions", DIMENSIONS)] for text in inputs(call)])

    provider.answer = model
    embedder = OpenAIEmbedder(model="m", base_url=provider.url + "/v1", dimensions=2)
    batch = await embedder.embed_passages(["短"])
    await embedder.close()
    assert np.asarray(batch.vectors[0]).shape == (2,)
    assert embedder.id == "openai:m:2"


async def test_prefixes_are_sent_and_named(provider: Provider) -> None:
    provider.answer = good
    embedder = TEIEmbedder(model="e5", base_url=provider.url, query_prefix="query: ", passage_prefix="passage: ")
    await embedder.embed_queries(["猫"])
    await embedder.embed_passages(["cat"])
    await embedder.close()
    assert [inputs(call) for call in provider.calls[1:]] == [["query: 猫"], ["passage: cat"]]
    assert embedder.id != TEIEmbedder(model="e5", base_url=provider.url).id


@settings(deadline=None)
@given(text=st.text(), size=st.integers(32, 96))
def test_windows_hold_the_whole_text(text: str, size: int) -> None:
    text = text.encode("utf-8", "ignore").decode().strip()
    parts = split(text, size)
    assert all(len(part.encode()) <= size for part in parts)
    assert set("".join(text.split())) <= set("".join(parts))


@settings(deadline=None)
@given(st.lists(st.text(max_size=50).map(lambda text: text * 1_000), max_size=100))
def test_batches_keep_order_and_limits(texts: list[str]) -> None:
    texts = [text.encode("utf-8", "ignore").decode() for text in texts]
    made = batches(texts)
    assert [text for batch in made for text in batch] == texts
    for batch in made:
        assert 1 <= len(batch) <= BATCH_TEXTS
        assert len(batch) == 1 or sum(len(text.encode()) for text in batch) <= BATCH_BYTES


def test_json_carries_nan_to_the_check() -> None:
    assert math.isnan(json.loads(json.dumps(math.nan)))
