"""Tells of changes in commit order per namespace, without a gap and without a double."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from uuid import UUID

from recalld_server.core.access import Access
from recalld_server.core.watch import tokens
from recalld_server.core.watch.gate import Gate
from recalld_server.core.watch.stream import Stream
from recalld_server.core.watch.types import Caller, Event, EventType, WatchOptions, WatchQuery
from recalld_server.errors import Draining
from recalld_server.store.base import Ear, Store, Wakes


class Watches:
    """The streams of one server. None holds a connection while it waits, for an event or for its caller."""

    def __init__(
        self,
        store: Store,
        access: Access,
        wakes: Wakes,
        options: WatchOptions | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._access = access
        self._wakes = wakes
        self._options = options or WatchOptions()
        self._clock = clock
        self._turns = asyncio.Semaphore(self._options.readers)
        self._draining = False

    def drain(self) -> None:
        """Ends every stream with Draining: they would not end by themselves."""
        self._draining = True

    async def watch(self, caller: Caller, query: WatchQuery) -> AsyncIterator[Event]:
        """Begins with a CHECKPOINT, and never ends by itself. Raises InvalidResumeToken at once; InvalidCredential,
        RoleRequired, NamespaceNotFound as soon as access has ended; StoreUnavailable, Draining. After any of these, the
        token of the last event is good for going on."""
        gate = Gate(self._access, caller, query.namespaces, self._options.recheck, self._clock)
        tenant_id, rooms = await gate.enter()
        given = tokens.decode(query.resume_token, tenant_id, set(rooms)) if query.resume_token else {}
        stream = Stream(query, tenant_id, given)
        with self._wakes.listen(rooms) as ear:
            for room in rooms.values():
                async with self._turns, self._store.view([room.scope]) as view:
                    await stream.place(view, room.scope)
            if query.wants(EventType.CHECKPOINT):
                yield stream.signal(EventType.CHECKPOINT)
            changed: Sequence[UUID] = list(rooms)
            told = self._clock()
            while True:
                async for event in self._read(stream, gate, changed):
                    await gate.check()
                    yield event
                    told = self._clock()
                if query.wants(EventType.CHECKPOINT) and self._clock() - told >= self._options.idle:
                    yield stream.signal(EventType.CHECKPOINT)
                    told = self._clock()
                changed = await self._next(ear, gate)

    async def _read(self, stream: Stream, gate: Gate, namespaces: Sequence[UUID]) -> AsyncIterator[Event]:
        """All that there is to tell of these namespaces by now."""
        for namespace_id in namespaces:
            more = True
            while more:
                room = await gate.room(namespace_id)
                async with self._turns, self._store.view([room.scope]) as view:
                    events, more = await stream.read(view, room.scope, self._options.batch)
                for event in events:
                    yield event

    async def _next(self, ear: Ear, gate: Gate) -> Sequence[UUID]:
        """Waits until something may have happened somewhere, or until it is time to look at other things."""
        if self._draining:
            raise Draining
        changed = await ear.changed(self._options.recheck)
        await gate.check()
        return sorted(changed)
