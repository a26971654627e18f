"""Where one stream stands, and what comes next in it.

For each namespace it keeps the sequence of the last change that it told or passed over. Sequences are in commit order and
have no gaps, so nothing else needs to be remembered: another stream, on another server, goes on from the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from recalld_server.core.watch import tokens
from recalld_server.core.watch.types import Event, EventType, WatchQuery
from recalld_server.model import Scope, State, utc_now
from recalld_server.store.base import Change, View


class Stream:
    """The positions of one stream. What it has given to its caller counts as told."""

    def __init__(self, query: WatchQuery, tenant_id: UUID, positions: dict[UUID, int]) -> None:
        self.query = query
        self._tenant_id = tenant_id
        self._positions = positions
        # a memory's end is told too, unless the caller says which states are meant
        filter = query.filter
        self._filter = replace(filter, states=filter.states or tuple(State)) if filter else None

    def signal(self, type: EventType, namespace: str = "") -> Event:
        """A CHECKPOINT or a RESET of this moment."""
        return Event(type, utc_now(), self._token(), namespace)

    async def place(self, view: View, scope: Scope) -> None:
        """Puts the stream at the end of a namespace in which it stands nowhere yet."""
        if scope.namespace_id not in self._positions:
            await self._go_to_end(view, scope)

    async def read(self, view: View, scope: Scope, limit: int) -> tuple[list[Event], bool]:
        """What comes next in the namespace, of at most `limit` changes, and whether there may be more behind it."""
        swept, head = await view.change_span(scope)
        at = self._positions[scope.namespace_id]
        if at == head:
            return [], False
        # above the head it is of another history: the database was put back to an earlier state
        if not swept <= at < head:
            await self._go_to_end(view, scope)
            return [self.signal(EventType.RESET, scope.namespace)], False
        changes = await view.changes(scope, after=at, limit=limit)
        passed_over = await self._passed_over(view, scope, changes)
        events = []
        for change in changes:
            self._positions[scope.namespace_id] = change.sequence
            if change.sequence not in passed_over:
                events.append(self._event(change, scope.namespace))
        if len(changes) == limit:
            return events, True
        # the rest are changes that this agent does not see
        await view.wait_for_disk()
        self._positions[scope.namespace_id] = head
        return events, False

    async def _go_to_end(self, view: View, scope: Scope) -> None:
        """What a crash could still undo may not be counted as told: its sequence would come again with something else."""
        _, head = await view.change_span(scope)
        await view.wait_for_disk()
        self._positions[scope.namespace_id] = head

    async def _passed_over(self, view: View, scope: Scope, changes: Sequence[Change]) -> set[int]:
        """Sequences of those that the caller does not want to be told of."""
        if self._filter is None:
            meant = None
        else:
            meant = await view.matching(scope, list({each.memory_id for each in changes}), self._filter)
        return {
            each.sequence
            for each in changes
            if not self.query.wants(EventType(each.type))
            or (meant is not None and each.memory is not None and each.memory_id not in meant)
        }

    def _event(self, change: Change, namespace: str) -> Event:
        return Event(
            EventType(change.type),
            change.create_time,
            self._token(),
            namespace,
            change.memory_id,
            change.memory,
            change.actor,
        )

    def _token(self) -> str:
        return tokens.encode(self._tenant_id, self._positions)
