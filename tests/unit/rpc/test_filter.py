from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from google.protobuf import struct_pb2
from hypothesis import given
from hypothesis import strategies as st

from recalld.v1 import memory_pb2
from recalld_server.errors import InvalidField
from recalld_server.model import (
    Filter,
    IndexState,
    Kind,
    MetadataCondition,
    NumberSpan,
    Operator,
    State,
    TimeSpan,
    Visibility,
)
from recalld_server.rpc.convert import filter_of
from recalld_server.rpc.convert.values import from_time_span


def condition(operator: int, value: Any = ..., *path: str) -> memory_pb2.MetadataCondition:
    message = memory_pb2.MetadataCondition(path=path or ["a"], operator=operator)  # type: ignore[arg-type]
    if isinstance(value, list):
        message.values.SetInParent()
        message.values.extend(value)
    elif value is not ...:
        struct = struct_pb2.Struct()
        struct.update({"v": value})
        message.value.CopyFrom(struct.fields["v"])
    return message


SOURCE = UUID(int=7)


def test_no_filter_restricts_nothing() -> None:
    assert filter_of(memory_pb2.Filter()) == Filter()


def test_every_part_is_taken() -> None:
    day = TimeSpan(datetime(2025, 3, 1, tzinfo=UTC), datetime(2025, 3, 2, tzinfo=UTC))
    message = memory_pb2.Filter(
        kinds=[memory_pb2.MEMORY_KIND_EPISODIC],
        all_tags=["一"],
        any_tags=["b"],
        user_ids=["u"],
        session_ids=["s"],
        agent_ids=["ada"],
        any_entities=["上海"],
        any_source_ids=[str(SOURCE)],
        states=[memory_pb2.MEMORY_STATE_ARCHIVED],
        index_states=[memory_pb2.INDEX_STATE_FAILED],
        visibility=memory_pb2.VISIBILITY_PRIVATE,
        confidence=memory_pb2.DoubleRange(min=0.5),
        importance=memory_pb2.DoubleRange(max=0.0),
        event_time=from_time_span(day),
        create_time=from_time_span(TimeSpan(end=day.end)),
        metadata=[condition(1, 3, "a.b", "类别")],
    )
    expected = Filter(
        kinds=(Kind.EPISODIC,),
        all_tags=("一",),
        any_tags=("b",),
        user_ids=("u",),
        session_ids=("s",),
        agent_ids=("ada",),
        any_entities=("上海",),
        any_source_ids=(SOURCE,),
        states=(State.ARCHIVED,),
        index_states=(IndexState.FAILED,),
        visibility=Visibility.PRIVATE,
        confidence=NumberSpan(0.5, None),
        importance=NumberSpan(None, 0.0),
        event_time=day,
        create_time=TimeSpan(None, day.end),
        metadata=(MetadataCondition(("a.b", "类别"), Operator.EQ, 3),),
    )
    assert filter_of(message) == expected
    empty = Filter()
    assert all(getattr(expected, field.name) != getattr(empty, field.name) for field in fields(Filter))
    assert len(fields(Filter)) == len(message.DESCRIPTOR.fields)


scalars = st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(st.characters(exclude_categories=["Cs", "Cc"]))


@given(scalars)
def test_a_value_keeps_its_type(value: Any) -> None:
    given_back = filter_of(memory_pb2.Filter(metadata=[condition(1, value)])).metadata[0].value
    assert (type(given_back), given_back) == (type(value), value)


def test_a_list_of_values_may_be_empty() -> None:
    found = filter_of(memory_pb2.Filter(metadata=[condition(7, []), condition(7, ["茶", 1, None])])).metadata
    assert [each.value for each in found] == [[], ["茶", 1, None]]


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (condition(1, float("nan")), "filter.metadata[0].value"),
        (condition(1, 2**60), "filter.metadata[0].value"),
        (condition(7, [1, float("inf")]), "filter.metadata[0].values[1]"),
        (condition(7, [1] * 1001), "filter.metadata[0].values"),
        (condition(3, True), "filter.metadata[0].value"),
        (condition(4, None), "filter.metadata[0].value"),
        (condition(5, {"a": 1}), "filter.metadata[0].value"),
        (condition(1, "a\x00"), "filter.metadata[0].value"),
    ],
)
def test_a_value_that_cannot_be_compared_is_refused(message: memory_pb2.MetadataCondition, field: str) -> None:
    with pytest.raises(InvalidField) as caught:
        filter_of(memory_pb2.Filter(metadata=[message]))
    assert caught.value.field == field
