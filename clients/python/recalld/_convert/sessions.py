"""Working memory."""

from __future__ import annotations

from recalld._convert.build import build, from_enum, join, to_enum
from recalld._convert.memories import from_tool_call, to_tool_calls
from recalld._convert.metadata import from_struct
from recalld._convert.times import from_timestamp, to_timestamp
from recalld.enums import SessionState, TurnRole
from recalld.errors import InvalidArgument
from recalld.types import sessions as t
from recalld.v1 import session_service_pb2 as sv


def to_turn(turn: t.TurnInput | str, path: str) -> sv.Turn:
    """The message of a turn; a text alone is the user's."""
    given = t.TurnInput(turn) if isinstance(turn, str) else turn
    if not isinstance(given, t.TurnInput):
        raise InvalidArgument.of(path, f"takes a text or a TurnInput, not a {type(given).__name__}")
    return build(
        sv.Turn,
        path,
        role=to_enum(sv.TurnRole, TurnRole, given.role, join(path, "role")),
        content=given.content,
        speaker=given.speaker,
        tool_calls=to_tool_calls(given.tool_calls, join(path, "tool_calls")),
        event_time=to_timestamp(given.event_time, join(path, "event_time")),
    )


def from_turn(message: sv.Turn) -> t.Turn:
    """A turn."""
    return t.Turn(
        turn_id=message.turn_id,
        sequence=message.sequence,
        role=from_enum(sv.TurnRole, TurnRole, message.role),
        content=message.content,
        speaker=message.speaker,
        tool_calls=tuple(from_tool_call(each) for each in message.tool_calls),
        event_time=from_timestamp(message, "event_time"),
        agent_id=message.agent_id,
    )


def from_session(message: sv.Session) -> t.SessionInfo:
    """A session."""
    return t.SessionInfo(
        session_id=message.session_id,
        namespace=message.namespace,
        state=from_enum(sv.SessionState, SessionState, message.state),
        user_id=message.user_id,
        turn_count=message.turn_count,
        variables=from_struct(message.variables),
        etag=message.etag,
        create_time=from_timestamp(message, "create_time"),
        update_time=from_timestamp(message, "update_time"),
        expire_time=from_timestamp(message, "expire_time"),
    )


def from_session_view(message: sv.GetSessionResponse) -> t.SessionView:
    """A session with its latest turns."""
    return t.SessionView(from_session(message.session), tuple(from_turn(each) for each in message.turns))


def from_append(message: sv.AppendTurnsResponse) -> t.AppendResult:
    """The turns that were added."""
    return t.AppendResult(from_session(message.session), tuple(message.turn_ids), message.reflection_id)


def from_end(message: sv.EndSessionResponse) -> t.EndResult:
    """The session that ended."""
    return t.EndResult(from_session(message.session), message.reflection_id)
