"""Files of other programs as memories to write: plain text, chat logs, LoCoMo, the graph of the reference MCP server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from recalld.errors import InvalidArgument
from recalld.types.memories import MemoryInput, ToolCall

LONGEST_NAME = 200
"""Characters of a session, a speaker, a tag or an entity."""
_MILLISECONDS = 1e11
"""A number of a time from which on it counts milliseconds: as seconds it would be past the year 5000."""


class Shape(StrEnum):
    """What a file holds."""

    RECALL = "recall"
    TEXT = "text"
    OPENAI = "openai"
    LOCOMO = "locomo"
    MCP_GRAPH = "mcp-graph"


def guess(beginning: str) -> Shape:
    """What a file probably holds, by its first line or its first 64 KiB, whichever is more."""
    first = beginning.lstrip("\ufeff \t\r\n").partition("\n")[0]
    try:
        value = json.loads(first)
    except ValueError:
        if '"session_1"' in beginning and '"conversation"' in beginning:
            return Shape.LOCOMO
        if first[:1] not in ("{", "["):
            return Shape.TEXT
        # a broken file is refused with its line, not stored as text
        return Shape.OPENAI if '"role"' in beginning else Shape.RECALL if first.startswith("{") else Shape.TEXT
    if isinstance(value, list):
        value = value[0] if value else {}
    if not isinstance(value, dict):
        return Shape.TEXT
    if value.get("type") in ("entity", "relation"):
        return Shape.MCP_GRAPH
    if "conversation" in value:
        return Shape.LOCOMO
    return Shape.OPENAI if "messages" in value or "role" in value else Shape.RECALL


def read(shape: Shape, lines: Iterable[str], name: str) -> Iterator[MemoryInput]:
    """The memories of a file. `name` names the sessions of a chat log that has none. Raises InvalidArgument with the line
    that is not of the shape."""
    yield from _READERS[shape](lines, name)


def _text(lines: Iterable[str], name: str) -> Iterator[MemoryInput]:
    """A memory for each line that is not blank."""
    texts = (line.removeprefix("\ufeff").strip() for line in lines)
    return (MemoryInput(text) for text in texts if text)


def _openai(lines: Iterable[str], name: str) -> Iterator[MemoryInput]:
    """An episode for each message. A list of messages, an object with `messages`, or one of these a line."""
    for number, conversation in enumerate(_values(lines)):
        messages = conversation.get("messages") if isinstance(conversation, dict) else conversation
        if isinstance(messages, dict) or (isinstance(conversation, dict) and "role" in conversation):
            messages = [conversation]
        session = f"{name}-{number}"
        if isinstance(conversation, dict):
            session = str(conversation.get("id") or conversation.get("conversation_id") or session)
        for message in _objects(messages, "messages"):
            memory = _message(message, session)
            if memory is not None:
                yield memory


def _message(message: Mapping[str, Any], session: str) -> MemoryInput | None:
    role = str(message.get("role") or "")
    if role in ("system", "developer"):
        return None  # instructions to a model are nothing that happened
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") or part.get("refusal") for part in content if isinstance(part, dict)]
        content = "\n".join(str(part) for part in parts if part)
    calls = [each.get("function") or each for each in message.get("tool_calls") or () if isinstance(each, dict)]
    tools = [ToolCall(_name(call.get("name") or "tool"), arguments=str(call.get("arguments") or "")) for call in calls]
    text = str(content or "").strip() or "; ".join(f"calls {call.tool}" for call in tools)
    if not text:
        return None
    return MemoryInput(
        text,
        kind="episodic",
        speaker=_name(message.get("name") or role),
        session_id=_name(session),
        tool_calls=tools,
        event_time=_epoch(message.get("created_at") or message.get("create_time") or message.get("timestamp")),
    )


def _locomo(lines: Iterable[str], name: str) -> Iterator[MemoryInput]:
    """An episode for each turn of `session_1`, `session_2` and so on, at the time that `session_1_date_time` says."""
    for number, value in enumerate(_values(lines)):
        for place, sample in enumerate(_objects(value if isinstance(value, list) else [value], "samples")):
            conversation = sample.get("conversation", sample)
            if not isinstance(conversation, dict):
                raise InvalidArgument.of("conversation", "is not an object")
            label = sample.get("sample_id") or f"{name}-{number + place}"
            names = (key for key in conversation if re.fullmatch(r"session_\d+", key))
            for key in sorted(names, key=lambda each: int(each[8:])):
                start = _locomo_time(conversation.get(f"{key}_date_time"))
                for at, turn in enumerate(_objects(conversation[key], key)):
                    text = str(turn.get("text") or "").strip()
                    if caption := turn.get("blip_caption"):
                        text = f"{text} [shows a picture: {caption}]".strip()
                    if text:
                        yield MemoryInput(
                            text,
                            kind="episodic",
                            speaker=_name(turn.get("speaker") or ""),
                            session_id=_name(f"{label}/{key}"),
                            event_time=start + timedelta(seconds=at) if start else None,
                            metadata={"dia_id": turn["dia_id"]} if turn.get("dia_id") else None,
                        )


def _mcp_graph(lines: Iterable[str], name: str) -> Iterator[MemoryInput]:
    """A fact for each observation of an entity, and one for each relation."""
    for value in _values(lines):
        if not isinstance(value, dict):
            raise InvalidArgument.of("line", "is not an entity or a relation")
        if value.get("type") == "entity":
            subject, kind = str(value.get("name") or ""), str(value.get("entityType") or "")
            observations = value.get("observations") or ([f"is of the type {kind}"] if kind else [])
            for observation in observations:
                said = str(observation)
                text = said if subject.casefold() in said.casefold() else f"{subject}: {said}"
                yield MemoryInput(text, entities=[_name(subject)], tags=[_name(kind)] if kind else [])
        elif value.get("type") == "relation":
            ends = [str(value.get("from") or ""), str(value.get("to") or "")]
            how = str(value.get("relationType") or "is related to").replace("_", " ")
            entities = [_name(each) for each in dict.fromkeys(ends)]
            yield MemoryInput(f"{ends[0]} {how} {ends[1]}", entities=entities, tags=["relation"])
        else:
            raise InvalidArgument.of("type", "is neither entity nor relation")


_READERS: dict[Shape, Callable[[Iterable[str], str], Iterator[MemoryInput]]] = {
    Shape.TEXT: _text,
    Shape.OPENAI: _openai,
    Shape.LOCOMO: _locomo,
    Shape.MCP_GRAPH: _mcp_graph,
}


def _values(lines: Iterable[str]) -> Iterator[Any]:
    """The JSON values of a file: one a line, or one in all."""
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip("\ufeff \t\r\n"))
    _, first = next(numbered, (0, ""))
    first = first.lstrip("\ufeff")
    if not first:
        return
    try:
        value = json.loads(first)
    except ValueError:
        try:
            yield json.loads(first + "".join(line for _, line in numbered))
        except ValueError:
            # the parser's message repeats the text
            raise InvalidArgument.of("file", "is neither JSON nor lines of JSON") from None
        return
    yield value
    for number, line in numbered:
        try:
            value = json.loads(line)
        except ValueError:
            raise InvalidArgument.of(f"line {number}", "is not JSON") from None
        yield value


def _objects(value: Any, what: str) -> Iterator[Mapping[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise InvalidArgument.of(what, "is not a list of objects")
    return iter(value)


def _name(value: object) -> str:
    return re.sub(r"[\x00-\x1f]", " ", str(value)).strip()[:LONGEST_NAME]


def _epoch(value: object) -> datetime | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = value / 1000 if abs(value) >= _MILLISECONDS else value
        try:
            return datetime.fromtimestamp(seconds, UTC)
        except (ValueError, OverflowError, OSError):
            return None
    if isinstance(value, str) and value:
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None


def _locomo_time(value: object) -> datetime | None:
    """`1:56 pm on 8 May, 2023`, which says no zone: UTC."""
    if not isinstance(value, str):
        return None
    for pattern in ("%I:%M %p on %d %B, %Y", "%I:%M %p on %d %b, %Y"):
        try:
            return datetime.strptime(value.strip(), pattern).replace(tzinfo=UTC)
        except ValueError:
            continue
    return _epoch(value)
