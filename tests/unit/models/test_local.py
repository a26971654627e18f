"""The local model as its callers see it."""

from __future__ import annotations

import asyncio
import multiprocessing
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from recalld_server.errors import ModelUnavailable
from recalld_server.models.base import EmbeddingBatch
from recalld_server.models.local import LocalEmbedder

PARAPHRASES = [
    ("The cat sleeps on the warm roof of the shed.", "On top of the heated shed the cat is taking a nap."),
    ("我们星期五不发布新版本。", "周五禁止上线。"),
    ("She is afraid of flying.", "她害怕坐飞机。"),
    ("服务器每天凌晨备份一次。", "The server is backed up once a day in the early morning."),
]
UNRELATED = [
    "Two spoons of sugar go into the dough.",
    "The bridge was painted red in 1998.",
    "这首歌的歌词很难懂。",
    "公园里的樱花开了。",
]


def vectors(batch: EmbeddingBatch) -> npt.NDArray[np.float32]:
    assert batch.errors == (None,) * len(batch.vectors)
    return np.stack([vector for vector in batch.vectors if vector is not None])


@pytest.mark.parametrize(("text", "same"), PARAPHRASES)
async def test_a_paraphrase_is_nearer_than_anything_unrelated(local: LocalEmbedder, text: str, same: str) -> None:
    (query,) = vectors(await local.embed_queries([text]))
    cosines = vectors(await local.embed_passages([same, *UNRELATED])) @ query
    assert cosines[0] > cosines[1:].max() + 0.1


async def test_the_language_of_a_text_does_not_decide(local: LocalEmbedder) -> None:
    (query,) = vectors(await local.embed_queries(["他养了什么宠物？"]))
    passages = ["I have two parrots and an old dog.", "明天下午三点在二楼开会。"]
    english_answer, chinese_noise = vectors(await local.embed_passages(passages)) @ query
    assert english_answer > chinese_noise


async def test_vectors_have_norm_one_and_the_promised_length(local: LocalEmbedder) -> None:
    found = vectors(await local.embed_passages(["Mira collects stamps.", "米拉收集邮票。", "PAY-1423", "🙂"]))
    assert found.shape == (4, local.dimensions)
    assert found.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)


async def test_queries_and_passages_are_told_apart(local: LocalEmbedder) -> None:
    (query,) = vectors(await local.embed_queries(["where does Mira live"]))
    (passage,) = vectors(await local.embed_passages(["where does Mira live"]))
    assert query @ passage < 0.999


async def test_a_text_has_one_vector_whatever_is_embedded_beside_it(local: LocalEmbedder) -> None:
    texts = ["Mira lives in Lund.", "米拉住在隆德。", "The certificate expired on Sunday. " * 40, "ok"]
    alone = [vectors(await local.embed_passages([text]))[0] for text in texts]
    together = vectors(await local.embed_passages(texts))
    callers = await asyncio.gather(*(local.embed_passages([text]) for text in texts * 5))
    for number, caller in enumerate(callers):
        np.testing.assert_array_equal(vectors(caller)[0], alone[number % len(texts)])
    np.testing.assert_array_equal(together, np.stack(alone))


async def test_a_text_without_content_fails_alone(local: LocalEmbedder) -> None:
    batch = await local.embed_passages(["Mira sings.", "", " \t\n", "\x00", "\ud800", "米拉唱歌。"])
    assert [vector is not None for vector in batch.vectors] == [True, False, False, False, False, True]
    assert [error is None for error in batch.errors] == [True, False, False, False, False, True]


async def test_no_texts_give_no_vectors(local: LocalEmbedder) -> None:
    assert await local.embed_passages([]) == EmbeddingBatch((), ())


async def test_nul_and_lone_surrogates_count_as_spaces(local: LocalEmbedder) -> None:
    dirty, clean = vectors(await local.embed_passages(["Mira\x00sings\udc80 米拉", "Mira sings 米拉"]))
    np.testing.assert_array_equal(dirty, clean)


@pytest.mark.parametrize(
    ("filler", "needle", "question"),
    [
        ("The weather was mild and the market was full of people. ", "Ovid hid the spare key under the blue pot. ",
         "Where is the spare key?"),
        ("天气很好，市场上人来人往。", "备用钥匙藏在蓝色花盆下面。", "备用钥匙在哪里？"),
    ],
)  # fmt: skip
async def test_the_end_of_a_long_text_counts(local: LocalEmbedder, filler: str, needle: str, question: str) -> None:
    (query,) = vectors(await local.embed_queries([question]))
    without, with_needle = vectors(await local.embed_passages([filler * 60, filler * 45 + needle * 15])) @ query
    assert with_needle > without + 0.05


async def test_a_text_of_the_largest_size_is_embedded(local: LocalEmbedder) -> None:
    (found,) = vectors(await local.embed_passages(["隆德的冬天很冷。" * 1_400]))
    assert np.isfinite(found).all()


async def test_out_of_time_is_said_and_leaves_the_model_usable(local: LocalEmbedder) -> None:
    await local.start()
    with pytest.raises(ModelUnavailable):
        await local.embed_passages(["The harbour is closed in winter. " * 100] * 50, timeout=0.01)
    assert vectors(await local.embed_queries(["米拉"])).shape == (1, 384)


async def test_a_cancelled_call_leaves_the_queue(local: LocalEmbedder) -> None:
    call = asyncio.create_task(local.embed_passages(["The harbour is closed in winter. " * 100] * 500))
    await local.embed_queries(["is the model at work?"])
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    # The rest of the 500 would take minutes.
    vectors(await local.embed_passages(["港口冬天关闭。"], timeout=30))


async def test_closing_ends_waiting_calls_and_starting_again_works(cache_dir: Path) -> None:
    embedder = LocalEmbedder(cache_dir, threads=1)
    await embedder.start()
    call = asyncio.create_task(embedder.embed_passages(["Mira sails. " * 200] * 50))
    await embedder.embed_queries(["is the model at work?"])
    await embedder.close()
    with pytest.raises(ModelUnavailable):
        await call
    assert vectors(await embedder.embed_passages(["米拉航海。"])).shape == (1, 384)
    await embedder.close()


def _embed_in_child(embedder: LocalEmbedder, results: multiprocessing.SimpleQueue[list[float]]) -> None:
    (vector,) = vectors(asyncio.run(embedder.embed_passages(["Mira sails."])))
    results.put(vector.tolist())


# The child of a process with threads is what is tested here: Python warns of it in general.
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
async def test_a_forked_process_embeds_too(local: LocalEmbedder) -> None:
    (expected,) = vectors(await local.embed_passages(["Mira sails."]))
    fork = multiprocessing.get_context("fork")
    results: multiprocessing.SimpleQueue[list[float]] = fork.SimpleQueue()
    child = fork.Process(target=_embed_in_child, args=(local, results))
    child.start()
    try:
        found = await asyncio.wait_for(asyncio.to_thread(results.get), 60)
    finally:
        child.kill()
        child.join()
    np.testing.assert_array_equal(np.array(found, np.float32), expected)


def test_the_id_names_the_model_and_what_is_done_to_its_vectors(tmp_path: Path) -> None:
    kind, model, version = LocalEmbedder(tmp_path).id.split(":")
    assert (kind, model) == ("local", "multilingual-e5-small-int8")
    assert version == "c1-35121139", "vectors of another id cannot be compared: was this meant?"
