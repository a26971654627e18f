"""The caller's own data: plain JSON values, kept exactly or refused with the path of what cannot be kept."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from google.protobuf.struct_pb2 import ListValue, NullValue, Struct, Value

from recalld._json import Json
from recalld.errors import InvalidArgument

LARGEST_INTEGER = 2**53 - 1
"""JSON numbers are doubles: beyond this an integer would silently become another."""
MAX_DEPTH = 30
"""Each level takes three of the hundred that protobuf reads."""


def to_struct(data: Mapping[str, Any] | None, path: str) -> Struct | None:
    """A Struct with exactly these values.

    Raises InvalidArgument with the path of the first value that is not JSON: NaN, an infinity, an integer beyond
    ±(2^53 − 1), a tuple, a set, a key that is not a text.
    """
    if data is None:
        return None
    if not isinstance(data, Mapping):
        raise InvalidArgument.of(path, f"takes a dict, not a {type(data).__name__}")
    return _struct(data, path, MAX_DEPTH)


def to_value(value: Any, path: str, depth: int = MAX_DEPTH) -> Value:
    """One JSON value, checked likewise."""
    if depth == 0:
        raise InvalidArgument.of(path, f"is nested more than {MAX_DEPTH} levels deep")
    if value is None:
        return Value(null_value=NullValue.NULL_VALUE)
    if isinstance(value, bool):
        return Value(bool_value=value)
    if isinstance(value, int):
        if abs(value) > LARGEST_INTEGER:
            raise InvalidArgument.of(
                path, "is an integer beyond ±(2^53 − 1), which JSON cannot hold: give it as a text"
            )
        return Value(number_value=value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidArgument.of(path, "is NaN or infinite, which JSON cannot hold")
        return Value(number_value=value)
    if isinstance(value, str):
        return Value(string_value=_text(value, path))
    if isinstance(value, Mapping):
        return Value(struct_value=_struct(value, path, depth - 1))
    if isinstance(value, list):
        return Value(list_value=to_list(value, path, depth - 1))
    hint = ": make it a list" if isinstance(value, tuple | set | frozenset) else ""
    raise InvalidArgument.of(path, f"takes JSON values, not a {type(value).__name__}{hint}")


def to_list(values: list[Any], path: str, depth: int = MAX_DEPTH) -> ListValue:
    """A list of JSON values, checked likewise."""
    return ListValue(values=[to_value(each, f"{path}[{index}]", depth) for index, each in enumerate(values)])


def _struct(data: Mapping[Any, Any], path: str, depth: int) -> Struct:
    fields: dict[str, Value] = {}
    for key, value in data.items():
        if not isinstance(key, str):
            raise InvalidArgument.of(path, f"takes texts as keys, not a {type(key).__name__}")
        place = f"{path}.{key}" if key.isidentifier() else f'{path}["{_printable(key)}"]'
        fields[_text(key, place)] = to_value(value, place, depth)
    return Struct(fields=fields)


def _text(value: str, path: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidArgument.of(path, "is not valid Unicode text: it holds half of a surrogate pair") from None
    return str(value)


def _printable(key: str) -> str:
    return key.encode(errors="backslashreplace").decode()


def from_struct(struct: Struct) -> dict[str, Json]:
    """Plain dicts, lists and scalars. A number without a fraction is an int."""
    return {key: from_value(value) for key, value in struct.fields.items()}


def from_value(value: Value) -> Json:
    """One plain value."""
    kind = value.WhichOneof("kind")
    if kind == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() and abs(number) <= LARGEST_INTEGER else number
    if kind == "string_value":
        return value.string_value
    if kind == "bool_value":
        return value.bool_value
    if kind == "struct_value":
        return from_struct(value.struct_value)
    if kind == "list_value":
        return [from_value(each) for each in value.list_value.values]
    return None
