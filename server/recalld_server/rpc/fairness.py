"""Around every call whose caller is known: no tenant takes more than it may."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

from recalld.v1 import memory_service_pb2, namespace_service_pb2, session_service_pb2
from recalld_server.core.limits import TENANT
from recalld_server.rpc.calls import Context, principal
from recalld_server.rpc.interceptors import Around, Streaming, Unary

if TYPE_CHECKING:
    from recalld_server.core.limits import Fairness

Size = tuple[int, int]


def _texts(texts: Iterable[str], memories: int | None = None) -> Size:
    sizes = [len(text.encode()) for text in texts]
    return (len(sizes) if memories is None else memories), sum(sizes)


STORES: dict[type, Callable[[Any], Size]] = {
    memory_service_pb2.WriteRequest: lambda r: _texts([r.memory.content]),
    memory_service_pb2.BatchWriteRequest: lambda r: _texts(each.content for each in r.memories),
    memory_service_pb2.StreamWriteRequest: lambda r: _texts([r.memory.content]),
    memory_service_pb2.UpdateRequest: lambda r: _texts([r.memory.content], 0),
    memory_service_pb2.RestoreRequest: lambda r: (0, 0),
    session_service_pb2.AppendTurnsRequest: lambda r: _texts((turn.content for turn in r.turns), 0),
    namespace_service_pb2.ImportRequest: lambda r: _texts([r.record.memory.content]),
}
"""Requests that store something: how many memories at most, and how many bytes of text."""


class FairShare(Around):
    """Inside of authentication: counts each call, and what it is about to store, against its tenant."""

    def __init__(self, fairness: Fairness) -> None:
        super().__init__()
        self._fairness = fairness

    def unary(self, call: Unary, method: str) -> Unary:
        async def fair(request: Any, context: Context) -> Any:
            tenant_id = principal().tenant_id
            TENANT.set(tenant_id)
            async with self._fairness.call(tenant_id), Reservations(self._fairness, tenant_id) as reservations:
                return await call(await reservations.admitted(request), context)

        return fair

    def streaming(self, call: Streaming, method: str) -> Streaming:
        async def fair(request: Any, context: Context) -> AsyncIterator[Any]:
            tenant_id = principal().tenant_id
            TENANT.set(tenant_id)
            async with self._fairness.call(tenant_id), Reservations(self._fairness, tenant_id) as reservations:
                admitted = await reservations.admitted(request)
                async with aclosing(call(admitted, context)) as answers:  # type: ignore[type-var]
                    async for answer in answers:
                        reservations.answered()
                        yield answer

        return fair


class Reservations:
    """Room that is kept for what one call is about to store; given back with each answer, and all of it in the end."""

    def __init__(self, fairness: Fairness, tenant_id: UUID) -> None:
        self._fairness = fairness
        self._tenant_id = tenant_id
        self._kept: deque[Callable[[], None]] = deque()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        while self._kept:
            self.answered()

    def answered(self) -> None:
        """The oldest of what waits was stored, or will not be."""
        if self._kept:
            self._kept.popleft()()

    async def admitted(self, request: Any) -> Any:
        """The request, or the stream of them, once there is room for what they store. Raises QuotaExceeded."""
        if hasattr(request, "__aiter__"):
            return self._each(request)
        if measure := STORES.get(type(request)):
            self._kept.append(await self._fairness.reserve(self._tenant_id, *measure(request)))
        return request

    async def _each(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """A stream is slowed down to the tenant's pace, by not being read for a while, rather than refused."""
        async for request in requests:
            while wait := await self._fairness.pace(self._tenant_id):  # noqa: ASYNC110 - time has to pass
                await asyncio.sleep(wait)
            yield await self.admitted(request)
