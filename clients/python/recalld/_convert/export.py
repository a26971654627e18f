"""Records of an export."""

from __future__ import annotations

from datetime import datetime

from google.protobuf import json_format

from recalld._convert.build import build, join, to_enum
from recalld._convert.memories import from_memory, from_revision, to_tool_calls
from recalld._convert.metadata import to_struct
from recalld._convert.times import to_timestamp
from recalld.enums import IndexState, Kind, State, Visibility
from recalld.errors import InvalidArgument
from recalld.types import memories as t
from recalld.types.namespaces import ExportRecord
from recalld.v1 import memory_pb2 as pb
from recalld.v1 import namespace_service_pb2 as sv

_TIMES = ("create_time", "update_time", "event_time", "expire_time", "valid_from", "valid_until", "last_use_time")


def from_export_record(message: sv.ExportRecord) -> ExportRecord:
    """A record."""
    return ExportRecord(
        memory=from_memory(message.memory),
        vector=tuple(message.vector),
        embedding_model=message.embedding_model,
        revisions=tuple(from_revision(each) for each in message.revisions),
        version=message.version,
        text_vector=tuple(message.text_vector),
    )


def to_export_record(record: ExportRecord, path: str) -> sv.ExportRecord:
    """The message of a record."""
    if not isinstance(record, ExportRecord):
        raise InvalidArgument.of(path, f"takes an ExportRecord, not a {type(record).__name__}")
    return build(
        sv.ExportRecord,
        path,
        version=record.version,
        memory=_to_memory(record.memory, join(path, "memory")),
        vector=record.vector,
        text_vector=record.text_vector,
        embedding_model=record.embedding_model,
        revisions=[
            build(
                pb.MemoryRevision,
                f"{path}.revisions[{index}]",
                memory=_to_memory(each.memory, f"{path}.revisions[{index}].memory"),
                action=each.action,
                actor=each.actor,
                reason=each.reason,
                create_time=to_timestamp(each.create_time, f"{path}.revisions[{index}].create_time"),
            )
            for index, each in enumerate(record.revisions)
        ],
    )


def to_line(record: ExportRecord) -> str:
    """One line of JSON, in protobuf's mapping with the contract's field names."""
    message = to_export_record(record, "record")
    return json_format.MessageToJson(message, preserving_proto_field_name=True, indent=None, ensure_ascii=False)


def from_line(line: str) -> ExportRecord:
    """The record of one line; raises InvalidArgument for a line that is not one."""
    try:
        return from_export_record(json_format.Parse(line, sv.ExportRecord()))
    except json_format.ParseError:
        # The parser's message repeats the text.
        raise InvalidArgument.of("record", "is not a line of JSON that an export wrote") from None


def _to_memory(memory: t.Memory, path: str) -> pb.Memory:
    times: dict[str, datetime | None] = {name: getattr(memory, name) for name in _TIMES}
    return build(
        pb.Memory,
        path,
        memory_id=memory.memory_id,
        namespace=memory.namespace,
        content=memory.content,
        kind=to_enum(pb.MemoryKind, Kind, _said(memory.kind), join(path, "kind")),
        state=to_enum(pb.MemoryState, State, _said(memory.state), join(path, "state")),
        visibility=to_enum(pb.Visibility, Visibility, _said(memory.visibility), join(path, "visibility")),
        agent_id=memory.agent_id,
        user_id=memory.user_id,
        session_id=memory.session_id,
        speaker=memory.speaker,
        tags=memory.tags,
        entities=memory.entities,
        tool_calls=to_tool_calls(memory.tool_calls, join(path, "tool_calls")),
        importance=memory.importance,
        confidence=memory.confidence,
        metadata=to_struct(memory.metadata, join(path, "metadata")),
        counterfactual=memory.counterfactual,
        source_ids=memory.source_ids,
        superseded_by=memory.superseded_by,
        supersedes=memory.supersedes,
        conflicts_with=memory.conflicts_with,
        revision=memory.revision,
        etag=memory.etag,
        use_count=memory.use_count,
        index_state=to_enum(pb.IndexState, IndexState, _said(memory.index_state), join(path, "index_state")),
        index_error=memory.index_error,
        **{name: to_timestamp(value, join(path, name)) for name, value in times.items()},
    )


def _said(word: str) -> str | None:
    return None if word == "unspecified" else word
