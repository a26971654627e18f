"""Figures of a namespace, or of all that a caller may read."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from recalld_server.core.access import Access
from recalld_server.core.policy import Action
from recalld_server.model import Principal, Stats, TimeSpan, utc_now
from recalld_server.store.base import Reads

DEFAULT_SPAN = timedelta(days=7)
FIRST = datetime.min.replace(tzinfo=UTC)


class Figures:
    """Stats."""

    def __init__(self, reads: Reads, access: Access, *, model_id: str) -> None:
        self._reads = reads
        self._access = access
        self._model_id = model_id

    async def stats(self, principal: Principal, namespace: str, span: TimeSpan) -> Stats:
        """Of one namespace; with an empty name, of every namespace of its own tenant that the principal may read, together:
        what others share with it is theirs to count. Without an end, up to now; without a start, the week before, from
        the full hour on."""
        if namespace:
            scopes = [(await self._access.open(principal, namespace, Action.READ)).scope]
        else:
            scopes = await self._access.readable(principal)
        if not scopes:
            return Stats(embedding_model=self._model_id)
        hour = _hour(span.end or utc_now())
        since = span.start or hour - min(DEFAULT_SPAN, hour - FIRST)
        until = span.end or hour + timedelta(hours=1)
        stats = await self._reads.read(scopes, lambda view: view.stats(scopes, since=since, until=until))
        return replace(stats, namespaces=len(scopes), embedding_model=self._model_id)


def _hour(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)
