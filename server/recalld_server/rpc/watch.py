"""WatchService: a stream that goes on until its caller, its access or this server ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

from recalld.v1 import watch_service_pb2 as pb
from recalld_server.core.services import Core
from recalld_server.errors import SlowReader
from recalld_server.rpc import convert
from recalld_server.rpc.calls import Context, authenticated

STALL_SECONDS = 30.0
"""How long one event may wait for a caller that does not read. gRPC holds some megabytes for it before that begins."""


class WatchServicer:
    """One method for each RPC that is served."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def Watch(  # noqa: N802
        self, request: pb.WatchRequest, context: Context
    ) -> AsyncIterator[pb.WatchResponse]:
        query = convert.watch_query(request)
        async with aclosing(self._core.watches.watch(authenticated(), query)) as events:  # type: ignore[type-var]
            async for event in events:
                # written, not yielded: a generator that is suspended cannot see that nobody reads
                try:
                    async with asyncio.timeout(STALL_SECONDS):
                        await context.write(convert.watch_response(event))
                except TimeoutError:
                    raise SlowReader from None
        return
        yield  # makes it a generator, as all that the interceptors wrap
