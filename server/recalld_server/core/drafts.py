"""From what a caller says to what is stored: cleaned, checked, with every default filled in."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from recalld_server.core.importance import score_importance
from recalld_server.errors import BlankContent, ContentTooLarge, InvalidField
from recalld_server.model import (
    Draft,
    IndexState,
    Kind,
    Memory,
    Scope,
    State,
    ToolStatus,
    Visibility,
    new_id,
)
from recalld_server.text.clean import clean, content_hash, is_blank
from recalld_server.text.entities import extract_entities


@dataclass(frozen=True, slots=True)
class Prepared:
    """A draft that may be stored: the memory as it would be, and the hash by which its like is known."""

    memory: Memory
    content_hash: bytes
    chosen_id: bool
    """The caller chose the id: writing it again is a DUPLICATE, another text under it an error."""


def checked_content(text: str, limit: int, field: str) -> str:
    """The cleaned text. Raises BlankContent, ContentTooLarge."""
    if len(text.encode("utf-8", "replace")) > limit:
        raise ContentTooLarge(field, limit, len(text.encode("utf-8", "replace")))
    cleaned = clean(text)
    if is_blank(cleaned):
        raise BlankContent(field)
    return cleaned


def prepare(draft: Draft, scope: Scope, *, default_visibility: Visibility, limit: int, now: datetime) -> Prepared:
    """The memory that a draft would become. Raises InvalidField."""
    content = checked_content(draft.content, limit, "memory.content")
    event_time = draft.event_time or now
    if draft.expire_time is not None and draft.expire_time <= now:
        raise InvalidField("memory.expire_time", "has passed: give a time in the future, or leave it unset")
    if draft.valid_until is not None and draft.valid_until < (draft.valid_from or event_time):
        raise InvalidField("memory.valid_until", "is before valid_from")
    failed = any(call.status in (ToolStatus.ERROR, ToolStatus.TIMEOUT) for call in draft.tool_calls)
    importance = draft.importance
    if importance is None:
        importance = score_importance(content, draft.kind.name.lower(), failed)
    memory = Memory(
        memory_id=draft.memory_id or new_id(),
        namespace=scope.namespace,
        content=content,
        kind=draft.kind,
        state=State.ACTIVE,
        visibility=draft.visibility or default_visibility,
        agent_id=scope.agent_id,
        create_time=now,
        update_time=now,
        event_time=event_time,
        revision=1,
        user_id=draft.user_id,
        session_id=draft.session_id,
        speaker=draft.speaker,
        tags=draft.tags,
        entities=draft.entities or tuple(extract_entities(content)),
        tool_calls=draft.tool_calls,
        importance=importance,
        confidence=draft.confidence,
        metadata=draft.metadata,
        counterfactual=draft.counterfactual,
        source_ids=draft.source_ids,
        expire_time=draft.expire_time,
        valid_from=draft.valid_from or event_time,
        valid_until=draft.valid_until,
        index_state=IndexState.INDEXED,
    )
    return Prepared(memory, identity(memory), draft.memory_id is not None)


def identity(memory: Memory) -> bytes:
    """The hash by which a live memory of the same says the same. Events are told apart by session, speaker and, where
    one was given, time: the same build can fail twice, and two people can both say thanks."""
    text = content_hash(memory.content)
    if memory.kind is not Kind.EPISODIC:
        return text
    time = "" if memory.event_time == memory.create_time else memory.event_time.isoformat()
    return hashlib.sha256(text + repr((memory.session_id, memory.speaker, time)).encode()).digest()


def waiting(prepared: Prepared) -> Prepared:
    """The same, to be indexed later."""
    return replace(prepared, memory=replace(prepared.memory, index_state=IndexState.PENDING))


MUTABLE = frozenset(
    {
        "content",
        "kind",
        "user_id",
        "session_id",
        "speaker",
        "tags",
        "entities",
        "tool_calls",
        "importance",
        "confidence",
        "metadata",
        "counterfactual",
        "event_time",
        "expire_time",
        "valid_from",
        "valid_until",
    }
)
"""What an update may change. Owner, namespace, tenant, visibility and state are not among them."""


def changed(memory: Memory, changes: Mapping[str, object], *, limit: int, now: datetime) -> Memory:
    """The memory with these fields changed and nothing else. Raises InvalidField."""
    for name in changes:
        if name not in MUTABLE:
            raise InvalidField("update_mask", f"{name} cannot be changed; these can: {', '.join(sorted(MUTABLE))}")
    values = dict(changes)
    if "content" in values:
        values["content"] = checked_content(str(values["content"]), limit, "memory.content")
        values.setdefault("entities", tuple(extract_entities(str(values["content"]))))
    if isinstance(expire_time := values.get("expire_time"), datetime) and expire_time <= now:
        raise InvalidField("memory.expire_time", "has passed: use Forget, or leave it unset for never")
    if "event_time" in values and values["event_time"] is None:
        raise InvalidField("memory.event_time", "is needed")
    if "valid_from" in values and values["valid_from"] is None:
        values["valid_from"] = values.get("event_time", memory.event_time)
    result: Memory = replace(memory, **values, update_time=now, revision=memory.revision + 1)  # type: ignore[arg-type]
    if result.valid_until is not None and result.valid_from is not None and result.valid_until < result.valid_from:
        raise InvalidField("memory.valid_until", "is before valid_from")
    return result


def is_episodic(kind: Kind) -> bool:
    """EPISODIC memories are compared among themselves, all others together."""
    return kind is Kind.EPISODIC
