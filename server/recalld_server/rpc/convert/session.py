"""Sessions: their turns, their variables, and how they ended."""

from __future__ import annotations

from recalld.v1 import session_service_pb2 as pb
from recalld_server.core.session_ends import Ended
from recalld_server.core.sessions import Appended
from recalld_server.model import Session, SessionState, Turn, TurnDraft, TurnRole
from recalld_server.rpc.convert import metadata
from recalld_server.rpc.convert.memory import fill_tool_calls, tool_calls
from recalld_server.rpc.convert.values import fill_timestamp, optional_enum, optional_time, to_id, to_timestamp

DEFAULT_TURNS = 50


def turn_drafts(request: pb.AppendTurnsRequest) -> list[TurnDraft]:
    """The turns to add. Raises InvalidField."""
    return [
        TurnDraft(
            role=TurnRole(each.role),
            content=each.content,
            speaker=each.speaker,
            tool_calls=tool_calls(each.tool_calls),
            event_time=optional_time(each, "event_time", f"turns[{place}]."),
        )
        for place, each in enumerate(request.turns)
    ]


def max_turns(request: pb.GetSessionRequest) -> int:
    """How many turns are asked for; zero is none."""
    return request.max_turns if request.HasField("max_turns") else DEFAULT_TURNS


def session_state(value: int) -> SessionState | None:
    """None: any."""
    return optional_enum(SessionState, value)


def session(value: Session) -> pb.Session:
    """A session as it is sent."""
    message = pb.Session(
        session_id=value.session_id,
        namespace=value.namespace,
        state=int(value.state),  # type: ignore[arg-type]
        user_id=value.user_id,
        turn_count=value.turn_count,
        etag=value.etag,
        create_time=to_timestamp(value.create_time),
        update_time=to_timestamp(value.update_time),
        expire_time=to_timestamp(value.expire_time),
    )
    if value.variables:
        metadata.fill(message.variables, value.variables)
    return message


def append_response(value: Appended) -> pb.AppendTurnsResponse:
    return pb.AppendTurnsResponse(
        session=session(value.session),
        turn_ids=map(str, value.turn_ids),
        reflection_id=to_id(value.reflection_id),
    )


def session_response(value: Session, turns: tuple[Turn, ...]) -> pb.GetSessionResponse:
    response = pb.GetSessionResponse(session=session(value))
    for each in turns:
        message = response.turns.add(
            turn_id=str(each.turn_id),
            sequence=each.sequence,
            role=int(each.role),
            content=each.content,
            speaker=each.speaker,
            agent_id=each.agent_id,
        )
        fill_tool_calls(message.tool_calls, each.tool_calls)
        fill_timestamp(message.event_time, each.event_time)
    return response


def end_response(value: Ended) -> pb.EndSessionResponse:
    return pb.EndSessionResponse(session=session(value.session), reflection_id=to_id(value.reflection_id))
