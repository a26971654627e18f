from __future__ import annotations

import math
from typing import Any

import pytest
from google.protobuf.struct_pb2 import ListValue, Struct, Value
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.errors import InvalidField
from recalld_server.model import Json
from recalld_server.rpc.convert.metadata import MAX_SAFE_INTEGER, list_to_json, to_json, to_struct, value_to_json

keys = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=128)
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: not number.is_integer())
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
)
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=10
)


def typed(value: Json) -> Any:
    """With the type beside each value, since 1 == 1.0 == True in Python."""
    if isinstance(value, dict):
        return {key: typed(each) for key, each in value.items()}
    if isinstance(value, list):
        return [typed(each) for each in value]
    return type(value).__name__, value


def sent(data: dict[str, Any]) -> Struct:
    return Struct.FromString(to_struct(data).SerializeToString())


@given(st.dictionaries(keys, values, max_size=4))
def test_what_is_given_comes_back(data: dict[str, Json]) -> None:
    assert typed(to_json(sent(data), "memory.metadata")) == typed(data)


def test_types_and_odd_keys_are_kept() -> None:
    data: dict[str, Json] = {
        "source.file": "a",
        "a": {"b": 1},
        "a.b": 2,
        "content-type": True,
        "my key": None,
        "类别": "茶",
        "$x": 1.5,
        "a/b": [],
        "q\"uote'": {},
        "k" * 128: -MAX_SAFE_INTEGER,
    }
    assert typed(to_json(sent(data), "memory.metadata")) == typed(data)


@pytest.mark.parametrize(
    ("data", "path"),
    [
        ({"score": math.nan}, "memory.metadata.score"),
        ({"score": math.inf}, "memory.metadata.score"),
        ({"nested": {"a": [1, -math.inf]}}, "memory.metadata.nested.a[1]"),
        ({"a.b": math.nan}, 'memory.metadata["a.b"]'),
        ({"类别": math.nan}, "memory.metadata.类别"),
        ({"order_id": float(2**53)}, "memory.metadata.order_id"),
        ({"order_id": float(-(2**63))}, "memory.metadata.order_id"),
        ({"": 1}, "memory.metadata"),
        ({"a": [{"": 1}]}, "memory.metadata.a[0]"),
        ({"k" * 129: 1}, "memory.metadata"),
        ({"nul\x00": 1}, "memory.metadata"),
        ({"bell\x07": 1}, "memory.metadata"),
        ({"text": "a\x00b"}, "memory.metadata.text"),
        ({"large": "茶" * 22_000}, "memory.metadata"),
    ],
)
def test_what_cannot_be_stored_is_refused_with_its_path(data: dict[str, Json], path: str) -> None:
    with pytest.raises(InvalidField) as caught:
        to_json(sent(data), "memory.metadata")
    assert caught.value.field == path


def test_a_large_integer_is_told_to_be_a_string() -> None:
    with pytest.raises(InvalidField, match="send it as a string"):
        to_json(sent({"order_id": 9007199254740993}), "memory.metadata")


def test_depth_is_limited() -> None:
    def nested(depth: int) -> dict[str, Json]:
        return {"a": nested(depth - 1)} if depth > 1 else {"leaf": 1}

    assert to_json(sent(nested(16)), "m") == nested(16)
    with pytest.raises(InvalidField, match="16 levels"):
        to_json(sent(nested(17)), "m")
    lists: Json = 1
    for _ in range(16):
        lists = [lists]
    with pytest.raises(InvalidField, match="16 levels"):
        to_json(sent({"a": lists}), "m")


def test_a_value_that_says_nothing_is_refused() -> None:
    with pytest.raises(InvalidField) as caught:
        to_json(Struct(fields={"a": Value()}), "memory.metadata")
    assert caught.value.field == "memory.metadata.a"


def test_single_values_and_lists() -> None:
    assert typed(value_to_json(Value(number_value=3), "v")) == ("int", 3)
    values = ListValue(values=[Value(string_value="茶"), Value(number_value=math.nan)])
    with pytest.raises(InvalidField) as caught:
        list_to_json(values, "filter.metadata[0].values")
    assert caught.value.field == "filter.metadata[0].values[1]"
