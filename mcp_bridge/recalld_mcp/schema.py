"""Schemas in the plain form that the strictest clients take: no unions, no references, no combinators, no titles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_DROPPED = frozenset({"title", "$defs", "discriminator"})


def plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The same schema with its references written out and `X or null` said as an optional X.

    Raises ValueError for a union of two types, which has no plain form.
    """
    return _plain(schema, schema.get("$defs", {}))


def _plain(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        rest = {name: value for name, value in schema.items() if name != "$ref"}
        return _plain({**definitions[schema["$ref"].rpartition("/")[2]], **rest}, definitions)
    if "anyOf" in schema:
        arms = [arm for arm in schema["anyOf"] if arm.get("type") != "null"]
        if len(arms) != 1:
            raise ValueError(f"a union has no plain form: {schema}")
        rest = {name: value for name, value in schema.items() if name != "anyOf"}
        return _plain({**arms[0], **rest}, definitions)
    flat: dict[str, Any] = {}
    for name, value in schema.items():
        if name in _DROPPED or (name == "default" and value is None):
            continue
        if name == "properties":
            flat[name] = {key: _plain(each, definitions) for key, each in value.items()}
        elif name == "items" or (name == "additionalProperties" and isinstance(value, Mapping)):
            flat[name] = _plain(value, definitions)
        else:
            flat[name] = value
    return flat
