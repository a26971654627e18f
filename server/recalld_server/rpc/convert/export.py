"""Records of an export: the message, and the line of a file that says the same in protobuf's JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from google.protobuf import json_format

from recalld.v1 import memory_pb2
from recalld.v1 import namespace_service_pb2 as pb
from recalld_server.core.moving import Exported
from recalld_server.errors import InvalidField
from recalld_server.model import IndexState, Kind, Memory, Revision, State, Visibility, utc_now
from recalld_server.rpc.convert import metadata
from recalld_server.rpc.convert.memory import memory as to_memory
from recalld_server.rpc.convert.memory import revision as to_revision
from recalld_server.rpc.convert.memory import tool_calls
from recalld_server.rpc.convert.values import enum_or, optional_time, optional_uuid, prose, uuid, uuids
from recalld_server.rpc.validation import check
from recalld_server.store.base import Kept, Vector

VERSION = 1
"""Of the shape of a record; a change that an older server would misread makes it one more."""
LARGEST_REVISION = 2**53
LARGEST_USE_COUNT = 2**31 - 1

_WRITTEN = frozenset(
    {
        *("content", "kind", "visibility", "user_id", "session_id", "speaker", "tags", "entities", "tool_calls"),
        *("importance", "confidence", "counterfactual"),
    }
)
"""Fields that a writer gives, for which the contract's rules of a write hold."""


def export_record(value: Exported) -> pb.ExportRecord:
    """A record as it is sent."""
    kept = value.kept
    return pb.ExportRecord(
        version=VERSION,
        memory=to_memory(kept.memory),
        vector=[] if kept.vector is None else kept.vector.tolist(),
        text_vector=[] if kept.text_vector is None else kept.text_vector.tolist(),
        embedding_model=value.embedding_model,
        revisions=[to_revision(each) for each in kept.revisions],
    )


def exported(message: pb.ExportRecord, path: str = "record") -> Exported:
    """What a record holds. Raises InvalidField, InvalidRequest."""
    if message.version != VERSION:
        raise InvalidField(f"{path}.version", f"is {message.version}: this server reads version {VERSION}")
    revisions = []
    for place, each in enumerate(message.revisions):
        memory = _memory(each.memory, f"{path}.revisions[{place}].memory")
        revisions.append(
            Revision(memory, _short(each.action), _short(each.actor), prose(each.reason), memory.update_time)
        )
    kept = Kept(
        _memory(message.memory, f"{path}.memory"),
        tuple(revisions),
        _vector(message.vector, f"{path}.vector"),
        _vector(message.text_vector, f"{path}.text_vector"),
    )
    return Exported(kept, message.embedding_model)


def to_line(value: Exported) -> str:
    """One line of JSON, without its end; the same as the clients write."""
    return json_format.MessageToJson(
        export_record(value), preserving_proto_field_name=True, indent=None, ensure_ascii=False
    )


def from_line(line: str) -> Exported:
    """What a line holds. Raises InvalidField."""
    try:
        message = json_format.Parse(line, pb.ExportRecord())
    except json_format.ParseError:
        # the parser's message repeats the text
        raise InvalidField("record", "is not a line of JSON that an export wrote") from None
    return exported(message)


def _memory(message: memory_pb2.Memory, path: str) -> Memory:
    check(_as_written(message), path)
    now = utc_now()
    dot = f"{path}."
    created = optional_time(message, "create_time", dot) or now
    if not 0 <= message.use_count <= LARGEST_USE_COUNT:
        raise InvalidField(f"{dot}use_count", f"must be from 0 to {LARGEST_USE_COUNT:,}")
    if not 0 <= message.revision < LARGEST_REVISION:
        raise InvalidField(f"{dot}revision", f"must be from 1 to {LARGEST_REVISION:,}")
    if message.state not in set(State) | {0}:
        raise InvalidField(f"{dot}state", "is not one of the values of this field")
    memory = Memory(
        memory_id=uuid(message.memory_id, f"{dot}memory_id"),
        namespace=message.namespace,
        content=message.content,
        kind=enum_or(Kind, message.kind, Kind.SEMANTIC),
        state=enum_or(State, message.state, State.ACTIVE),
        visibility=enum_or(Visibility, message.visibility, Visibility.SHARED),
        agent_id=_short(message.agent_id),
        create_time=created,
        update_time=optional_time(message, "update_time", dot) or created,
        event_time=optional_time(message, "event_time", dot) or created,
        revision=message.revision or 1,
    )
    return replace(
        memory,
        user_id=message.user_id,
        session_id=message.session_id,
        speaker=message.speaker,
        tags=tuple(message.tags),
        entities=tuple(message.entities),
        tool_calls=tool_calls(message.tool_calls),
        importance=message.importance,
        confidence=message.confidence,
        metadata=metadata.to_json(message.metadata, f"{dot}metadata") if message.HasField("metadata") else {},
        counterfactual=prose(message.counterfactual),
        source_ids=uuids(message.source_ids, f"{dot}source_ids"),
        superseded_by=optional_uuid(message.superseded_by, f"{dot}superseded_by"),
        supersedes=uuids(message.supersedes, f"{dot}supersedes"),
        conflicts_with=uuids(message.conflicts_with, f"{dot}conflicts_with"),
        expire_time=optional_time(message, "expire_time", dot),
        valid_from=optional_time(message, "valid_from", dot),
        valid_until=optional_time(message, "valid_until", dot),
        use_count=message.use_count,
        last_use_time=optional_time(message, "last_use_time", dot),
        index_state=IndexState.INDEXED,
    )


def _as_written(message: memory_pb2.Memory) -> memory_pb2.MemoryInput:
    """What a writer would have given for it, so that the same rules hold."""
    given = memory_pb2.MemoryInput()
    for field, value in message.ListFields():
        if field.name not in _WRITTEN:
            continue
        if field.is_repeated:
            getattr(given, field.name).extend(value)
        else:
            setattr(given, field.name, value)
    return given


def _vector(values: Iterable[float], path: str) -> Vector | None:
    vector = np.fromiter(values, np.float32)
    if not vector.size:
        return None
    if not np.isfinite(vector).all() or not math.isfinite(norm := float(np.linalg.norm(vector))) or norm < 1e-6:
        raise InvalidField(path, "must hold finite numbers, not all of them zero")
    return vector


def _short(text: str) -> str:
    return prose(text)[:200]
