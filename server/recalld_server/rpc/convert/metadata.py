"""The caller's own data: protobuf Struct to JSON and back.

A Struct holds every number as a double. An integral double within ±(2^53 − 1) is an int here, so that 1 comes back as 1;
beyond that a double cannot say which integer was meant, so it is refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from google.protobuf.struct_pb2 import ListValue, Struct, Value

from recalld_server.errors import InvalidField
from recalld_server.model import Json
from recalld_server.rpc.validation import CONTROL

MAX_SAFE_INTEGER = 2**53 - 1
MAX_DEPTH = 16
MAX_BYTES = 64 * 1024
MAX_KEY = 128


def to_json(struct: Struct, path: str) -> dict[str, Json]:
    """Raises InvalidField with the path of the key, such as `memory.metadata.nested.a[1]`."""
    if (size := struct.ByteSize()) > MAX_BYTES:
        raise InvalidField(path, f"is {size:,} bytes, over the limit of {MAX_BYTES:,}")
    return _object(struct, path, 1)


def value_to_json(value: Value, path: str) -> Json:
    """One value, under the same rules."""
    return _value(value, path, 1)


def list_to_json(values: ListValue, path: str) -> list[Json]:
    """A list of values, under the same rules."""
    return _list(values, path, 1)


def to_struct(data: Mapping[str, Json]) -> Struct:
    """The Struct that holds the data."""
    struct = Struct()
    fill(struct, data)
    return struct


def fill(struct: Struct, data: Mapping[str, Json]) -> None:
    """As `to_struct`, into a message where it stands."""
    fields = struct.fields
    for key, value in data.items():
        _set(fields[key], value)


def _object(struct: Struct, path: str, depth: int) -> dict[str, Json]:
    _check_depth(path, depth)
    result: dict[str, Json] = {}
    for key, value in struct.fields.items():
        if not 1 <= len(key) <= MAX_KEY:
            problem = "an empty key" if not key else f"a key of {len(key):,} characters"
            raise InvalidField(path, f"has {problem}: keys have 1 to {MAX_KEY} characters")
        if CONTROL.search(key):
            raise InvalidField(path, "has a key that holds control characters")
        result[key] = _value(value, _step(path, key), depth)
    return result


def _list(values: ListValue, path: str, depth: int) -> list[Json]:
    _check_depth(path, depth)
    return [_value(value, f"{path}[{place}]", depth) for place, value in enumerate(values.values)]


def _value(value: Value, path: str, depth: int) -> Json:
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        text = value.string_value
        if "\x00" in text:
            raise InvalidField(path, "holds a NUL character, which cannot be stored: remove it")
        return text
    if kind == "number_value":
        return _number(value.number_value, path)
    if kind == "bool_value":
        return value.bool_value
    if kind == "null_value":
        return None
    if kind == "struct_value":
        return _object(value.struct_value, path, depth + 1)
    if kind == "list_value":
        return _list(value.list_value, path, depth + 1)
    raise InvalidField(path, "has no value: give null to say so")


def _number(number: float, path: str) -> int | float:
    if not math.isfinite(number):
        raise InvalidField(path, f"is {number}, which is not a JSON number")
    if not number.is_integer():
        return number
    if abs(number) > MAX_SAFE_INTEGER:
        raise InvalidField(path, "is an integer beyond ±(2^53 − 1), which would lose digits: send it as a string")
    return int(number)


def _check_depth(path: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise InvalidField(path, f"is nested more than {MAX_DEPTH} levels deep")


def _step(path: str, key: str) -> str:
    return f"{path}.{key}" if key.isidentifier() else f'{path}["{key}"]'


def _set(target: Value, value: Json) -> None:
    if value is None:
        target.null_value = 0  # type: ignore[assignment]
    elif isinstance(value, bool):
        target.bool_value = value
    elif isinstance(value, int | float):
        target.number_value = value
    elif isinstance(value, str):
        target.string_value = value
    elif isinstance(value, Mapping):
        target.struct_value.SetInParent()
        fill(target.struct_value, value)
    elif isinstance(value, Sequence):
        target.list_value.SetInParent()
        for each in value:
            _set(target.list_value.values.add(), each)
