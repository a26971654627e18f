"""Memories, writes and figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recalld._convert.build import build, from_enum, join, many, to_enum
from recalld._convert.metadata import from_struct, to_struct
from recalld._convert.times import from_timestamp, to_seconds, to_timestamp
from recalld._status import from_status
from recalld.enums import IndexState, Kind, Outcome, State, ToolStatus, Visibility
from recalld.errors import InvalidArgument
from recalld.types import memories as t
from recalld.v1 import memory_pb2 as pb
from recalld.v1 import memory_service_pb2 as sv


def to_memory_input(value: t.MemoryInput | str, path: str = "memory") -> pb.MemoryInput:
    """The message of what a caller wants written."""
    memory = t.MemoryInput(value) if isinstance(value, str) else value
    if not isinstance(memory, t.MemoryInput):
        raise InvalidArgument.of(path, f"takes a text or a MemoryInput, not a {type(memory).__name__}")
    if memory.ttl is not None and memory.expire_time is not None:
        raise InvalidArgument.of(join(path, "ttl"), "give ttl or expire_time, not both")
    return build(
        pb.MemoryInput,
        path,
        content=memory.content,
        kind=to_enum(pb.MemoryKind, Kind, memory.kind, join(path, "kind")),
        visibility=to_enum(pb.Visibility, Visibility, memory.visibility, join(path, "visibility")),
        user_id=memory.user_id,
        session_id=memory.session_id,
        speaker=memory.speaker,
        tags=many(memory.tags),
        entities=many(memory.entities),
        tool_calls=to_tool_calls(memory.tool_calls, join(path, "tool_calls")),
        importance=memory.importance,
        confidence=memory.confidence,
        metadata=to_struct(memory.metadata, join(path, "metadata")),
        counterfactual=memory.counterfactual,
        source_ids=many(memory.source_ids),
        event_time=to_timestamp(memory.event_time, join(path, "event_time")),
        expire_time=to_timestamp(memory.expire_time, join(path, "expire_time")),
        ttl_seconds=to_seconds(memory.ttl, join(path, "ttl")),
        valid_from=to_timestamp(memory.valid_from, join(path, "valid_from")),
        valid_until=to_timestamp(memory.valid_until, join(path, "valid_until")),
        memory_id=memory.memory_id,
    )


def to_tool_calls(calls: Iterable[t.ToolCall], path: str) -> list[pb.ToolCall]:
    """The messages of tool calls."""
    messages = []
    for index, call in enumerate(many(calls)):
        place = f"{path}[{index}]"
        if not isinstance(call, t.ToolCall):
            raise InvalidArgument.of(place, f"takes a ToolCall, not a {type(call).__name__}")
        # An unknown status is what reads give for one that was never said, so it may be written back.
        said = None if call.status == ToolStatus.UNSPECIFIED else call.status
        status = to_enum(pb.ToolStatus, ToolStatus, said, join(place, "status"))
        messages.append(
            build(pb.ToolCall, place, tool=call.tool, status=status, arguments=call.arguments, error=call.error)
        )
    return messages


def to_memory_update(
    given: Mapping[str, Any], metadata_set: Mapping[str, Any] | None, metadata_remove: Sequence[str]
) -> tuple[sv.MemoryUpdate, list[str]]:
    """The new values of an update and the mask that names them. `given` holds the arguments that were given."""
    path = "memory"
    mask = [*given, *(f"metadata.{key}" for key in (metadata_set or {})), *(f"metadata.{k}" for k in metadata_remove)]
    if not mask:
        raise InvalidArgument.of("update_mask", "is empty: give at least one field to change")
    if "metadata" in given and len(mask) > len(given):
        raise InvalidArgument.of("memory.metadata", "give metadata, or metadata_set and metadata_remove, not both")
    both = set(metadata_set or {}) & set(metadata_remove)
    if both:
        raise InvalidArgument.of("memory.metadata", "the same key cannot be set and removed")
    for name in ("content", "kind", "importance", "confidence"):
        if name in given and given[name] is None:
            raise InvalidArgument.of(join(path, name), "cannot be None: a memory always has one")
    values = dict(given)
    if "kind" in values:
        values["kind"] = to_enum(pb.MemoryKind, Kind, values["kind"], "memory.kind")
    if "tool_calls" in values:
        values["tool_calls"] = to_tool_calls(values["tool_calls"] or (), "memory.tool_calls")
    for name in ("tags", "entities"):
        if name in values:
            values[name] = many(values[name])
    for name in ("event_time", "expire_time", "valid_from", "valid_until"):
        if name in values:
            values[name] = to_timestamp(values[name], join(path, name))
    values["metadata"] = to_struct(given.get("metadata", metadata_set), "memory.metadata")
    return build(sv.MemoryUpdate, path, **values), mask


def from_tool_call(message: pb.ToolCall) -> t.ToolCall:
    """A tool call."""
    status = from_enum(pb.ToolStatus, ToolStatus, message.status)
    return t.ToolCall(message.tool, status, message.arguments, message.error)


def from_memory(message: pb.Memory) -> t.Memory:
    """A memory."""
    return t.Memory(
        memory_id=message.memory_id,
        namespace=message.namespace,
        content=message.content,
        kind=from_enum(pb.MemoryKind, Kind, message.kind),
        state=from_enum(pb.MemoryState, State, message.state),
        visibility=from_enum(pb.Visibility, Visibility, message.visibility),
        agent_id=message.agent_id,
        user_id=message.user_id,
        session_id=message.session_id,
        speaker=message.speaker,
        tags=tuple(message.tags),
        entities=tuple(message.entities),
        tool_calls=tuple(from_tool_call(each) for each in message.tool_calls),
        importance=message.importance,
        confidence=message.confidence,
        metadata=from_struct(message.metadata),
        counterfactual=message.counterfactual,
        source_ids=tuple(message.source_ids),
        superseded_by=message.superseded_by,
        supersedes=tuple(message.supersedes),
        conflicts_with=tuple(message.conflicts_with),
        revision=message.revision,
        etag=message.etag,
        create_time=from_timestamp(message, "create_time"),
        update_time=from_timestamp(message, "update_time"),
        event_time=from_timestamp(message, "event_time"),
        expire_time=from_timestamp(message, "expire_time"),
        valid_from=from_timestamp(message, "valid_from"),
        valid_until=from_timestamp(message, "valid_until"),
        use_count=message.use_count,
        last_use_time=from_timestamp(message, "last_use_time"),
        index_state=from_enum(pb.IndexState, IndexState, message.index_state),
        index_error=message.index_error,
    )


def from_write_result(message: sv.WriteResult) -> t.WriteResult:
    """What became of a write."""
    return t.WriteResult(
        outcome=from_enum(sv.WriteOutcome, Outcome, message.outcome),
        memory_id=message.memory_id,
        related=tuple(t.RelatedMemory(each.memory_id, each.similarity) for each in message.related),
        reason=message.reason,
        importance=message.importance,
        importance_threshold=message.importance_threshold,
        review_id=message.review_id,
        index_state=from_enum(pb.IndexState, IndexState, message.index_state),
        revision=message.revision,
        etag=message.etag,
    )


def from_batch_item(message: sv.BatchWriteItem, sequence: int) -> t.BatchItem:
    """What became of one item."""
    result = from_write_result(message.result) if message.HasField("result") else None
    error = from_status(message.error) if message.HasField("error") else None
    return t.BatchItem(sequence, result, error)


def from_revision(message: pb.MemoryRevision) -> t.MemoryRevision:
    """One change of a memory."""
    return t.MemoryRevision(
        memory=from_memory(message.memory),
        action=message.action,
        actor=message.actor,
        reason=message.reason,
        create_time=from_timestamp(message, "create_time"),
    )


def from_forget(message: sv.ForgetResponse) -> t.ForgetResult:
    """What was forgotten."""
    receipt = None
    if message.HasField("receipt"):
        created = from_timestamp(message.receipt, "create_time")
        receipt = t.ErasureReceipt(message.receipt.receipt_id, created, dict(message.receipt.counts))
    return t.ForgetResult(
        count=message.count,
        memory_ids=tuple(message.memory_ids),
        skipped_ids=tuple(message.skipped_ids),
        digest=message.digest,
        receipt=receipt,
    )


def from_stats(message: sv.StatsResponse) -> t.Stats:
    """Figures."""
    return t.Stats(
        total=message.total,
        counts=tuple(
            t.KindCount(
                from_enum(pb.MemoryKind, Kind, each.kind), from_enum(pb.MemoryState, State, each.state), each.count
            )
            for each in message.counts
        ),
        mean_confidence=message.mean_confidence,
        days=tuple(t.DayCount(from_timestamp(each, "day"), each.created, each.searches) for each in message.days),
        duplicates_skipped=message.duplicates_skipped,
        conflicts_open=message.conflicts_open,
        reviews_waiting=message.reviews_waiting,
        searches=message.searches,
        hit_rate=message.hit_rate,
        never_found=message.never_found,
        queue_depth=message.queue_depth,
        queue_age_seconds=message.queue_age_seconds,
        dead_jobs=message.dead_jobs,
        content_bytes=message.content_bytes,
        search_p50_milliseconds=message.search_p50_milliseconds,
        namespaces=message.namespaces,
        model_tokens=message.model_tokens,
        embedding_model=message.embedding_model,
    )
