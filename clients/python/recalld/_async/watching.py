"""What happens, as it happens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from typing import Unpack

from recalld._async.bound import AsyncBound
from recalld._async.transport import Answers, AsyncTransport
from recalld._calls import names
from recalld._convert.build import build, to_enums
from recalld._convert.events import from_event
from recalld._convert.filters import to_filter
from recalld._retry import Deadline
from recalld.enums import WatchEventType, WatchEventTypeLike
from recalld.errors import Cancelled, RecalldError, Unavailable
from recalld.filters import Filter, FilterFields, OneOrMany, combine
from recalld.types.events import WatchEvent
from recalld.v1 import watch_service_pb2 as sv

_HELD = 10.0
"""Seconds after which a call counts as one that had reached the server, even if nothing happened."""
_SIGNALS = (sv.WATCH_EVENT_TYPE_CHECKPOINT, sv.WATCH_EVENT_TYPE_RESET)


class AsyncWatch:
    """Events in commit order, without a gap and without a double; goes on by its token after a break.

    A RESET event says that the token was too old: read everything again, then go on. CHECKPOINT events only move
    `resume_token` on and are not shown. Iterating again goes on behind the last event that was given.
    """

    def __init__(self, transport: AsyncTransport, request: sv.WatchRequest, patience: float) -> None:
        self._transport = transport
        self._request = request
        self._patience = patience
        self._call: Answers[sv.WatchResponse] | None = None
        self._closed = False

    @property
    def resume_token(self) -> str:
        """Where the watch stands; keep it and give it to `watch` to go on in another process."""
        return self._request.resume_token

    async def __aiter__(self) -> AsyncIterator[WatchEvent]:
        failures = 0
        while not self._closed:
            began = time.monotonic()
            call = self._transport.stubs.watch.Watch(self._request, metadata=self._transport.metadata())
            self._call = call
            if self._closed:
                call.cancel()
            failure: RecalldError = Unavailable("the server ended the watch")
            try:
                async for message in self._transport.answers(call):
                    failures = 0
                    self._request.resume_token = message.resume_token
                    if message.type != sv.WATCH_EVENT_TYPE_CHECKPOINT:
                        yield from_event(message)
            except RecalldError as error:
                # A server that stops cancels its streams; when it was us, the loop ends here.
                failure = Unavailable(error.message) if isinstance(error, Cancelled) else error
            if self._closed:
                return
            if failures == 0 or time.monotonic() - began > _HELD:
                failures, patience = 0, Deadline(self._patience)
            failures += 1
            delay = self._transport.retry.wait(failure, failures)
            if delay is None or delay > (patience.remaining() or 0.0):
                raise failure
            await asyncio.sleep(delay)

    def close(self) -> None:
        """Ends the watch, from another task or thread too: the iteration stops."""
        self._closed = True
        if self._call is not None:
            self._call.cancel()


class AsyncWatching(AsyncBound):
    """What happens, as it happens."""

    def watch(
        self,
        *,
        types: OneOrMany[WatchEventTypeLike] = (),
        resume_token: str | None = None,
        filter: Filter | None = None,
        namespaces: Sequence[str] | str | None = None,
        patience: float = 60.0,
        **where: Unpack[FilterFields],
    ) -> AsyncWatch:
        """Follows the changes from a token on, or from now on; makes its call when it is iterated over.

        After a break it connects again by itself, for up to `patience` seconds without an answer. `types` are those
        to be shown; empty: all. Filters are as in `search`.
        """
        shown = to_enums(sv.WatchEventType, WatchEventType, types, "types")
        request = build(
            sv.WatchRequest,
            namespaces=names(namespaces, self._namespace),
            filter=to_filter(combine(filter, where)),
            resume_token=resume_token,
            # Without the signals the token would stand still, and a token that is too old would go unnoticed.
            types=sorted({*shown, *_SIGNALS}) if shown else [],
        )
        return AsyncWatch(self._transport, request, patience)
