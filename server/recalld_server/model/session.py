"""Working memory: sessions, their turns, and why a session is looked back on."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from recalld_server.model.common import Json
from recalld_server.model.memory import ToolCall


class TurnRole(enum.IntEnum):
    """Whose turn it was."""

    USER = 1
    ASSISTANT = 2
    TOOL = 3
    SYSTEM = 4


class SessionState(enum.IntEnum):
    """Where a session stands. One past its expire_time reads as ENDED before it is stored so."""

    OPEN = 1
    ENDED = 2


class Trigger(enum.StrEnum):
    """Why a session is looked back on."""

    END = "end"
    IDLE = "idle"
    TURNS = "turns"
    CUE = "cue"
    TOOL_FAILURE = "tool_failure"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn. `sequence` is its place in the session from 1, 0 until it is stored; `tokens` is an estimate."""

    turn_id: UUID
    role: TurnRole
    content: str
    agent_id: str
    event_time: datetime
    speaker: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tokens: int = 0
    sequence: int = 0


@dataclass(frozen=True, slots=True)
class Session:
    """A session. `asked_turn` is the last turn that a look back was begun for, `reflected_turn` the last that one has
    finished with; `revision` counts the changes of the variables, `erasures` those that took turns out."""

    session_id: str
    namespace: str
    state: SessionState
    agent_id: str
    user_id: str
    turn_count: int
    asked_turn: int
    reflected_turn: int
    revision: int
    create_time: datetime
    update_time: datetime
    expire_time: datetime
    variables: Mapping[str, Json] = field(default_factory=dict)
    erasures: int = 0

    @property
    def etag(self) -> str:
        """Opaque to callers; changes whenever the variables do."""
        return f'"{self.revision:x}-{int(self.create_time.timestamp() * 1e6):x}"'


@dataclass(frozen=True, slots=True)
class TurnDraft:
    """What a caller adds to a session, as it was given."""

    role: TurnRole
    content: str
    speaker: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    event_time: datetime | None = None
