"""Writes: what became of them."""

from __future__ import annotations

from recalld.v1 import memory_pb2, memory_service_pb2
from recalld_server.core.types import WriteOptions
from recalld_server.errors import RecalldError
from recalld_server.model import Draft, Durability, WriteResult
from recalld_server.rpc.calls import Context, call_options
from recalld_server.rpc.convert.memory import draft
from recalld_server.rpc.convert.values import enum_or, to_id
from recalld_server.rpc.status import status_of
from recalld_server.rpc.validation import check


def write_options(
    request: memory_service_pb2.WriteRequest | memory_service_pb2.BatchWriteRequest, context: Context
) -> WriteOptions:
    """How a write is carried out."""
    durability = enum_or(Durability, request.durability, Durability.INDEXED)
    return WriteOptions(durability, request.validate_only, call_options(request, context))


def checked_draft(message: memory_pb2.MemoryInput) -> Draft | RecalldError:
    """An item of a batch, or the error that concerns it alone."""
    try:
        check(message, "memory")
        return draft(message)
    except RecalldError as error:
        return error


def write_result(value: WriteResult) -> memory_service_pb2.WriteResult:
    """What became of one memory, as it is sent."""
    return memory_service_pb2.WriteResult(
        outcome=int(value.outcome),  # type: ignore[arg-type]
        memory_id=to_id(value.memory_id),
        related=[
            memory_service_pb2.RelatedMemory(memory_id=str(each.memory_id), similarity=each.similarity)
            for each in value.related
        ],
        reason=value.reason,
        importance=value.importance,
        importance_threshold=value.importance_threshold,
        review_id=to_id(value.review_id),
        index_state=int(value.index_state),  # type: ignore[arg-type]
        revision=value.revision,
        etag=value.etag,
    )


def batch_item(value: WriteResult | RecalldError) -> memory_service_pb2.BatchWriteItem:
    """What became of one item of a batch, as it is sent."""
    if isinstance(value, RecalldError):
        return memory_service_pb2.BatchWriteItem(error=status_of(value))
    return memory_service_pb2.BatchWriteItem(result=write_result(value))
