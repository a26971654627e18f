"""Filters: which memories are meant."""

from __future__ import annotations

from recalld.v1 import memory_pb2
from recalld_server.errors import InvalidField
from recalld_server.model import (
    Filter,
    IndexState,
    Json,
    Kind,
    MetadataCondition,
    NumberSpan,
    Operator,
    State,
    TimeSpan,
    Visibility,
)
from recalld_server.rpc.convert import metadata
from recalld_server.rpc.convert.values import number_span, optional_enum, time_span, uuids

ORDERED = frozenset({Operator.LT, Operator.LE, Operator.GT, Operator.GE})
MAX_VALUES = 1000
"""Values of an IN."""


def filter_of(message: memory_pb2.Filter, path: str = "filter") -> Filter:
    """Raises InvalidField with paths below `path`, such as `filter.metadata[0].value`."""
    return Filter(
        kinds=tuple(Kind(each) for each in message.kinds),
        all_tags=tuple(message.all_tags),
        any_tags=tuple(message.any_tags),
        user_ids=tuple(message.user_ids),
        session_ids=tuple(message.session_ids),
        agent_ids=tuple(message.agent_ids),
        any_entities=tuple(message.any_entities),
        states=tuple(State(each) for each in message.states),
        index_states=tuple(IndexState(each) for each in message.index_states),
        visibility=optional_enum(Visibility, message.visibility),
        confidence=number_span(message.confidence, f"{path}.confidence")
        if message.HasField("confidence")
        else NumberSpan(),
        importance=number_span(message.importance, f"{path}.importance")
        if message.HasField("importance")
        else NumberSpan(),
        event_time=time_span(message.event_time, f"{path}.event_time")
        if message.HasField("event_time")
        else TimeSpan(),
        create_time=time_span(message.create_time, f"{path}.create_time")
        if message.HasField("create_time")
        else TimeSpan(),
        any_source_ids=uuids(message.any_source_ids, f"{path}.any_source_ids"),
        metadata=tuple(_condition(each, f"{path}.metadata[{place}]") for place, each in enumerate(message.metadata)),
    )


def _condition(message: memory_pb2.MetadataCondition, path: str) -> MetadataCondition:
    operator = Operator(message.operator)
    value: Json = None
    if message.HasField("value"):
        value = metadata.value_to_json(message.value, f"{path}.value")
    elif message.HasField("values"):
        if len(message.values.values) > MAX_VALUES:
            raise InvalidField(f"{path}.values", f"must hold no more than {MAX_VALUES:,} values")
        value = metadata.list_to_json(message.values, f"{path}.values")
    if operator in ORDERED and (isinstance(value, bool) or not isinstance(value, int | float | str)):
        raise InvalidField(f"{path}.value", f"must be a number or a string, since {operator.name} needs an order")
    return MetadataCondition(tuple(message.path), operator, value)
