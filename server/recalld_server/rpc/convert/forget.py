"""Forgetting: which memories, and what became of them."""

from __future__ import annotations

from recalld.v1 import memory_service_pb2
from recalld_server.core.types import ForgetOrder, Forgotten, Precondition
from recalld_server.model import ForgetMode
from recalld_server.rpc.convert.filter import filter_of
from recalld_server.rpc.convert.values import distinct_uuids, enum_or, prose, to_timestamp


def precondition(
    request: memory_service_pb2.UpdateRequest | memory_service_pb2.RestoreRequest | memory_service_pb2.ForgetRequest,
) -> Precondition:
    """What the caller believes the memory to be."""
    revision = request.expected_revision if request.HasField("expected_revision") else None
    return Precondition(request.etag, revision)


def forget_order(request: memory_service_pb2.ForgetRequest) -> ForgetOrder:
    """Raises InvalidField."""
    return ForgetOrder(
        memory_ids=distinct_uuids(request.memory_ids, "memory_ids"),
        filter=filter_of(request.filter) if request.HasField("filter") else None,
        mode=enum_or(ForgetMode, request.mode, ForgetMode.FORGET),
        dry_run=request.dry_run,
        digest=request.digest,
        precondition=precondition(request),
        reason=prose(request.reason),
    )


def forget_response(value: Forgotten) -> memory_service_pb2.ForgetResponse:
    """What was forgotten, as it is sent."""
    receipt = None
    if value.receipt is not None:
        receipt = memory_service_pb2.ErasureReceipt(
            receipt_id=str(value.receipt.receipt_id),
            create_time=to_timestamp(value.receipt.create_time),
            counts=dict(value.receipt.counts),
        )
    return memory_service_pb2.ForgetResponse(
        count=value.count,
        memory_ids=[str(each) for each in value.memory_ids],
        digest=value.digest,
        skipped_ids=[str(each) for each in value.skipped_ids],
        receipt=receipt,
    )
