"""An OpenAI Agents SDK session in recalld.

    from agents import Agent, Runner
    from recalld import Client
    from recalld.integrations.openai_agents import RecalldSession

    session = RecalldSession(Client(), "session-1", user_id="alice")
    result = await Runner.run(agent, "What can't I eat?", session=session)

Every item is durable when `add_items` returns. Plain messages become turns of their role; other items (tool calls and
their outputs, reasoning) are kept whole. Items that were popped or cleared are hidden from the session, not destroyed.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, cast

from agents.memory import SessionABC

from recalld._sync.client import NamespaceView
from recalld.enums import TurnRole
from recalld.integrations._history import STRUCTURED, History
from recalld.types.memories import ToolCall
from recalld.types.sessions import Turn, TurnInput

if TYPE_CHECKING:
    from agents import TResponseInputItem
    from agents.memory import SessionSettings

_ROLES = {"user": TurnRole.USER, "assistant": TurnRole.ASSISTANT, "system": TurnRole.SYSTEM}
_NAMES = {role: name for name, role in _ROLES.items()}


class RecalldSession(SessionABC):
    """The items of one conversation. A session shows its latest 1,000 items."""

    def __init__(
        self,
        client: NamespaceView,
        session_id: str,
        *,
        user_id: str | None = None,
        session_settings: SessionSettings | None = None,
    ) -> None:
        """`client` is a `Client` or one of its namespaces; it is called in a thread. Makes no call."""
        self.session_id = session_id
        self.session_settings = session_settings
        self._history = History(client, session_id, user_id)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The latest items, oldest first; without a limit that of the session's settings counts."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        return [_item(turn) for turn in await asyncio.to_thread(self._history.latest, limit)]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Adds items in order."""
        if items:
            await asyncio.to_thread(self._history.add, [_turn(cast("dict[str, Any]", item)) for item in items])

    async def pop_item(self) -> TResponseInputItem | None:
        """Takes the latest item back; None when there is none."""
        turn = await asyncio.to_thread(self._history.pop)
        return None if turn is None else _item(turn)

    async def clear_session(self) -> None:
        """Takes all items back."""
        await asyncio.to_thread(self._history.clear)


def _turn(item: dict[str, Any]) -> TurnInput:
    role, content = item.get("role"), item.get("content")
    if item.keys() == {"role", "content"} and role in _ROLES and isinstance(content, str) and content.strip():
        return TurnInput(content, role=_ROLES[role])
    text = json.dumps(item, ensure_ascii=False)
    return TurnInput(text, role=_ROLES.get(str(role), TurnRole.TOOL), speaker=STRUCTURED, tool_calls=_tool_calls(item))


def _tool_calls(item: dict[str, Any]) -> tuple[ToolCall, ...]:
    if item.get("type") == "function_call":
        return (ToolCall(str(item.get("name") or "tool"), arguments=str(item.get("arguments", ""))[:2000]),)
    return ()


def _item(turn: Turn) -> TResponseInputItem:
    if turn.speaker == STRUCTURED:
        return cast("TResponseInputItem", json.loads(turn.content))
    return cast("TResponseInputItem", {"role": _NAMES[turn.role], "content": turn.content})
