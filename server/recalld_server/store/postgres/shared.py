"""One question at a time, for all who want the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Shared(Generic[T]):
    """Puts a question whose answer must not be older than the wish for it: who comes while one is under way gets the
    answer to the next, together with all who came meanwhile."""

    def __init__(self, ask: Callable[[], Awaitable[T]]) -> None:
        self._ask = ask
        self._turn = asyncio.Lock()
        self._next: asyncio.Task[T] | None = None

    async def __call__(self) -> T:
        """The answer. Raises what asking raises."""
        if self._next is None:
            self._next = asyncio.create_task(self._put())
            # that nobody waits any more is no fault
            self._next.add_done_callback(lambda task: task.cancelled() or task.exception())
        return await asyncio.shield(self._next)

    async def _put(self) -> T:
        async with self._turn:
            self._next = None
            return await self._ask()
