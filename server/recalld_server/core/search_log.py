"""Keeps what searches found, behind their back: a search never waits for its record, nor fails with it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from uuid import UUID

import structlog

from recalld_server.errors import Unavailable
from recalld_server.model import Memory, Principal, Scope, utc_now
from recalld_server.store.base import Searched, SearchRecords

log = structlog.get_logger(__name__)

LIMIT = 10_000
"""Records that may wait; more are dropped, counted and told of in the log."""
BATCH = 500
FLUSH_SECONDS = 0.5
"""How often they are stored. What a server that is killed has not stored by then is lost."""


def searched(
    principal: Principal, scopes: Sequence[Scope], search_id: UUID, memories: Iterable[Memory], seconds: float
) -> Searched:
    """The record of a search that took this long and returned these memories."""
    ids = {scope.namespace: scope.namespace_id for scope in scopes}
    return Searched(
        principal.tenant_id,
        principal.agent_id,
        search_id,
        tuple(ids.values()),
        tuple((ids[memory.namespace], memory.memory_id) for memory in memories),
        seconds * 1000,
        utc_now(),
    )


class SearchLog:
    """The records that wait to be stored. `flush` is called every FLUSH_SECONDS, `close` at the end."""

    def __init__(self, records: SearchRecords, *, limit: int = LIMIT) -> None:
        self._records = records
        self._limit = limit
        self._waiting: deque[Searched] = deque()
        self._dropped = 0
        self._flushing = asyncio.Lock()

    def add(self, record: Searched) -> None:
        """Takes a record; returns at once."""
        if len(self._waiting) >= self._limit:
            self._dropped += 1
        else:
            self._waiting.append(record)

    async def flush(self) -> int:
        """Stores a batch. Returns how many are left. Raises StoreUnavailable; the records are kept then."""
        async with self._flushing:
            if self._dropped:
                log.warning("searches were not recorded, the store is too slow", dropped=self._dropped)
                self._dropped = 0
            batch = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
            if not batch:
                return 0
            try:
                await self._records.log_searches(batch)
            except BaseException:  # cancelled or failed: storing a record twice stores it once
                self._waiting.extendleft(reversed(batch))
                raise
            return len(self._waiting)

    async def close(self) -> None:
        """Stores what waits."""
        try:
            while await self.flush():
                pass
        except Unavailable:
            log.warning("searches were not recorded, the store is away", dropped=len(self._waiting))
