"""Domain results as JSON and back, for the answers that a retry gets."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter

from recalld_server.model import Json

T = TypeVar("T")


@lru_cache(maxsize=64)
def _adapter(kind: Hashable) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def to_json(kind: type[T], value: T) -> Mapping[str, Json]:
    """A result of that type as a JSON object."""
    return {"answer": cast(Json, _adapter(cast(Hashable, kind)).dump_python(value, mode="json"))}


def from_json(kind: type[T], answer: Mapping[str, Json]) -> T:
    """The result again. Raises pydantic.ValidationError when the type has changed incompatibly since."""
    return cast(T, _adapter(cast(Hashable, kind)).validate_python(answer["answer"], strict=False))
