"""LlamaIndex: a chat memory in a recalld session, and a memory block with what recalld knows.

from llama_index.core.memory import Memory
from recalld import Client
from recalld.integrations.llama_index import RecalldMemory, RecalldMemoryBlock

memory = RecalldMemory.from_client(Client(), "session-1")             # the history itself
memory = Memory.from_defaults(memory_blocks=[RecalldMemoryBlock.from_client(Client())])  # or long-term memory beside it
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, Self

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.memory import BaseMemory, BaseMemoryBlock

from recalld._sync.client import NamespaceView
from recalld.enums import TurnRole
from recalld.integrations._history import STRUCTURED, History
from recalld.types.sessions import Turn, TurnInput

_ROLES = {
    MessageRole.USER: TurnRole.USER,
    MessageRole.ASSISTANT: TurnRole.ASSISTANT,
    MessageRole.SYSTEM: TurnRole.SYSTEM,
    MessageRole.TOOL: TurnRole.TOOL,
}
_NAMES = {role: name for name, role in _ROLES.items()}


class RecalldMemory(BaseMemory):
    """The messages of one session. A session shows its latest 1,000 turns."""

    _history: History = PrivateAttr()

    @classmethod
    def class_name(cls) -> str:
        return "RecalldMemory"

    @classmethod
    def from_client(cls, client: NamespaceView, session_id: str, *, user_id: str | None = None) -> Self:
        """`client` is a `Client` or one of its namespaces. Makes no call."""
        memory = cls()
        memory._history = History(client, session_id, user_id)
        return memory

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> Self:
        """As `from_client`, by keywords."""
        return cls.from_client(**kwargs)

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        """All messages, oldest first."""
        return self.get_all()

    def get_all(self) -> list[ChatMessage]:
        """All messages, oldest first."""
        return [_message(turn) for turn in self._history.latest()]

    def put(self, message: ChatMessage) -> None:
        """Adds a message; it is durable when this returns."""
        self.put_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Adds messages in one call."""
        self._history.add([_turn(message) for message in messages])

    def set(self, messages: list[ChatMessage]) -> None:
        """Takes everything back and begins with these."""
        self._history.clear()
        self.put_messages(messages)

    def reset(self) -> None:
        """Takes everything back."""
        self._history.clear()


class RecalldMemoryBlock(BaseMemoryBlock[str]):
    """What recalld knows that fits the latest messages; messages that leave the short-term memory are written to it."""

    name: str = "long_term_memory"
    max_tokens: int = 1000
    """Tokens of the text at most."""
    _client: NamespaceView = PrivateAttr()
    _user_id: str | None = PrivateAttr(default=None)

    @classmethod
    def from_client(cls, client: NamespaceView, *, user_id: str | None = None, **fields: Any) -> Self:
        """`client` is a `Client` or one of its namespaces; with `user_id` only what is known of that person. Makes no call."""
        block = cls(**fields)
        block._client, block._user_id = client, user_id
        return block

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        query = "\n".join(message.content for message in (messages or [])[-3:] if message.content)
        if not query.strip():
            return ""
        user_ids = [self._user_id] if self._user_id else []
        context = await asyncio.to_thread(self._client.context, query, max_tokens=self.max_tokens, user_ids=user_ids)
        return context.text

    async def _aput(self, messages: list[ChatMessage]) -> None:
        kept = [message for message in messages if message.content and message.content.strip()]
        for message in kept:
            await asyncio.to_thread(
                self._client.write,
                message.content or "",
                kind="episodic",
                speaker=message.role.value,
                user_id=self._user_id,
                session_id=message.additional_kwargs.get("session_id"),
            )


def _turn(message: ChatMessage) -> TurnInput:
    role = _ROLES.get(message.role, TurnRole.USER)
    text = message.content
    if (
        text
        and text.strip()
        and message.role in _NAMES.values()
        and message == ChatMessage(role=message.role, content=text)
    ):
        return TurnInput(text, role=role)
    return TurnInput(json.dumps(message.model_dump(mode="json"), ensure_ascii=False), role=role, speaker=STRUCTURED)


def _message(turn: Turn) -> ChatMessage:
    if turn.speaker == STRUCTURED:
        return ChatMessage.model_validate(json.loads(turn.content))
    return ChatMessage(role=_NAMES[turn.role], content=turn.content)
