"""Runs the chores of the store beside the API: each replica does small pieces, and skips what another has at hand."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import structlog

from recalld_server import telemetry
from recalld_server.errors import RecalldError

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Chore:
    """Something to do every so often; `work` returns how much it did, and is done again at once while that is more than none."""

    name: str
    work: Callable[[], Awaitable[int]]
    seconds: float
    """Pause after there was nothing to do."""
    wake: asyncio.Event | None = None
    """Ends the pause when it is set."""


class Upkeep:
    """A task for each chore, from `start` to `close`."""

    def __init__(self, chores: Sequence[Chore]) -> None:
        self._chores = chores
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begins; a chore that fails is logged and tried again after its pause."""
        self._tasks = [asyncio.create_task(self._run(chore), name=f"upkeep {chore.name}") for chore in self._chores]

    async def close(self) -> None:
        """Ends what is under way; each piece of work is all or nothing."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, chore: Chore) -> None:
        told = ""
        while True:
            if chore.wake is not None:
                chore.wake.clear()
            try:
                done = await chore.work()
                telemetry.count_chore(chore.name, "done")
                told = ""
            except Exception as error:  # noqa: BLE001 - a fault in one chore must not end it for good, nor the server
                # errors of ours are written to be read; what others say may quote somebody's memories
                cause = str(error) if isinstance(error, RecalldError) else type(error).__name__
                if cause != told:  # once, not every second for as long as it lasts
                    log.warning("a chore failed and will be tried again", chore=chore.name, cause=cause)
                told = cause
                telemetry.count_chore(chore.name, "failed")
                done = 0
            if done == 0:
                await _pause(chore)


async def _pause(chore: Chore) -> None:
    if chore.wake is None:
        await asyncio.sleep(chore.seconds)
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(chore.seconds):
            await chore.wake.wait()
