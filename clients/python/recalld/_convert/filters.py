"""Filters and ranges."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from google.protobuf.message import Message

from recalld._convert.build import build, from_enum, join, many, to_enum, to_enums
from recalld._convert.metadata import from_value, to_list, to_value
from recalld._convert.times import from_timestamp, to_timestamp
from recalld.enums import IndexState, Kind, State, Visibility, VisibilityLike
from recalld.errors import InvalidArgument
from recalld.filters import Condition, Filter, Operator, Range, RangeLike, TimeRange, TimeRangeLike
from recalld.v1 import memory_pb2 as pb

_VALUELESS = (Operator.EXISTS, Operator.MISSING, Operator.IS_NULL)


def to_filter(filter: Filter | None, path: str = "filter") -> pb.Filter | None:
    """The message of a filter; None stays None."""
    if filter is None:
        return None
    if not isinstance(filter, Filter):
        raise InvalidArgument.of(path, f"takes a Filter, not a {type(filter).__name__}")
    return build(
        pb.Filter,
        path,
        kinds=to_enums(pb.MemoryKind, Kind, filter.kinds, join(path, "kinds")),
        all_tags=many(filter.all_tags),
        any_tags=many(filter.any_tags),
        user_ids=many(filter.user_ids),
        session_ids=many(filter.session_ids),
        agent_ids=many(filter.agent_ids),
        any_entities=many(filter.any_entities),
        any_source_ids=many(filter.any_source_ids),
        states=to_enums(pb.MemoryState, State, filter.states, join(path, "states")),
        index_states=to_enums(pb.IndexState, IndexState, filter.index_states, join(path, "index_states")),
        visibility=to_enum(pb.Visibility, Visibility, filter.visibility, join(path, "visibility")),
        confidence=_to_range(filter.confidence, join(path, "confidence")),
        importance=_to_range(filter.importance, join(path, "importance")),
        event_time=to_time_range(filter.event_time, join(path, "event_time")),
        create_time=to_time_range(filter.create_time, join(path, "create_time")),
        metadata=[
            _to_condition(each, f"{join(path, 'metadata')}[{index}]")
            for index, each in enumerate(many(filter.metadata))
        ],
    )


def from_filter(message: pb.Filter) -> Filter:
    """The filter of a message."""
    visibility = from_enum(pb.Visibility, Visibility, message.visibility)
    return Filter(
        kinds=tuple(from_enum(pb.MemoryKind, Kind, each) for each in message.kinds),
        all_tags=tuple(message.all_tags),
        any_tags=tuple(message.any_tags),
        user_ids=tuple(message.user_ids),
        session_ids=tuple(message.session_ids),
        agent_ids=tuple(message.agent_ids),
        any_entities=tuple(message.any_entities),
        any_source_ids=tuple(message.any_source_ids),
        states=tuple(from_enum(pb.MemoryState, State, each) for each in message.states),
        index_states=tuple(from_enum(pb.IndexState, IndexState, each) for each in message.index_states),
        visibility=cast(VisibilityLike, visibility) if message.visibility else None,
        confidence=_from_range(message, "confidence"),
        importance=_from_range(message, "importance"),
        event_time=from_time_range(message, "event_time"),
        create_time=from_time_range(message, "create_time"),
        metadata=tuple(_from_condition(each) for each in message.metadata),
    )


def to_time_range(value: TimeRangeLike | None, path: str) -> pb.TimeRange | None:
    """The message of a half-open range of time."""
    if value is None:
        return None
    start, end = _pair(value, path)
    return pb.TimeRange(
        start=to_timestamp(cast("datetime | None", start), join(path, "start")),
        end=to_timestamp(cast("datetime | None", end), join(path, "end")),
    )


def from_time_range(message: Message, name: str) -> TimeRange | None:
    """The range in a message's field; None when it is unset."""
    if not message.HasField(name):
        return None
    value: pb.TimeRange = getattr(message, name)
    return TimeRange(from_timestamp(value, "start"), from_timestamp(value, "end"))


def _to_range(value: RangeLike | None, path: str) -> pb.DoubleRange | None:
    if value is None:
        return None
    low, high = _pair(value, path)
    return build(pb.DoubleRange, path, min=low, max=high)


def _from_range(message: pb.Filter, name: str) -> Range | None:
    if not message.HasField(name):  # type: ignore[arg-type]
        return None
    value: pb.DoubleRange = getattr(message, name)
    return Range(value.min if value.HasField("min") else None, value.max if value.HasField("max") else None)


def _pair(value: object, path: str) -> tuple[object, object]:
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise InvalidArgument.of(path, "takes a pair, None for a side that is open")
    return value[0], value[1]


def _to_condition(condition: Condition, path: str) -> pb.MetadataCondition:
    if not isinstance(condition, Condition):
        raise InvalidArgument.of(path, 'takes conditions such as where("rank") > 9')
    value = values = None
    if condition.operator is Operator.IN:
        values = to_list(cast("list[object]", condition.value), join(path, "values"))
    elif condition.operator not in _VALUELESS:
        value = to_value(condition.value, join(path, "value"))
    operator = pb.MetadataOperator.Value(f"METADATA_OPERATOR_{condition.operator.name}")
    return build(pb.MetadataCondition, path, path=condition.path, operator=operator, value=value, values=values)


def _from_condition(message: pb.MetadataCondition) -> Condition:
    operator = Operator[pb.MetadataOperator.Name(message.operator).removeprefix("METADATA_OPERATOR_")]
    value = from_value(message.value)
    if operator is Operator.IN:
        value = [from_value(each) for each in message.values.values]
    return Condition(tuple(message.path), operator, value)
