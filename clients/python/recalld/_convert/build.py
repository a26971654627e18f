"""Builds messages so that a value of a wrong type or range becomes an InvalidArgument that names its field."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from google.protobuf.descriptor import EnumDescriptor
from google.protobuf.message import Message

from recalld.errors import InvalidArgument

M = TypeVar("M", bound=Message)
E = TypeVar("E", bound=StrEnum)


class EnumWrapper(Protocol):
    """An enum of the generated modules."""

    @property
    def DESCRIPTOR(self) -> EnumDescriptor: ...  # noqa: N802 - the generated name


def build(message_type: type[M], path: str = "", /, **fields: Any) -> M:
    """A message with these fields; None leaves a field unset.

    `path` is where the message stands in its request. Raises InvalidArgument with the path of the field whose value
    does not fit; the value itself, which may be private, is not repeated.
    """
    unknown = fields.keys() - message_type.DESCRIPTOR.fields_by_name.keys()
    if unknown:
        raise KeyError(f"{message_type.__name__} has no {', '.join(sorted(unknown))}")
    try:
        return message_type(**fields)
    except (TypeError, ValueError, OverflowError):  # UnicodeEncodeError, for lone surrogates, is a ValueError
        for name, value in fields.items():
            try:
                message_type(**{name: value})
            except (TypeError, ValueError, OverflowError):
                raise InvalidArgument.of(join(path, name), _complaint(value)) from None
        raise


def join(path: str, name: str) -> str:
    """The path of a field inside the message at `path`."""
    return f"{path}.{name}" if path else name


def _complaint(value: object) -> str:
    if isinstance(value, str):
        broken = any("\ud800" <= each <= "\udfff" for each in value)
        return "is not valid Unicode text: it holds half of a surrogate pair" if broken else "does not take a text"
    if isinstance(value, int) and not isinstance(value, bool):
        return "is out of range"
    return f"does not take a {type(value).__name__}, or not one with these items"


def many(value: Any) -> list[Any]:
    """One value, several or none, as a list. A text counts as one value."""
    if value is None:
        return []
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return list(value)
    return [value]


def to_enum(wrapper: EnumWrapper, kind: type[E], value: str | None, field: str) -> int | None:
    """The contract's number for a word such as "episodic" or Kind.EPISODIC; None stays None."""
    if value is None:
        return None
    try:
        word = kind(value.lower())
    except (ValueError, AttributeError):
        word = kind("unspecified")
    if word == "unspecified":
        words = ", ".join(repr(each.value) for each in kind if each != "unspecified")
        raise InvalidArgument.of(field, f"takes one of {words}")
    return int(wrapper.DESCRIPTOR.values_by_name[f"{_prefix(wrapper)}{word.name}"].number)


def to_enums(wrapper: EnumWrapper, kind: type[E], values: str | Iterable[str] | None, field: str) -> list[int]:
    """As `to_enum`, for one word, several or none."""
    numbers = (to_enum(wrapper, kind, value, field) for value in many(values))
    return [number for number in numbers if number is not None]


def from_enum(wrapper: EnumWrapper, kind: type[E], number: int) -> E:
    """The word for a number; UNSPECIFIED for one that this version does not know."""
    value = wrapper.DESCRIPTOR.values_by_number.get(number)
    word = "" if value is None else value.name.removeprefix(_prefix(wrapper))
    return kind.__members__.get(word, kind("unspecified"))


def _prefix(wrapper: EnumWrapper) -> str:
    return str(wrapper.DESCRIPTOR.values_by_number[0].name).removesuffix("UNSPECIFIED")
