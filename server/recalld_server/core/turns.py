"""Long work on the event loop, in turns with whoever else is waiting."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from typing import TypeVar

T = TypeVar("T")

SECONDS = 0.002
"""Of work, after which it is the others' turn: a batch of hundreds takes a second, and a search a few milliseconds."""


async def in_turns(items: Iterable[T]) -> AsyncIterator[T]:
    """The items one by one; between two of them the others have their turn when it is due."""
    began = time.monotonic()
    for item in items:
        if time.monotonic() - began > SECONDS:
            await asyncio.sleep(0)
            began = time.monotonic()
        yield item
