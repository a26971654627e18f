"""A request for any RPC of the contract, made from its descriptor, about a namespace and the things in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.descriptor import Descriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from recalld_server.rpc.validation import check

PLACES = frozenset({"namespace", "namespaces", "name", "confirm", "parent"})
"""Fields that say where."""
IDS = frozenset(
    {
        "memory_id",
        "memory_ids",
        "session_id",
        "reflection_id",
        "review_id",
        "grant_id",
        "key_id",
        "search_id",
        "chosen_id",
    }
)
"""Fields that say which."""
SAMPLES: Mapping[str, Any] = {
    "content": "一句话 a sentence",
    "query": "秘密 secret",
    "roles": [1],
    "role": 1,
    "decision": 1,
    "version": 1,
    "kind": 3,
}
"""What else a request may need, by the name of the field."""
INSIDE = frozenset({"scope", "memory", "memories", "turns", "grant", "record", "variables", "update_mask"})
"""Messages that are filled in; others are left out."""
MASKS = {"UpdateRequest": "content", "UpdateNamespaceRequest": "description"}
UNASKED = {
    ("ResolveReviewRequest", "content"),
    ("ResolveReviewRequest", "chosen_id"),
    ("Grant", "grant_id"),
    ("MemoryInput", "memory_id"),
    ("MemoryInput", "session_id"),
    ("Memory", "session_id"),
}
"""What the sampled decision does not take, and ids that would be new ones."""


def ask(method: MethodDescriptor, namespace: str, ids: Mapping[str, str], *, valid: bool = True) -> Message:
    """A request that keeps every rule of the contract, provided the namespace's name does; else the test that builds it
    fails and says what a new RPC needs."""
    request = _filled(method.input_type, method.input_type.name, namespace, ids)
    if valid:
        check(request)
    return request


def places(method: MethodDescriptor) -> list[str]:
    """The paths of the fields that say where, the grantee's own fields apart."""
    return [path for path in _paths(method.input_type) if path.rpartition(".")[2] in PLACES]


def has_ids(method: MethodDescriptor) -> bool:
    """Whether it asks for a thing by an id that the server gave; a session's is the caller's own word."""
    return any(path.rpartition(".")[2] in IDS - {"session_id"} for path in _paths(method.input_type))


def _paths(descriptor: Descriptor, prefix: str = "") -> list[str]:
    found = []
    for field in descriptor.fields:
        if field.message_type is not None and field.name == "grant":
            found += _paths(field.message_type, f"{prefix}{field.name}.")
        elif (descriptor.name, field.name) not in UNASKED:
            found.append(prefix + field.name)
    return found


def _filled(descriptor: Descriptor, root: str, namespace: str, ids: Mapping[str, str]) -> Message:
    message = GetMessageClass(descriptor)()
    for field in descriptor.fields:
        name = field.name
        given: object = None
        if name == "update_mask":
            getattr(message, name).paths.append(MASKS[root])
        elif name == "variables":
            getattr(message, name)["城市"] = "上海"
        elif name == "role" and descriptor.name == "Turn":
            given = 1
        elif field.message_type is not None:
            if name in INSIDE:
                inner = _filled(field.message_type, root, namespace, ids)
                if field.is_repeated:
                    getattr(message, name).append(inner)
                else:
                    getattr(message, name).CopyFrom(inner)
        elif name in PLACES:
            given = namespace
        elif (descriptor.name, name) in UNASKED:
            pass
        elif name in IDS:
            given = ids.get(name.removesuffix("s") if field.is_repeated else name)
        elif name == "agent_id" and root in ("CreateGrantRequest", "CreateKeyRequest"):
            given = "eve"
        else:
            given = SAMPLES.get(name)
        if given is None:
            continue
        if field.is_repeated:
            getattr(message, name).extend(given if isinstance(given, list) else [given])
        else:
            setattr(message, name, given)
    return message
