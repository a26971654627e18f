"""Rows as domain objects and back. A row that cannot be read is skipped and counted, never in the way of others."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from enum import IntEnum
from math import isfinite
from typing import Any
from uuid import UUID

from recalld_server.model import (
    IndexState,
    Json,
    Kind,
    Memory,
    Policy,
    Revision,
    State,
    ToolCall,
    ToolStatus,
    Visibility,
)
from recalld_server.store.base import NewMemory
from recalld_server.store.postgres.transaction import Row

MEMORY_COLUMNS = (
    *("memory_id", "content", "kind", "state", "visibility", "agent_id", "create_time", "update_time", "event_time"),
    *("revision", "user_id", "session_id", "speaker", "tags", "entities", "tool_calls", "importance", "confidence"),
    *("metadata", "counterfactual", "source_ids", "superseded_by", "supersedes", "conflicts_with", "expire_time"),
    *("valid_from", "valid_until", "use_count", "last_use_time", "index_state", "index_error"),
)
"""The columns of memories and revisions that make a Memory, in the order of its fields."""
COLUMNS = ", ".join(MEMORY_COLUMNS)
_EXPIRED = "CASE WHEN m.state = 1 AND m.expire_time <= {} THEN 6 ELSE m.state END AS state"


def of_m(now: str = "now()") -> str:
    """The columns of alias `m` as a reader sees them at that moment: ACTIVE past its expire_time is EXPIRED."""
    return ", ".join(_EXPIRED.format(now) if name == "state" else f"m.{name}" for name in MEMORY_COLUMNS)


_WIDTH = len(MEMORY_COLUMNS)
_TOOLS_AT, _METADATA_AT = map(MEMORY_COLUMNS.index, ("tool_calls", "metadata"))
_NUMBERS = tuple(map(MEMORY_COLUMNS.index, ("importance", "confidence")))
_ENUMS: tuple[tuple[int, dict[int, IntEnum]], ...] = tuple(
    (MEMORY_COLUMNS.index(name), {int(each): each for each in words})
    for name, words in (("kind", Kind), ("state", State), ("visibility", Visibility), ("index_state", IndexState))
)
_TIMES = tuple(at for at, name in enumerate(MEMORY_COLUMNS) if name.endswith(("_time", "_from", "_until")))
_LISTS = tuple(map(MEMORY_COLUMNS.index, ("tags", "entities", "source_ids", "supersedes", "conflicts_with")))


class Reader:
    """Makes memories from rows; `skipped` counts the rows that could not be read."""

    def __init__(self) -> None:
        self.skipped = 0

    def memory(self, row: Row, namespace: str) -> Memory | None:
        """The memory in a row that begins with MEMORY_COLUMNS."""
        try:
            return _memory(row, namespace)
        except (ValueError, KeyError, TypeError, AttributeError):
            self.skipped += 1
            return None

    def memories(self, rows: Iterable[Row], namespace: str) -> tuple[Memory, ...]:
        """Those that can be read, in order."""
        return tuple(m for row in rows if (m := self.memory(row, namespace)) is not None)

    def revisions(self, rows: Iterable[Row], namespace: str) -> tuple[Revision, ...]:
        """From rows with action, actor and reason after MEMORY_COLUMNS."""
        result = []
        for row in rows:
            memory = self.memory(row, namespace)
            if memory is not None:
                result.append(Revision(memory, row["action"], row["actor"], row["reason"], memory.update_time))
        return tuple(result)


def _memory(row: Row, namespace: str) -> Memory:
    v: list[Any] = list(row[:_WIDTH])
    for at in _TIMES:
        if v[at] is not None:
            v[at] = aware(v[at])
    for at, words in _ENUMS:
        v[at] = words[v[at]]
    for at in _LISTS:
        v[at] = tuple(v[at])
    for at in _NUMBERS:
        if not isfinite(v[at]):
            raise ValueError("not a number")
    v[_TOOLS_AT] = tool_calls_from_json(v[_TOOLS_AT])
    v[_METADATA_AT] = {} if v[_METADATA_AT] == "{}" else _object(v[_METADATA_AT])
    v.insert(1, namespace)
    return Memory(*v)


def aware(time: datetime) -> datetime:
    """The driver gives the infinities, which stand for the first and the last moment, without a zone."""
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


def _object(text: str) -> Mapping[str, Json]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError("not an object")
    return value


def _tool_call(value: Mapping[str, Any]) -> ToolCall:
    status = value.get("status")
    return ToolCall(value["tool"], ToolStatus(status) if status else None, value["arguments"], value["error"])


def tool_calls_from_json(text: str) -> tuple[ToolCall, ...]:
    """What `tool_calls_to_json` wrote."""
    return () if text == "[]" else tuple(_tool_call(each) for each in json.loads(text))


def tool_calls_to_json(calls: Sequence[ToolCall]) -> str:
    """The calls as a jsonb array."""
    return (
        "[]"
        if not calls
        else to_json(
            [
                {
                    "tool": c.tool,
                    "status": int(c.status) if c.status else None,
                    "arguments": c.arguments,
                    "error": c.error,
                }
                for c in calls
            ]
        )
    )


def to_json(value: object) -> str:
    """JSON text for a jsonb parameter. ValueError on NaN and infinities, which are not JSON."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def facet(prefix: str, value: object) -> int:
    """A tag, entity or source among a memory's terms: below 0, so that it is never taken for a token's id."""
    return -1 - (zlib.crc32(f"{prefix}:{value}".encode()) & 0x3FFFFFFF)


def facets(tags: Iterable[str], entities: Iterable[str], sources: Iterable[UUID]) -> set[int]:
    """All facets of a memory."""
    return {
        *(facet("tag", tag) for tag in tags),
        *(facet("entity", entity) for entity in entities),
        *(facet("source", source) for source in sources),
    }


def values(memory: Memory) -> tuple[object, ...]:
    """The values of MEMORY_COLUMNS."""
    m = memory
    return (
        *(m.memory_id, m.content, int(m.kind), int(m.state), int(m.visibility), m.agent_id),
        *(m.create_time, m.update_time, m.event_time, m.revision, m.user_id, m.session_id, m.speaker),
        *(m.tags, m.entities, tool_calls_to_json(m.tool_calls), m.importance, m.confidence),
        *(to_json(m.metadata) if m.metadata else "{}", m.counterfactual, m.source_ids, m.superseded_by),
        *(m.supersedes, m.conflicts_with, m.expire_time, m.valid_from, m.valid_until, m.use_count),
        *(m.last_use_time, int(m.index_state), m.index_error),
    )


def composite(new: NewMemory, request_key: list[str] | None = None) -> tuple[object, ...]:
    """The value of the type new_memory."""
    m, lexical = new.memory, new.lexical
    terms = [*sorted(facets(m.tags, m.entities, m.source_ids)), *lexical.terms]
    lex = (lexical.terms, lexical.weights)
    return (*values(m), new.content_hash, terms, lex, lexical.length, new.vector, new.text_vector, request_key)


_POLICY_TYPES = {each.name: each.type for each in fields(Policy)}


def policy_to_json(policy: Policy) -> str:
    """Only what is set."""
    return to_json({name: value for name in _POLICY_TYPES if (value := getattr(policy, name)) is not None})


def policy_from_json(text: str) -> Policy:
    """What is stored; names that this version does not know are passed over."""
    stored = {name: value for name, value in json.loads(text).items() if name in _POLICY_TYPES}
    if stored.get("default_visibility") is not None:
        stored["default_visibility"] = Visibility(stored["default_visibility"])
    return Policy(**stored)
