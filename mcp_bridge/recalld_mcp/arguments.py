"""Arguments as models send them: lenient in form, strict in meaning.

`"5"` and `5.0` are read as 5, a JSON text as the list or the object in it, null as absent. Whatever would change the
meaning is refused by its name: an argument that is not known, a blank scope, a number that is not whole.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

_INTEGER = re.compile(r"-?[0-9]{1,18}")
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")
_SWITCHES = {"true": True, "false": False}
_EXPECTED = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "string": "a text",
    "array": "a list",
    "object": "an object",
}


class ArgumentError(ValueError):
    """What is wrong with a call's arguments, one problem a line. Names fields and kinds of values, never a value."""


def read_arguments(schema: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as the plain `schema` means them. Raises ArgumentError with every problem at once."""
    problems: list[str] = []
    read = _object(schema, given, "", problems)
    if problems:
        raise ArgumentError("\n".join(problems))
    return read


class _Refusal(Exception):
    pass


def _object(schema: Mapping[str, Any], given: Mapping[str, Any], path: str, problems: list[str]) -> dict[str, Any]:
    properties: Mapping[str, Mapping[str, Any]] = schema["properties"]
    read: dict[str, Any] = {}
    for name, value in given.items():
        if name not in properties:
            problems.append(_unknown(f"{path}{name}", name, list(properties)))
        elif value is not None:
            try:
                read[name] = _value(properties[name], value, f"{path}{name}", problems)
            except _Refusal as refusal:
                problems.append(f"{path}{name}: {refusal}")
    for name in schema.get("required", ()):
        if given.get(name) is None:
            problems.append(f"{path}{name}: is required and takes {_EXPECTED[properties[name]['type']]}")
    return read


def _unknown(place: str, name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
    return f"{place[:100]}: is not an argument of this tool; {hint}"


def _value(schema: Mapping[str, Any], value: Any, path: str, problems: list[str]) -> Any:
    match schema["type"]:
        case "integer":
            return _bounded(schema, _integer(value))
        case "number":
            return _bounded(schema, _number(value))
        case "boolean":
            return _boolean(value)
        case "string":
            return _string(schema, value)
        case "array":
            return _array(schema, value, path, problems)
        case _:
            found = _from_json(value, dict, "object")
            return _object(schema, found, f"{path}.", problems) if "properties" in schema else found


def _integer(value: Any) -> int:
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return _refuse("integer", value)


def _number(value: Any) -> float:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return float(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return _refuse("number", value)


def _bounded(schema: Mapping[str, Any], value: float) -> float:
    low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    if not low <= value <= high:  # NaN is in no range
        raise _Refusal(f"takes {low} to {high}" if high < math.inf else f"takes {low} or more")
    return value


def _boolean(value: Any) -> bool:
    if isinstance(value, str) and value.lower() in _SWITCHES:
        return _SWITCHES[value.lower()]
    return value if isinstance(value, bool) else _refuse("boolean", value)


def _string(schema: Mapping[str, Any], value: Any) -> str:
    if not isinstance(value, str):
        return _refuse("string", value)
    words: Sequence[str] | None = schema.get("enum")
    if words is not None:
        # Enumerated words are lower-case; models like to shout them as the protocol's constants.
        if value.strip().lower() not in words:
            raise _Refusal(f"takes one of {', '.join(words)}")
        return value.strip().lower()
    if not value.strip():
        raise _Refusal("is blank: give a text, or leave it out")
    if len(value) > schema.get("maxLength", len(value)):
        raise _Refusal(f"takes at most {schema['maxLength']} characters, not {len(value)}")
    return value


def _array(schema: Mapping[str, Any], value: Any, path: str, problems: list[str]) -> list[Any]:
    found = _from_json(value, list, "array")
    if len(found) > schema.get("maxItems", len(found)):
        raise _Refusal(f"takes at most {schema['maxItems']} items, not {len(found)}")
    read = []
    for index, item in enumerate(found):
        try:
            read.append(_value(schema["items"], item, f"{path}[{index}]", problems))
        except _Refusal as refusal:
            problems.append(f"{path}[{index}]: {refusal}")
    return read


def _from_json(value: Any, kind: type[Any], expected: str) -> Any:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise _Refusal(
                f"takes {_EXPECTED[expected]}, or a text that holds one as JSON; this text does not"
            ) from None
    return value if isinstance(value, kind) else _refuse(expected, value)


def _refuse(expected: str, value: Any) -> NoReturn:
    raise _Refusal(f"takes {_EXPECTED[expected]}, not {_kind(value)}")


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text" if value else "an empty text"
    return "a list" if isinstance(value, list) else "an object"
