from __future__ import annotations

import asyncio

from recalld_server.upkeep import Chore, Upkeep


async def test_a_chore_goes_on_while_there_is_something_to_do_and_after_a_fault() -> None:
    done, rested = list[int](), asyncio.Event()

    async def work() -> int:
        done.append(len(done))
        if len(done) == 2:
            raise ValueError("a fault 故障")
        if len(done) == 5:
            rested.set()
            return 0
        return 1

    upkeep = Upkeep([Chore("test", work, 0.0)])
    upkeep.start()
    async with asyncio.timeout(20):
        await rested.wait()
    await upkeep.close()
    assert done[:5] == [0, 1, 2, 3, 4]


async def test_a_wake_up_ends_the_pause_and_none_is_missed() -> None:
    wake, ran = asyncio.Event(), asyncio.Queue[int]()
    number = 0

    async def work() -> int:
        nonlocal number
        number += 1
        if number == 1:
            wake.set()  # something is put there while it looks
        ran.put_nowait(number)
        return 0

    upkeep = Upkeep([Chore("test", work, 3600.0, wake)])
    upkeep.start()
    async with asyncio.timeout(20):
        assert [await ran.get(), await ran.get()] == [1, 2]
        wake.set()
        assert await ran.get() == 3
    await upkeep.close()
