"""Domain results as JSON and back, for the answers that a retry gets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter

from recalld_server.model import Json

T = TypeVar("T")

_adapters: dict[Any, TypeAdapter[Any]] = {}


def _adapter(kind: Any) -> TypeAdapter[Any]:
    # building one takes milliseconds, and there are as many as there are kinds of answers
    return _adapters.setdefault(kind, _adapters.get(kind) or TypeAdapter(kind))


def to_json(kind: type[T], value: T) -> Mapping[str, Json]:
    """A result of that type as a JSON object."""
    return {"answer": cast(Json, _adapter(kind).dump_python(value, mode="json"))}


def from_json(kind: type[T], answer: Mapping[str, Json]) -> T:
    """The result again. Raises pydantic.ValidationError when the type has changed incompatibly since."""
    return cast(T, _adapter(kind).validate_python(answer["answer"]))
