"""MarkUsed: which hits of a search were of use."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from recalld_server import telemetry
from recalld_server.core.access import Access, Room
from recalld_server.core.answers import from_json, to_json
from recalld_server.core.policy import Action, require
from recalld_server.core.search_log import SearchLog
from recalld_server.core.types import CallOptions
from recalld_server.errors import NamespaceNotFound, ResourceNotFound
from recalld_server.model import Principal, utc_now
from recalld_server.store.base import AnswerKnown, PastSearch, SearchRecords, Store

YOUNG_SECONDS = 1.0
"""So long after a search its record may still be on its way from another server."""
LOOK_AGAIN_SECONDS = 0.05


class Records(Store, SearchRecords, Protocol):
    """The store with its record of searches."""


class Usage:
    """Marks hits as used, which counts for ranking and for the hit rate."""

    def __init__(self, store: Records, access: Access, log: SearchLog) -> None:
        self._store = store
        self._access = access
        self._log = log

    async def mark_used(
        self, principal: Principal, search_id: UUID, memory_ids: Sequence[UUID], call: CallOptions
    ) -> int:
        """Marks hits of a search of the caller's. Returns how many of the ids the search returned; marking one again
        changes nothing. Raises ResourceNotFound, also where the caller may read none of its namespaces any more."""
        require(principal, Action.READ)
        await self._log.flush()
        past = await self._find(principal, search_id)
        rooms = [] if past is None else await self._rooms(principal, past)
        if past is None or not rooms:
            raise ResourceNotFound("search")
        last = rooms[-1]
        if call.request is not None:
            known = await self._store.known_answer(last.scope, call.request)
            if known is not None:
                return from_json(int, known)
        returned = set(past.memory_ids)
        hits = [memory_id for memory_id in memory_ids if memory_id in returned]
        marked = 0
        try:
            for room in rooms:
                # the last one keeps the answer: if this ends before, a retry does all of it again
                request = call.request if room is last else None
                async with self._store.unit(room.scope, request) as unit:
                    marked += len(await unit.mark_used(room.scope, search_id, hits)) if hits else 0
                    if request is not None:
                        await unit.remember_answer(to_json(int, marked))
        except AnswerKnown as answered:
            return from_json(int, answered.answer)
        telemetry.count_used(marked)
        return marked

    async def _find(self, principal: Principal, search_id: UUID) -> PastSearch | None:
        """The search; a young one is waited for."""
        while True:
            past = await self._store.find_search(principal.tenant_id, principal.agent_id, search_id)
            if past is not None or not 0 <= _age(search_id) < YOUNG_SECONDS:
                return past
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    async def _rooms(self, principal: Principal, past: PastSearch) -> list[Room]:
        rooms = []
        for name in past.namespaces:
            try:
                rooms.append(await self._access.open(principal, name, Action.READ))
            except NamespaceNotFound:
                continue
        return rooms


def _age(search_id: UUID) -> float:
    """Seconds since a UUIDv7 was made; what is none is old."""
    return utc_now().timestamp() - (search_id.int >> 80) / 1000 if search_id.version == 7 else float("inf")
