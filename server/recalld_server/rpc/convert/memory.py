"""Memories: what a caller writes, what is read back, and what an update changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

from google.protobuf.internal.containers import RepeatedCompositeFieldContainer

from recalld.v1 import memory_pb2, memory_service_pb2
from recalld_server.errors import InvalidField
from recalld_server.model import Draft, Kind, Memory, Revision, ToolCall, ToolStatus, Visibility, utc_now
from recalld_server.rpc.convert import metadata
from recalld_server.rpc.convert.values import (
    enum_or,
    fill_timestamp,
    optional_enum,
    optional_time,
    optional_uuid,
    prose,
    to_id,
    to_timestamp,
    uuids,
)

PATH = "memory."

ALIKE = (
    "namespace",
    "content",
    "agent_id",
    "user_id",
    "session_id",
    "speaker",
    "importance",
    "confidence",
    "counterfactual",
    "revision",
    "etag",
    "use_count",
    "index_error",
)
"""Fields of a memory that are the same in the contract and in the domain; an empty one is not sent."""
IDS = ("source_ids", "supersedes", "conflicts_with")
TIMES = ("create_time", "update_time", "event_time", "expire_time", "valid_from", "valid_until", "last_use_time")


def draft(message: memory_pb2.MemoryInput) -> Draft:
    """What a caller wants to write. Raises InvalidField."""
    expire_time = optional_time(message, "expire_time", PATH)
    if message.ttl_seconds:
        expire_time = utc_now() + timedelta(seconds=message.ttl_seconds)
    return Draft(
        content=message.content,
        kind=enum_or(Kind, message.kind, Kind.SEMANTIC),
        visibility=optional_enum(Visibility, message.visibility),
        user_id=message.user_id,
        session_id=message.session_id,
        speaker=message.speaker,
        tags=tuple(message.tags),
        entities=tuple(message.entities),
        tool_calls=tool_calls(message.tool_calls),
        importance=message.importance if message.HasField("importance") else None,
        confidence=message.confidence if message.HasField("confidence") else 1.0,
        metadata=metadata.to_json(message.metadata, "memory.metadata") if message.HasField("metadata") else {},
        counterfactual=prose(message.counterfactual),
        source_ids=uuids(message.source_ids, "memory.source_ids"),
        event_time=optional_time(message, "event_time", PATH),
        expire_time=expire_time,
        valid_from=optional_time(message, "valid_from", PATH),
        valid_until=optional_time(message, "valid_until", PATH),
        memory_id=optional_uuid(message.memory_id, "memory.memory_id"),
    )


def memory(value: Memory) -> memory_pb2.Memory:
    """A memory as it is sent."""
    message = memory_pb2.Memory()
    fill(message, value)
    return message


def fill(message: memory_pb2.Memory, value: Memory) -> None:
    """Puts a memory into an empty message where it stands, which saves the copies of a message made of messages."""
    message.memory_id = str(value.memory_id)
    message.kind = int(value.kind)  # type: ignore[assignment]
    message.state = int(value.state)  # type: ignore[assignment]
    message.visibility = int(value.visibility)  # type: ignore[assignment]
    message.index_state = int(value.index_state)  # type: ignore[assignment]
    for name in ALIKE:
        if given := getattr(value, name):
            setattr(message, name, given)
    message.tags.extend(value.tags)
    message.entities.extend(value.entities)
    fill_tool_calls(message.tool_calls, value.tool_calls)
    if value.metadata:
        metadata.fill(message.metadata, value.metadata)
    for name in IDS:
        getattr(message, name).extend(map(str, getattr(value, name)))
    message.superseded_by = to_id(value.superseded_by)
    for name in TIMES:
        if (moment := getattr(value, name)) is not None:
            fill_timestamp(getattr(message, name), moment)


def revision(value: Revision) -> memory_pb2.MemoryRevision:
    """One change of a memory as it is sent."""
    return memory_pb2.MemoryRevision(
        memory=memory(value.memory),
        action=value.action,
        actor=value.actor,
        reason=value.reason,
        create_time=to_timestamp(value.create_time),
    )


def changes(request: memory_service_pb2.UpdateRequest) -> dict[str, object]:
    """The new values of the fields that the mask names; `metadata_keys` maps single keys of the metadata to their new
    values, or to `...` to remove them. Raises InvalidField."""
    result: dict[str, object] = {}
    keys: dict[str, object] = {}
    if not request.update_mask.paths:
        raise InvalidField("update_mask", f"must name at least one field; these can change: {_CHANGEABLE}")
    for place, path in enumerate(request.update_mask.paths):
        if path.startswith("metadata."):
            keys[_key(path, place)] = ...
        elif path in _READERS:
            result[path] = _READERS[path](request.memory)
        else:
            raise InvalidField(f"update_mask.paths[{place}]", f"is no field that can change; these can: {_CHANGEABLE}")
    if keys:
        given = metadata.to_json(request.memory.metadata, "memory.metadata")
        result["metadata_keys"] = {key: given.get(key, ...) for key in keys}
    return result


def _key(path: str, place: int) -> str:
    key = path.removeprefix("metadata.")
    if not 1 <= len(key) <= metadata.MAX_KEY:
        raise InvalidField(f"update_mask.paths[{place}]", f"must name a key of 1 to {metadata.MAX_KEY} characters")
    return key


def fill_tool_calls(messages: RepeatedCompositeFieldContainer[memory_pb2.ToolCall], calls: Iterable[ToolCall]) -> None:
    """Adds the calls to a repeated field."""
    for call in calls:
        status: Any = int(call.status or 0)
        messages.add(tool=call.tool, status=status, arguments=call.arguments, error=call.error)


def tool_calls(messages: Iterable[memory_pb2.ToolCall]) -> tuple[ToolCall, ...]:
    """The tools that were called."""
    return tuple(
        ToolCall(each.tool, optional_enum(ToolStatus, each.status), prose(each.arguments), prose(each.error))
        for each in messages
    )


def _itself(name: str) -> Callable[[memory_service_pb2.MemoryUpdate], object]:
    return lambda message: getattr(message, name)


def _listed(name: str) -> Callable[[memory_service_pb2.MemoryUpdate], object]:
    return lambda message: tuple(getattr(message, name))


def _timed(name: str) -> Callable[[memory_service_pb2.MemoryUpdate], object]:
    return lambda message: optional_time(message, name, PATH)


_READERS: dict[str, Callable[[Any], object]] = {
    **{name: _itself(name) for name in ("content", "user_id", "session_id", "speaker", "importance", "confidence")},
    **{name: _listed(name) for name in ("tags", "entities")},
    **{name: _timed(name) for name in ("event_time", "expire_time", "valid_from", "valid_until")},
    "kind": lambda message: enum_or(Kind, message.kind, Kind.SEMANTIC),
    "tool_calls": lambda message: tool_calls(message.tool_calls),
    "counterfactual": lambda message: prose(message.counterfactual),
    "metadata": lambda message: metadata.to_json(message.metadata, "memory.metadata"),
}
_CHANGEABLE = ", ".join([*_READERS, "metadata.KEY"])
