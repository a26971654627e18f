"""Rerankers, against a real server."""

from __future__ import annotations

from typing import Any

import pytest

from recalld_server.errors import ModelUnavailable
from recalld_server.models.base import ModelSetupError
from recalld_server.models.rerank import HttpReranker, make_reranker

from .conftest import Answer, Call, Provider

TEXTS = ["Mira lives in Lund.", "The tram is late.", "米拉住在隆德。"]


async def test_tei(provider: Provider) -> None:
    provider.answer = lambda call: Answer(
        [{"index": 2, "score": 0.9}, {"index": 0, "score": 0.8}, {"index": 1, "score": 0}]
    )
    reranker = HttpReranker("tei", base_url=provider.url)
    assert await reranker.rerank("米拉住哪儿？", TEXTS, timeout=30) == [0.8, 0.0, 0.9]
    await reranker.close()
    (call,) = provider.calls
    assert (call.path, call.body["query"], call.body["texts"]) == ("/rerank", "米拉住哪儿？", TEXTS)


async def test_cohere_and_vllm(provider: Provider) -> None:
    def answer(call: Call) -> Answer:
        return Answer({"results": [{"index": n, "relevance_score": -n, "document": {}} for n in (1, 0, 2)]})

    provider.answer = answer
    reranker = HttpReranker("cohere", base_url=provider.url + "/v2", model="r", api_key="k")
    assert await reranker.rerank("Where is Mira?", TEXTS, timeout=30) == [0.0, -1.0, -2.0]
    await reranker.close()
    (call,) = provider.calls
    assert (call.path, call.body["model"], call.body["documents"]) == ("/v2/rerank", "r", TEXTS)
    assert call.headers["Authorization"] == "Bearer k"


@pytest.mark.parametrize(
    ("payload", "status"),
    [
        ([{"index": 0, "score": 1}], 200),
        ([{"index": n, "score": "high"} for n in range(3)], 200),
        ([{"index": n, "score": float("nan")} for n in range(3)], 200),
        ([{"index": 0, "score": 1}] * 3, 200),
        ({"results": None}, 200),
        ("null", 200),
        ({"error": "too long"}, 413),
        ({"error": "busy"}, 429),
        ({"error": "broken"}, 500),
    ],
)
async def test_an_answer_that_is_no_ranking_is_unavailable(provider: Provider, payload: Any, status: int) -> None:
    provider.answer = lambda call: Answer(payload, status)
    reranker = HttpReranker("tei", base_url=provider.url)
    with pytest.raises(ModelUnavailable):
        await reranker.rerank("q", TEXTS, timeout=30)
    await reranker.close()


async def test_nothing_to_rank_asks_nobody(provider: Provider) -> None:
    reranker = HttpReranker("tei", base_url=provider.url)
    assert await reranker.rerank("q", [], timeout=1) == []
    assert provider.calls == []


async def test_a_slow_reranker_is_unavailable_in_time(provider: Provider) -> None:
    def slow(call: Call) -> Answer:
        provider.released.wait(60)
        return Answer([])

    provider.answer = slow
    reranker = HttpReranker("tei", base_url=provider.url)
    with pytest.raises(ModelUnavailable, match="in time"):
        await reranker.rerank("q", TEXTS, timeout=0.02)
    await reranker.close()


def test_configuration() -> None:
    assert make_reranker("none") is None
    assert make_reranker("tei", base_url="http://127.0.0.1:1") is not None
    for arguments in ({"kind": "cohere", "base_url": "http://x"}, {"kind": "tei", "base_url": "x"}, {"kind": "magic"}):
        with pytest.raises(ModelSetupError):
            make_reranker(**arguments)  # type: ignore[arg-type]
