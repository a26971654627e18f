"""The order in which texts are encoded, and how they fail. The encoder here is held back by the test."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest

from recalld_server.models.base import Vector
from recalld_server.models.workers import BlankText, Workers


class Held:
    """Encodes a word at a time, and the first not before the test lets it."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.entered = threading.Event()
        self.released = threading.Event()

    def windows(self, text: str, prefix: str) -> list[list[int]]:
        return [[ord(character) for character in word] for word in text.split()]

    def encode(self, window: list[int]) -> Vector:
        word = "".join(map(chr, window))
        self.entered.set()
        assert self.released.wait(30)
        self.seen.append(word)
        if word == "bad":
            raise RuntimeError("no such luck")
        return np.array([len(word), 1], np.float32)

    def finish(self, text: str, mean: Vector) -> Vector:
        return mean


@pytest.fixture
def held() -> Held:
    return Held()


@pytest.fixture
def workers(held: Held) -> Iterator[Workers]:
    workers = Workers(lambda: held, threads=1)
    workers.ready.result(30)
    yield workers
    held.released.set()
    workers.close()


def test_queries_overtake_passages_and_windows(held: Held, workers: Workers) -> None:
    futures = [workers.submit("long one two", "", query=False), workers.submit("next", "", query=False)]
    assert held.entered.wait(30)
    futures.append(workers.submit("query", "", query=True))
    held.released.set()
    for future in futures:
        future.result(30)
    assert held.seen == ["long", "query", "one", "two", "next"]


def test_a_cancelled_text_is_passed_over(held: Held, workers: Workers) -> None:
    first, second, third = (workers.submit(text, "", query=False) for text in ("one", "two", "three"))
    assert held.entered.wait(30)
    second.cancel()
    held.released.set()
    first.result(30), third.result(30)
    assert held.seen == ["one", "three"]


def test_a_failure_is_of_one_text(held: Held, workers: Workers) -> None:
    held.released.set()
    bad, blank, good = (workers.submit(text, "", query=False) for text in ("so bad indeed", " ", "好"))
    with pytest.raises(RuntimeError):
        bad.result(30)
    with pytest.raises(BlankText):
        blank.result(30)
    assert good.result(30).shape == (2,)


def test_windows_are_averaged_to_norm_one(held: Held, workers: Workers) -> None:
    held.released.set()
    found = workers.submit("a abc", "", query=False).result(30)
    expected = np.array([1 + 3, 2]) / np.linalg.norm([4, 2])
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_closed_workers_take_no_text(held: Held, workers: Workers) -> None:
    held.released.set()
    workers.close()
    assert workers.submit("late", "", query=True).cancelled()
    assert not workers.usable()


def test_an_encoder_that_cannot_be_loaded_is_told_to_who_waits() -> None:
    def fail() -> Held:
        raise OSError("no weights")

    workers = Workers(fail, threads=3)
    with pytest.raises(OSError, match="no weights"):
        workers.ready.result(30)
    assert not workers.usable()
    workers.close()
