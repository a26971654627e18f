"""Export and Import: streams of records."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import groupby

from recalld.v1 import namespace_service_pb2 as pb
from recalld_server.core.moving import Imported, Incoming, Moving
from recalld_server.errors import RecalldError
from recalld_server.model import Filter, Principal
from recalld_server.rpc.calls import Context, call_options, time_left
from recalld_server.rpc.convert.export import export_record, exported
from recalld_server.rpc.convert.filter import filter_of
from recalld_server.rpc.inbox import Inbox
from recalld_server.rpc.validation import check

Request = pb.ImportRequest | RecalldError


async def export(moving: Moving, principal: Principal, request: pb.ExportRequest) -> AsyncIterator[pb.ExportResponse]:
    """The records that the request asks for."""
    filter = filter_of(request.filter) if request.HasField("filter") else Filter()
    records = moving.export(
        principal,
        request.namespace,
        filter,
        vectors=request.include_vectors,
        revisions=request.include_revisions,
    )
    async with aclosing(records):  # type: ignore[type-var]
        async for record in records:
            yield pb.ExportResponse(record=export_record(record))


@dataclass(frozen=True, slots=True)
class _Item:
    sequence: int
    namespace: str
    record: Incoming | RecalldError


async def import_(
    moving: Moving, principal: Principal, requests: AsyncIterator[Request], context: Context
) -> AsyncIterator[pb.ImportResponse]:
    """One answer for each record, in the order given. A record that fails says why in its answer; the stream goes on."""
    inbox = Inbox(requests)
    try:
        while taken := await inbox.take():
            items = [_item(each, context) for each in taken]
            for _, run in groupby(items, key=lambda item: (item.namespace, isinstance(item.record, RecalldError))):
                together = list(run)
                results = await _taken_in(moving, principal, together, context)
                for item, result in zip(together, results, strict=True):
                    yield _answer(item.sequence, result)
    finally:
        await inbox.close()


def _item(request: Request, context: Context) -> _Item:
    if isinstance(request, RecalldError):
        return _Item(0, "", request)
    try:
        check(request)
        record = Incoming(exported(request.record), call_options(request, context))
        return _Item(request.sequence, request.namespace, record)
    except RecalldError as error:
        return _Item(request.sequence, request.namespace, error)


async def _taken_in(
    moving: Moving, principal: Principal, items: Sequence[_Item], context: Context
) -> Sequence[Imported | RecalldError]:
    wrong = [item.record for item in items if isinstance(item.record, RecalldError)]
    if wrong:
        return wrong
    records = [item.record for item in items if isinstance(item.record, Incoming)]
    return await moving.import_(principal, items[0].namespace, records, timeout=time_left(context))


def _answer(sequence: int, result: Imported | RecalldError) -> pb.ImportResponse:
    if isinstance(result, RecalldError):
        return pb.ImportResponse(sequence=sequence, outcome="failed", error=str(result))
    return pb.ImportResponse(sequence=sequence, memory_id=str(result.memory_id), outcome=result.outcome)
