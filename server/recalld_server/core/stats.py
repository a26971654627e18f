"""Figures of a namespace, or of all that a caller may read."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from recalld_server.core.access import Access, Room, asker
from recalld_server.core.policy import Action, require
from recalld_server.model import Principal, Stats, TimeSpan, utc_now
from recalld_server.store.base import Directory, Store

DEFAULT_SPAN = timedelta(days=7)


class Figures:
    """Stats."""

    def __init__(self, store: Store, directory: Directory, access: Access, *, model_id: str) -> None:
        self._store = store
        self._directory = directory
        self._access = access
        self._model_id = model_id

    async def stats(self, principal: Principal, namespace: str, span: TimeSpan) -> Stats:
        """Of one namespace; with an empty name, of every namespace that the principal may read, together."""
        until = span.end or utc_now()
        since = span.start or until - DEFAULT_SPAN
        rooms = (
            [await self._access.open(principal, namespace, Action.READ)] if namespace else await self._all(principal)
        )
        if not rooms:
            return Stats(embedding_model=self._model_id)
        scopes = [room.scope for room in rooms]
        async with self._store.view(scopes) as view:
            stats = await view.stats(scopes, since=since, until=until)
        return replace(stats, namespaces=len(rooms), embedding_model=self._model_id)

    async def _all(self, principal: Principal) -> list[Room]:
        """Of the principal's own tenant: what others share with it is theirs to count."""
        require(principal, Action.READ)
        rooms: list[Room] = []
        after = ""
        while True:
            found = await self._directory.list_namespaces(asker(principal), after=after, limit=1000)
            opened = [await self._access.open(principal, each.name, Action.READ) for each in found]
            rooms += [room for room in opened if not room.foreign]
            if len(found) < 1000:
                return rooms
            after = found[-1].name
