"""Looking back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Unpack

from recalld._async.bound import AsyncBound
from recalld._async.transport import AsyncTransport
from recalld._calls import request_id as named
from recalld._calls import seconds
from recalld._convert.build import build, to_enums
from recalld._convert.reflection import from_reflection, to_scope
from recalld._retry import Deadline
from recalld.enums import ReflectionTarget, ReflectionTargetLike
from recalld.errors import RecalldError, Unavailable
from recalld.filters import Filter, FilterFields, OneOrMany, TimeRangeLike, combine
from recalld.types.reflection import Reflection
from recalld.v1 import memory_service_pb2 as sv


class AsyncReflectionHandle:
    """A reflection on the server. It runs there whether or not anyone waits for it."""

    def __init__(self, transport: AsyncTransport, namespace: str, reflection_id: str) -> None:
        self._transport = transport
        self._namespace = namespace
        self.reflection_id = reflection_id

    async def get(self, *, timeout: float | None = None) -> Reflection:
        """The reflection as it stands now."""
        request = build(sv.GetReflectionRequest, namespace=self._namespace, reflection_id=self.reflection_id)
        answer = await self._transport.read(lambda stubs: stubs.memory.GetReflection, request, timeout)
        return from_reflection(answer.reflection)

    async def progress(self, *, timeout: float | None = None) -> AsyncIterator[Reflection]:
        """The reflection each time that it moves on, until it has ended; attaches again after a break.

        Raises DeadlineExceeded when it has not ended within `timeout` seconds (default: no end).
        """
        request = build(sv.WatchReflectionRequest, namespace=self._namespace, reflection_id=self.reflection_id)
        deadline = Deadline(seconds(timeout, None))
        failures = 0
        while True:
            call = self._transport.stubs.memory.WatchReflection(
                request, timeout=deadline.remaining(), metadata=self._transport.metadata()
            )
            failure: RecalldError = Unavailable("the server ended the stream before the reflection")
            try:
                async for answer in self._transport.answers(call):
                    failures = 0
                    reflection = from_reflection(answer.reflection)
                    yield reflection
                    if reflection.done:
                        return
            except RecalldError as error:
                failure = error
            failures += 1
            delay = self._transport.retry.delay(failure, failures, deadline.remaining())
            if delay is None:
                raise failure
            await asyncio.sleep(delay)

    async def wait(self, *, timeout: float | None = None) -> Reflection:
        """The reflection once it has ended, in whichever way: look at its `state`. Raises as `progress` does."""
        async for reflection in self.progress(timeout=timeout):
            if reflection.done:
                return reflection
        raise AssertionError("progress ends with a reflection that is done")

    async def cancel(self, *, request_id: str | None = None, timeout: float | None = None) -> Reflection:
        """Asks it to stop. What it has stored stays."""
        request = build(
            sv.CancelReflectionRequest,
            namespace=self._namespace,
            reflection_id=self.reflection_id,
            request_id=named(request_id),
        )
        answer = await self._transport.mutate(lambda stubs: stubs.memory.CancelReflection, request, timeout)
        return from_reflection(answer.reflection)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.reflection_id}>"


class AsyncReflecting(AsyncBound):
    """Looking back."""

    async def reflect(
        self,
        *,
        session_id: str | None = None,
        time_range: TimeRangeLike | None = None,
        filter: Filter | None = None,
        targets: OneOrMany[ReflectionTargetLike] = (),
        dry_run: bool = False,
        request_id: str | None = None,
        timeout: float | None = None,
        **where: Unpack[FilterFields],
    ) -> AsyncReflectionHandle:
        """Starts a reflection and returns at once; `wait()` or `progress()` of the handle follow it.

        It looks back on one session, on a range of time, on what a filter means (as in `search`), or, when none of
        them is given, on everything since the last reflection. `targets` default to preferences, facts, patterns and
        lessons. `dry_run` stores nothing.
        """
        request = build(
            sv.ReflectRequest,
            namespace=self._namespace,
            scope=to_scope(session_id, time_range, combine(filter, where)),
            targets=to_enums(sv.ReflectionTarget, ReflectionTarget, targets, "targets"),
            dry_run=dry_run,
            request_id=named(request_id),
        )
        answer = await self._transport.mutate(lambda stubs: stubs.memory.Reflect, request, timeout)
        return self.reflection(answer.reflection.reflection_id)

    def reflection(self, reflection_id: str) -> AsyncReflectionHandle:
        """A handle on a reflection that was started before; makes no call."""
        return AsyncReflectionHandle(self._transport, self._namespace, reflection_id)
