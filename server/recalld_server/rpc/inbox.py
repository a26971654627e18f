"""Reads a stream ahead, in batches."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Generic, TypeVar

T = TypeVar("T")

MAX_BATCH = 64
"""Items that wait at most; while they do, nothing more is read, and gRPC's flow control slows the caller down."""


class Inbox(Generic[T]):
    """Reads ahead, up to a batch."""

    def __init__(self, requests: AsyncIterator[T]) -> None:
        self._requests = requests
        self._waiting: asyncio.Queue[T | None] = asyncio.Queue()
        self._room = asyncio.Semaphore(MAX_BATCH)
        self._reader = asyncio.create_task(self._read())
        self._reader.add_done_callback(lambda _: self._waiting.put_nowait(None))

    async def take(self) -> list[T]:
        """What waits, at least one; empty at the end. Raises what reading raised."""
        taken: list[T] = []
        while len(taken) < MAX_BATCH and (not taken or not self._waiting.empty()):
            request = await self._waiting.get()
            if request is None:
                self._waiting.put_nowait(None)
                break
            self._room.release()
            taken.append(request)
        if not taken:
            await self._reader
        return taken

    async def close(self) -> None:
        self._reader.cancel()
        # what reading raised was told by `take`, or nobody is left to be told
        with suppress(Exception, asyncio.CancelledError):
            await self._reader

    async def _read(self) -> None:
        async for request in self._requests:
            await self._room.acquire()
            self._waiting.put_nowait(request)
