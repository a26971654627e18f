"""StreamWrite: items are written in small batches as they come; each answer carries its item's number."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from recalld.v1 import memory_service_pb2 as pb
from recalld_server.core.types import WriteOptions
from recalld_server.errors import RecalldError
from recalld_server.model import Draft, Durability, Principal, WriteResult
from recalld_server.rpc.calls import Context, call_options
from recalld_server.rpc.convert.memory import draft
from recalld_server.rpc.convert.values import enum_or
from recalld_server.rpc.convert.write import batch_item
from recalld_server.rpc.validation import check

if TYPE_CHECKING:
    from recalld_server.core.write import Writes

MAX_BATCH = 64
"""Items that wait at most; while they do, nothing more is read, and gRPC's flow control slows the caller down."""

Incoming = pb.StreamWriteRequest | RecalldError


@dataclass(frozen=True, slots=True)
class Item:
    """One memory of the stream, or what is wrong with it."""

    sequence: int
    draft: Draft | RecalldError
    namespace: str = ""
    options: WriteOptions = WriteOptions()


class Inbox:
    """Reads ahead, up to a batch."""

    def __init__(self, requests: AsyncIterator[Incoming]) -> None:
        self._requests = requests
        self._waiting: asyncio.Queue[Incoming | None] = asyncio.Queue()
        self._room = asyncio.Semaphore(MAX_BATCH)
        self._reader = asyncio.create_task(self._read())
        self._reader.add_done_callback(lambda _: self._waiting.put_nowait(None))

    async def take(self) -> list[Incoming]:
        """What waits, at least one; empty at the end. Raises what reading raised."""
        taken: list[Incoming] = []
        while len(taken) < MAX_BATCH and (not taken or not self._waiting.empty()):
            request = await self._waiting.get()
            if request is None:
                self._waiting.put_nowait(None)
                break
            self._room.release()
            taken.append(request)
        if not taken:
            await self._reader
        return taken

    async def close(self) -> None:
        self._reader.cancel()
        # what reading raised was told by `take`, or nobody is left to be told
        with suppress(Exception, asyncio.CancelledError):
            await self._reader

    async def _read(self) -> None:
        async for request in self._requests:
            await self._room.acquire()
            self._waiting.put_nowait(request)


async def write_stream(
    writes: Writes, principal: Principal, requests: AsyncIterator[Incoming], context: Context
) -> AsyncIterator[pb.StreamWriteResponse]:
    """One answer for each item, in the order given. An item that fails has an error in its answer; the stream goes on."""
    inbox = Inbox(requests)
    try:
        while taken := await inbox.take():
            items = [_item(each, context) for each in taken]
            for _, run in groupby(enumerate(items), key=_together):
                batch = [item for _, item in run]
                for item, result in zip(batch, await _written(writes, principal, batch), strict=True):
                    yield pb.StreamWriteResponse(sequence=item.sequence, item=batch_item(result))
    finally:
        await inbox.close()


def _item(request: Incoming, context: Context) -> Item:
    if isinstance(request, RecalldError):
        return Item(0, request)
    try:
        check(request)
        check(request.memory, "memory")
        durability = enum_or(Durability, request.durability, Durability.INDEXED)
        options = WriteOptions(durability, call=call_options(request, context))
        return Item(request.sequence, draft(request.memory), request.namespace, options)
    except RecalldError as error:
        return Item(request.sequence, error)


def _together(placed: tuple[int, Item]) -> object:
    """Neighbours with the same value are written in one batch. Order is kept, since a later item may replace an earlier
    one; an item with a request_id goes alone, since its answer is remembered under it."""
    place, item = placed
    alone = place if item.options.call.request is not None else None
    return isinstance(item.draft, RecalldError), item.namespace, item.options.durability, alone


async def _written(writes: Writes, principal: Principal, batch: Sequence[Item]) -> list[WriteResult | RecalldError]:
    errors = [item.draft for item in batch if isinstance(item.draft, RecalldError)]
    if errors:
        return list(errors)
    drafts = [item.draft for item in batch]
    try:
        return await writes.write_batch(principal, batch[0].namespace, drafts, batch[0].options)
    except RecalldError as error:
        return [error] * len(batch)
