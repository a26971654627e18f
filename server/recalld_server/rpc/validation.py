"""The rules that one message can decide: those of the contract, and characters that no stored name may hold."""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import protovalidate
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from recalld._vendor.buf.validate import validate_pb2
from recalld_server.errors import RecalldError
from recalld_server.rpc.calls import SERVICES
from recalld_server.rpc.status import InvalidRequest

Violation = tuple[str, str]
"""Path of the field, and what it must be."""

NAME = (
    "must be a name such as team/agent-1: parts joined by single slashes, each of lower-case letters, digits, dots, "
    "dashes and underscores, beginning and ending with a letter or digit"
)
PATTERNS = {
    "namespace": NAME,
    "namespaces": NAME,
    "name": NAME,
    "parent": NAME,
    "agent_id": "must be letters, digits and . _ : @ -, beginning and ending with a letter or digit",
}
DESCRIPTIONS = {
    "required": "is required",
    "string.uuid": "must be a UUID, such as 01890a5d-ac96-774b-bcce-b302099a8057",
    "string.not_contains": "must not hold two dots in a row",
    "enum.defined_only": "is not one of the values of this field",
    "enum.not_in": "must be given",
    "repeated.unique": "must not hold the same item twice",
    "bool.const": "must be true when given",
}
FIELDS = {
    "batch_write.size": "memories",
    "forget.ids_or_filter": "memory_ids",
    "forget.one_etag": "etag",
    "memory_input.one_expiry": "ttl_seconds",
    "metadata_condition.value": "value",
    "resolve_review.arguments": "decision",
    "delete_namespace.confirm": "confirm",
}
"""Where a rule about a whole message is reported."""

PROSE = frozenset({"content", "query", "counterfactual", "arguments", "error", "reason", "description"})
"""Texts for reading: control characters are removed from them, not refused."""
FREE_FORM = frozenset({"google.protobuf.Struct", "google.protobuf.Value", "google.protobuf.ListValue"})
"""Checked where they are converted."""
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")

_validator = protovalidate.Validator()


def check(message: Message | RecalldError, prefix: str = "") -> None:
    """Raises InvalidRequest with every rule that the message breaks, or the error that it was decoded into."""
    if isinstance(message, RecalldError):
        raise message
    found = [_described(violation, prefix) for violation in _validator.collect_violations(message)]
    found += _control_characters(message, prefix)
    if found:
        raise InvalidRequest(found)


def warm() -> None:
    """Compiles the rules of every request, which takes 30 ms for some at their first use, and lists the time zones."""
    for service in SERVICES:
        for method in service.methods:
            _validator.collect_violations(GetMessageClass(method.input_type)())
    time_zones()


@lru_cache(maxsize=1)
def time_zones() -> frozenset[str]:
    """The names of all IANA zones."""
    return frozenset(zoneinfo.available_timezones())


def _described(violation: protovalidate.Violation, prefix: str) -> Violation:
    proto: Any = violation.proto
    elements: Sequence[Any] = proto.field.elements if proto.field else []
    path = prefix
    for element in elements:
        path = _joined(path, element.field_name)
        if element.subscript is not None:
            value = element.subscript.value
            path += f'["{value}"]' if isinstance(value, str) else f"[{value}]"
    rule: str = proto.rule_id
    message: str = proto.message
    if rule in FIELDS:
        path = _joined(path, FIELDS[rule])
    if rule == "string.pattern":
        return path, PATTERNS.get(elements[-1].field_name, message)
    if rule == "string.min_len" and violation.rule_value == 1:
        return path, "must not be empty"
    return path, DESCRIPTIONS.get(rule, message)


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _control_characters(message: Message, prefix: str) -> Iterator[Violation]:
    strings, messages = _fields(message.DESCRIPTOR)
    for name, repeated in strings:
        value = getattr(message, name)
        for place, text in enumerate(value if repeated else (value,)):
            if (found := CONTROL.search(text)) is not None:
                at = f"{name}[{place}]" if repeated else name
                yield _joined(prefix, at), f"must not hold control characters; it holds U+{ord(found[0]):04X}"
    for name, repeated in messages:
        if repeated:
            for place, each in enumerate(getattr(message, name)):
                yield from _control_characters(each, _joined(prefix, f"{name}[{place}]"))
        elif message.HasField(name):
            yield from _control_characters(getattr(message, name), _joined(prefix, name))


@lru_cache(maxsize=512)
def _fields(descriptor: Descriptor) -> tuple[tuple[tuple[str, bool], ...], tuple[tuple[str, bool], ...]]:
    """The fields that can hold control characters, and those that can hold messages with such fields: name, repeated."""
    strings, messages = [], []
    for field in descriptor.fields:
        if field.GetOptions().Extensions[validate_pb2.field].ignore == validate_pb2.IGNORE_ALWAYS:
            continue  # judged by itself, so that the rest lands
        if field.type == FieldDescriptor.TYPE_STRING and field.name not in PROSE:
            strings.append((field.name, field.is_repeated))
        elif field.message_type is not None and field.message_type.full_name not in FREE_FORM:
            messages.append((field.name, field.is_repeated))
    return tuple(strings), tuple(messages)
