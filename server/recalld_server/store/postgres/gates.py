"""Who may go on in a namespace, in the order in which they came."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID
from weakref import WeakValueDictionary

from recalld_server.errors import StoreUnavailable


class Gates:
    """A gate for each namespace that lets `places` callers in at a time."""

    def __init__(self, places: int, timeout: float) -> None:
        self._places = places
        self._timeout = timeout
        self._gates: WeakValueDictionary[UUID, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def place(self, namespace_id: UUID) -> AsyncIterator[None]:
        """Waits for a place, which is left at the end. Raises StoreUnavailable when none becomes free in time."""
        gate = self._gates.get(namespace_id)
        if gate is None:
            gate = self._gates[namespace_id] = asyncio.Semaphore(self._places)
        try:
            async with asyncio.timeout(self._timeout):
                await gate.acquire()
        except TimeoutError:
            raise StoreUnavailable("too many writes wait for this namespace", 1.0) from None
        try:
            yield
        finally:
            gate.release()
