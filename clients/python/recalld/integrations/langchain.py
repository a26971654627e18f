"""A LangChain chat message history in a recalld session.

    from recalld import Client
    from recalld.integrations.langchain import RecalldChatMessageHistory

    history = RecalldChatMessageHistory(Client(), "session-1", user_id="alice")
    history.add_user_message("I am allergic to peanuts.")

Plain messages become turns of their role, and so working memory that other agents of the session see at once and that is
looked back on when the session ends. A message with tool calls, parts or extra fields keeps all of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    message_to_dict,
    messages_from_dict,
)

from recalld._sync.client import NamespaceView
from recalld.enums import TurnRole
from recalld.integrations._history import STRUCTURED, History
from recalld.types.memories import ToolCall
from recalld.types.sessions import Turn, TurnInput

_PLAIN: dict[TurnRole, type[BaseMessage]] = {
    TurnRole.USER: HumanMessage,
    TurnRole.ASSISTANT: AIMessage,
    TurnRole.SYSTEM: SystemMessage,
}
_ROLES = {"human": TurnRole.USER, "ai": TurnRole.ASSISTANT, "system": TurnRole.SYSTEM, "tool": TurnRole.TOOL}


class RecalldChatMessageHistory(BaseChatMessageHistory):
    """The messages of one session. A session shows its latest 1,000 turns."""

    def __init__(self, client: NamespaceView, session_id: str, *, user_id: str | None = None) -> None:
        """`client` is a `Client` or one of its namespaces. Makes no call."""
        self._history = History(client, session_id, user_id)

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # LangChain declares an attribute and expects a property
        """All messages, oldest first."""
        return [_message(turn) for turn in self._history.latest()]

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Adds messages in one call; they are durable when this returns."""
        self._history.add([_turn(message) for message in messages])

    def clear(self) -> None:
        """Takes all messages back. recalld keeps the turns, hidden from this history: erase them with Forget."""
        self._history.clear()


def _turn(message: BaseMessage) -> TurnInput:
    role = _ROLES.get(message.type, TurnRole.USER)
    plain = _PLAIN.get(role)
    if isinstance(message.content, str) and message.content.strip() and plain and message == plain(message.content):
        return TurnInput(message.content, role=role)
    # ids and metadata of providers are part of the message, so that it comes back equal
    text = json.dumps(message_to_dict(message), ensure_ascii=False, default=str)
    return TurnInput(text, role=role, speaker=STRUCTURED, tool_calls=_tool_calls(message))


def _tool_calls(message: BaseMessage) -> tuple[ToolCall, ...]:
    if isinstance(message, ToolMessage):
        failed = message.status == "error"
        return (
            ToolCall(message.name or "tool", "error" if failed else "ok", error=str(message.content) if failed else ""),
        )
    if isinstance(message, AIMessage):
        return tuple(
            ToolCall(call["name"], arguments=json.dumps(call["args"], ensure_ascii=False))
            for call in message.tool_calls
        )
    return ()


def _message(turn: Turn) -> BaseMessage:
    if turn.speaker == STRUCTURED:
        return messages_from_dict([json.loads(turn.content)])[0]
    return _PLAIN.get(turn.role, HumanMessage)(turn.content)
