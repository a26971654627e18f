"""StreamWrite: items are written in small batches as they come; each answer carries its item's number."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from recalld.v1 import memory_service_pb2 as pb
from recalld_server.core.types import WriteOptions
from recalld_server.errors import NamespaceNotFound, RecalldError, RoleRequired
from recalld_server.model import Draft, Durability, Principal, WriteResult
from recalld_server.rpc.calls import Context, call_options
from recalld_server.rpc.convert.memory import draft
from recalld_server.rpc.convert.values import enum_or
from recalld_server.rpc.convert.write import batch_item
from recalld_server.rpc.inbox import Inbox
from recalld_server.rpc.validation import check

if TYPE_CHECKING:
    from recalld_server.core.audit import Audit
    from recalld_server.core.write import Writes

Incoming = pb.StreamWriteRequest | RecalldError


@dataclass(frozen=True, slots=True)
class Item:
    """One memory of the stream, or what is wrong with it."""

    sequence: int
    draft: Draft | RecalldError
    namespace: str = ""
    options: WriteOptions = WriteOptions()


async def write_stream(
    writes: Writes, audit: Audit, principal: Principal, requests: AsyncIterator[Incoming], context: Context
) -> AsyncIterator[pb.StreamWriteResponse]:
    """One answer for each item, in the order given. An item that fails has an error in its answer; the stream goes on."""
    inbox = Inbox(requests)
    try:
        while taken := await inbox.take():
            items = [_item(each, context) for each in taken]
            for _, run in groupby(items, key=_together):
                batch = list(run)
                for item, result in zip(batch, await _written(writes, audit, principal, batch), strict=True):
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


def _together(item: Item) -> object:
    """Neighbours with the same value are written together. Order is kept, since a later item may replace an earlier one."""
    return isinstance(item.draft, RecalldError), item.namespace, item.options.durability


async def _written(
    writes: Writes, audit: Audit, principal: Principal, batch: Sequence[Item]
) -> list[WriteResult | RecalldError]:
    errors = [item.draft for item in batch if isinstance(item.draft, RecalldError)]
    if errors:
        return list(errors)
    drafts = [item.draft for item in batch]
    try:
        return await writes.write_each(principal, batch[0].namespace, drafts, [item.options for item in batch])
    except RecalldError as error:
        if isinstance(error, RoleRequired | NamespaceNotFound):
            await audit.denied(principal, error)
        return [error] * len(batch)
