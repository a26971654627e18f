"""Long work leaves the event loop to others in between."""

from __future__ import annotations

import asyncio
import time

from recalld_server.core import turns
from recalld_server.core.turns import in_turns


async def test_others_have_their_turn_while_items_are_worked_on() -> None:
    seen: list[int] = []
    done: list[int] = []

    async def other() -> None:
        while len(done) < 6:
            seen.append(len(done))
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    async for item in in_turns(range(6)):
        end = time.monotonic() + turns.SECONDS
        while time.monotonic() <= end:
            pass
        done.append(item)
    await task
    assert done == list(range(6))
    assert set(seen) >= {1, 2, 3, 4, 5}


async def test_the_items_are_those_given_in_their_order() -> None:
    assert [item async for item in in_turns(iter("记得 tea"))] == list("记得 tea")
    assert [item async for item in in_turns(iter(""))] == []
