"""Working memory: sessions and their turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from recalld._json import Json
from recalld.enums import SessionState, TurnRole, TurnRoleLike
from recalld.types._show import short
from recalld.types.memories import ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnInput:
    """One turn to add."""

    content: str = field(kw_only=False)
    role: TurnRoleLike = TurnRole.USER
    speaker: str | None = None
    """Who said it, when the role does not tell."""
    tool_calls: Sequence[ToolCall] = ()
    event_time: datetime | None = None
    """None: now."""


@dataclass(frozen=True, slots=True, repr=False)
class Turn:
    """One turn of a session."""

    turn_id: str
    sequence: int
    """Its place in the session, from 1."""
    role: TurnRole
    content: str
    speaker: str
    tool_calls: tuple[ToolCall, ...]
    event_time: datetime | None
    agent_id: str

    def __repr__(self) -> str:
        return f"<Turn {self.sequence} {self.speaker or self.role}: {short(self.content)!r}>"


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session, as it stood when it was read."""

    session_id: str
    namespace: str
    state: SessionState
    user_id: str
    turn_count: int
    variables: dict[str, Json] = field(hash=False)
    etag: str
    create_time: datetime | None
    update_time: datetime | None
    expire_time: datetime | None
    """When it ends by itself if it stays idle."""


@dataclass(frozen=True, slots=True)
class SessionView:
    """A session with its latest turns, oldest first."""

    session: SessionInfo
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class AppendResult:
    """The turns that were added."""

    session: SessionInfo
    turn_ids: tuple[str, ...]
    reflection_id: str
    """The reflection that these turns set off; empty when they did not."""


@dataclass(frozen=True, slots=True)
class EndResult:
    """The session that ended."""

    session: SessionInfo
    reflection_id: str
    """The look back that it started; empty when none was."""
