"""Requests for any call of the contract, made from its descriptors: by shape right, by content anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import strategies as st

DEEPEST = 4
ODD_TEXTS = [
    "",
    " ",
    "　",
    "\u200b",
    "\x00",
    "a\x00b",
    "..",
    "a//b",
    "%_*",
    "'; DROP TABLE memories; --",
    "团队",
    "👨\u200d👩\u200d👧",
    "e\u0301",
    "\u202eabc",
    "x" * 5000,
    "00000000-0000-0000-0000-000000000000",
    "metadata.a",
    "content",
    "UTC",
    "Mars/Olympus",
    "0 3 * * *",
]
LONGS = [0, 1, -1, 2**31, 2**53, 2**63 - 1, -(2**63), 253_402_300_799, 253_402_300_800, -62_135_596_801]
NUMBERS = [0.0, -0.0, 0.5, 1.0, 1.01, -1.0, 1e308, float("nan"), float("inf"), float("-inf")]
NANOS = [0, 1, 999_999_999, 1_000_000_000, -1]


def messages(descriptor: Descriptor, known: Mapping[str, Sequence[str]], depth: int = 0) -> st.SearchStrategy[Message]:
    """Messages of this type. A text field whose name is in `known` mostly has one of those values, or hardly any request
    would get behind the checks that the contract itself makes."""

    @st.composite
    def build(draw: st.DrawFn) -> Message:
        message = GetMessageClass(descriptor)()
        for field in descriptor.fields:
            if field.name in known or draw(st.integers(0, 2)) == 0:
                _put(draw, message, field, known, depth)
        return message

    return build()


def _put(draw: st.DrawFn, message: Message, field: Any, known: Mapping[str, Sequence[str]], depth: int) -> None:
    target = getattr(message, field.name)
    times = draw(st.integers(1, 3)) if field.is_repeated else 1
    inner = field.message_type
    if inner is not None and inner.GetOptions().map_entry:
        if depth < DEEPEST:
            key = draw(st.sampled_from(ODD_TEXTS) | st.text(max_size=20))
            value = inner.fields_by_name["value"]
            if value.message_type is None:
                target[key] = draw(_scalar(value, known))
            else:
                target[key].CopyFrom(draw(messages(value.message_type, known, depth + 1)))
    elif inner is not None:
        if depth < DEEPEST:
            for _ in range(times):
                (target.add() if field.is_repeated else target).CopyFrom(draw(messages(inner, known, depth + 1)))
    elif field.is_repeated:
        target.extend(draw(_scalar(field, known)) for _ in range(times))
    else:
        setattr(message, field.name, draw(_scalar(field, known)))


def _scalar(field: Any, known: Mapping[str, Sequence[str]]) -> st.SearchStrategy[Any]:
    match field.type:
        case FieldDescriptor.TYPE_STRING:
            anything = st.sampled_from(ODD_TEXTS) | st.text(max_size=40)
            values = known.get(field.name)
            return st.one_of([st.sampled_from(list(values))] * 4 + [anything]) if values else anything
        case FieldDescriptor.TYPE_BOOL:
            return st.booleans()
        case FieldDescriptor.TYPE_DOUBLE | FieldDescriptor.TYPE_FLOAT:
            return st.sampled_from(NUMBERS) | st.floats(0, 1)
        case FieldDescriptor.TYPE_ENUM:
            return st.sampled_from([*(value.number for value in field.enum_type.values), 99, -1])
        case FieldDescriptor.TYPE_INT32:
            return (
                st.sampled_from(NANOS) | st.integers(0, 5)
                if field.name == "nanos"
                else st.integers(-1, 5) | st.integers(-(2**31), 2**31 - 1)
            )
        case FieldDescriptor.TYPE_INT64:
            return st.sampled_from(LONGS) | st.integers(1, 5)
    raise AssertionError(f"no values for a field of type {field.type}")
