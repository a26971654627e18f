"""Serves callers that want the same kind of thing at the same time together: who comes while others are served, waits."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
R = TypeVar("R")


@dataclass(slots=True)
class _Line(Generic[T, R]):
    """Those that wait under one key."""

    waiting: deque[tuple[T, asyncio.Future[R]]] = field(default_factory=deque)
    serving: int = 0


class Together(Generic[K, T, R]):
    """Hands what was asked under one key to `serve`, several at once, in the order in which they came.

    `serve` gives an answer or an error for each; what it raises concerns all. It runs in a task of its own: a caller
    that gives up leaves the others alone, and what was asked is left out only if it was still waiting.
    """

    def __init__(
        self,
        serve: Callable[[K, Sequence[T]], Awaitable[Sequence[R | Exception]]],
        *,
        places: int,
        most: int,
        enough: int = 1,
        weight: Callable[[T], int] = lambda _: 1,
    ) -> None:
        """At most `places` run at once under a key, each with a summed `weight` of at most `most` (or one alone). While one
        runs, another begins when a weight of `enough` waits: fewer wait for it to end, and are served together."""
        self._serve = serve
        self._places = places
        self._most = most
        self._enough = enough
        self._weight = weight
        self._lines: dict[K, _Line[T, R]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def ask(self, key: K, one: T) -> R:
        """The answer. Raises what `serve` says of this one."""
        line = self._lines.setdefault(key, _Line())
        answer: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        line.waiting.append((one, answer))
        if line.serving < self._places and (not line.serving or self._enough_wait(line)):
            line.serving += 1
            task = asyncio.create_task(self._work(key, line))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await answer

    async def _work(self, key: K, line: _Line[T, R]) -> None:
        try:
            while taken := self._take(line):
                await self._answer(key, taken)
        finally:
            line.serving -= 1
            if not line.serving and not line.waiting:
                self._lines.pop(key, None)

    def _enough_wait(self, line: _Line[T, R]) -> bool:
        return sum(self._weight(one) for one, _ in line.waiting) >= self._enough

    def _take(self, line: _Line[T, R]) -> list[tuple[T, asyncio.Future[R]]]:
        taken: list[tuple[T, asyncio.Future[R]]] = []
        total = 0
        while line.waiting:
            one, answer = line.waiting[0]
            total += self._weight(one)
            if taken and total > self._most:
                break
            line.waiting.popleft()
            if answer.cancelled():
                total -= self._weight(one)
            else:
                taken.append((one, answer))
        return taken

    async def _answer(self, key: K, taken: Sequence[tuple[T, asyncio.Future[R]]]) -> None:
        try:
            found = await self._serve(key, [one for one, _ in taken])
        except asyncio.CancelledError:
            for _, answer in taken:
                answer.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - it belongs to the callers, who are told
            found = [error] * len(taken)
        for (_, answer), each in zip(taken, found, strict=True):
            if answer.done():
                continue  # the caller gave up
            if isinstance(each, Exception):
                answer.set_exception(each)
            else:
                answer.set_result(each)
