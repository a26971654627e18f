"""One question at a time, and no answer that is older than the wish for it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from recalld_server.store.postgres.shared import Shared


class Oracle:
    """Answers how often it was asked, when it is let."""

    def __init__(self) -> None:
        self.asked = self.at_once = self.most = 0
        self.go_on = asyncio.Event()

    async def __call__(self) -> int:
        self.asked += 1
        number = self.asked
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            await self.go_on.wait()
            return number
        finally:
            self.at_once -= 1


async def turns(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_who_comes_while_one_is_under_way_gets_the_next_answer_with_all_others() -> None:
    oracle = Oracle()
    shared = Shared(oracle)
    first = asyncio.ensure_future(shared())
    await turns()
    later = [asyncio.ensure_future(shared()) for _ in range(50)]
    await turns()
    assert oracle.asked == 1
    oracle.go_on.set()
    assert await first == 1
    assert await asyncio.gather(*later) == [2] * 50
    assert oracle.most == 1


async def test_one_that_gives_up_takes_the_answer_from_nobody() -> None:
    oracle = Oracle()
    shared = Shared(oracle)
    impatient, patient = asyncio.ensure_future(shared()), asyncio.ensure_future(shared())
    await turns()
    impatient.cancel()
    with pytest.raises(asyncio.CancelledError):
        await impatient
    oracle.go_on.set()
    assert await patient == 1


async def test_a_question_that_fails_fails_those_who_asked_and_not_the_next() -> None:
    answers: Iterator[int | ValueError] = iter([ValueError("no answer"), 7])

    async def ask() -> int:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    shared = Shared(ask)
    for failed in await asyncio.gather(shared(), shared(), return_exceptions=True):
        assert isinstance(failed, ValueError)
    assert await shared() == 7
