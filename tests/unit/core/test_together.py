"""Callers that are served together: in order, each with an answer of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from recalld_server.core.together import Together


class Desk:
    """Serves when told to; remembers who was served with whom."""

    def __init__(self, *, places: int = 1, most: int = 3, enough: int = 1) -> None:
        self.served: list[tuple[str, list[int]]] = []
        self.open = asyncio.Event()
        self.running = self.busiest = 0
        self.together: Together[str, int, int] = Together(
            self.serve, places=places, most=most, enough=enough, weight=abs
        )

    async def serve(self, key: str, asked: Sequence[int]) -> Sequence[int | Exception]:
        self.served.append((key, list(asked)))
        self.running += 1
        self.busiest = max(self.busiest, self.running)
        await self.open.wait()
        self.running -= 1
        if 13 in asked:
            raise LookupError("all of them")
        return [ValueError(str(one)) if one < 0 else one * 2 for one in asked]


async def _asked(desk: Desk, *ones: int, key: str = "k") -> list[asyncio.Task[int]]:
    tasks = [asyncio.create_task(desk.together.ask(key, one)) for one in ones]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return tasks


async def test_those_who_come_meanwhile_are_served_together_in_order() -> None:
    desk = Desk()
    tasks = await _asked(desk, 1)
    tasks += await _asked(desk, 1, 2, 1)
    desk.open.set()
    assert await asyncio.gather(*tasks) == [2, 2, 4, 2]
    assert desk.served == [("k", [1]), ("k", [1, 2]), ("k", [1])]


async def test_one_that_weighs_more_than_the_most_goes_alone() -> None:
    desk = Desk()
    tasks = await _asked(desk, 1, 9, 1)
    desk.open.set()
    assert await asyncio.gather(*tasks) == [2, 18, 2]
    assert [asked for _, asked in desk.served] == [[1], [9], [1]]


async def test_a_second_place_opens_when_enough_wait_for_the_first() -> None:
    desk = Desk(places=2, enough=3)
    tasks = [*await _asked(desk, 1), *await _asked(desk, 1, 1)]
    assert desk.served == [("k", [1])]
    tasks += await _asked(desk, 1)
    assert desk.served == [("k", [1]), ("k", [1, 1, 1])]
    tasks += await _asked(desk, 1)
    desk.open.set()
    assert await asyncio.gather(*tasks) == [2] * 5
    assert desk.served[2:] == [("k", [1])]


async def test_keys_do_not_wait_for_each_other_and_places_are_kept() -> None:
    desk = Desk(places=2)
    tasks = [*await _asked(desk, 1), *await _asked(desk, 1), *await _asked(desk, 1, 1), *await _asked(desk, 2, key="x")]
    assert desk.running == 3
    desk.open.set()
    await asyncio.gather(*tasks)
    assert desk.busiest == 3


async def test_an_error_is_of_its_caller_and_what_is_raised_of_all() -> None:
    desk = Desk()
    tasks = await _asked(desk, 1, 1, -1)
    desk.open.set()
    good, also_good, bad = await asyncio.gather(*tasks, return_exceptions=True)
    assert (good, also_good, type(bad)) == (2, 2, ValueError)
    failed = await asyncio.gather(*await _asked(desk, 13), return_exceptions=True)
    assert [type(each) for each in failed] == [LookupError]
    assert await desk.together.ask("k", 2) == 4  # and the next one is served


async def test_who_gives_up_is_left_out_and_holds_up_nobody() -> None:
    desk = Desk()
    first, gone, last = [(await _asked(desk, one))[0] for one in (1, 2, 1)]
    first.cancel()
    gone.cancel()
    await asyncio.sleep(0)
    desk.open.set()
    assert await last == 2
    assert desk.served == [("k", [1]), ("k", [1])]
    with pytest.raises(asyncio.CancelledError):
        await gone


async def test_nothing_is_left_when_all_are_served() -> None:
    desk = Desk()
    desk.open.set()
    await asyncio.gather(*(desk.together.ask(f"key {n}", 1) for n in range(20)))
    await asyncio.gather(*desk.together._tasks)
    assert desk.together._lines == {}
