"""Sessions: how a call is passed on."""

from __future__ import annotations

from tests.rpc.doubles import (
    ID,
    NOW,
    SESSION,
    TURN,
)
from tests.rpc.passing.case import CALL, OTHER, Case

from recalld.v1 import memory_pb2
from recalld.v1 import session_service_pb2 as se
from recalld_server.core.session_ends import Ended
from recalld_server.core.sessions import Appended
from recalld_server.model import (
    Page,
    SessionState,
    ToolCall,
    ToolStatus,
    TurnDraft,
    TurnRole,
)
from recalld_server.rpc import convert
from recalld_server.rpc.convert.values import to_timestamp

CASES = [
    Case(
        "AppendTurns",
        se.AppendTurnsRequest(
            namespace="team",
            session_id="s-1",
            user_id="u1",
            turns=[
                se.Turn(role=se.TURN_ROLE_USER, content="以后都用英文"),
                se.Turn(
                    role=se.TURN_ROLE_TOOL,
                    speaker="grep",
                    event_time=to_timestamp(NOW),
                    tool_calls=[memory_pb2.ToolCall(tool="grep", status=2, arguments="{}", error="no\x00 file")],  # type: ignore[arg-type]
                ),
            ],
        ),
        "sessions.append",
        (
            "team",
            "s-1",
            [
                TurnDraft(TurnRole.USER, "以后都用英文"),
                TurnDraft(TurnRole.TOOL, "", "grep", (ToolCall("grep", ToolStatus.ERROR, "{}", "no file"),), NOW),
            ],
        ),
        {"user_id": "u1", "call": CALL},
        Appended(SESSION, (ID, OTHER), ID),
        se.AppendTurnsResponse(session=convert.session(SESSION), turn_ids=[str(ID), str(OTHER)], reflection_id=str(ID)),
    ),
    Case(
        "GetSession",
        se.GetSessionRequest(namespace="team", session_id="s-1", max_turns=0, max_tokens=9),
        "sessions.get",
        ("team", "s-1"),
        {"max_turns": 0, "max_tokens": 9},
        (SESSION, (TURN,)),
        se.GetSessionResponse(
            session=se.Session(
                session_id="s-1",
                namespace="team",
                state=se.SESSION_STATE_OPEN,
                user_id="u1",
                turn_count=2,
                variables=convert.metadata.to_struct({"城市": "上海", "n": 1, "deep": {"a": [None]}}),
                etag=SESSION.etag,
                create_time=to_timestamp(NOW),
                update_time=to_timestamp(NOW),
                expire_time=to_timestamp(NOW),
            ),
            turns=[
                se.Turn(
                    turn_id=str(ID),
                    sequence=2,
                    role=se.TURN_ROLE_TOOL,
                    content="没有这个文件",
                    speaker="grep",
                    tool_calls=[memory_pb2.ToolCall(tool="grep", status=2, arguments="{}", error="no such file")],  # type: ignore[arg-type]
                    event_time=to_timestamp(NOW),
                    agent_id="ada",
                )
            ],
        ),
    ),
    Case(
        "SetVariables",
        se.SetVariablesRequest(
            namespace="team",
            session_id="s-1",
            variables=convert.metadata.to_struct({"城市": None, "n": 2}),
            etag='"1-a"',
        ),
        "sessions.set_variables",
        ("team", "s-1", {"城市": None, "n": 2}),
        {"etag": '"1-a"', "call": CALL},
        SESSION,
        se.SetVariablesResponse(session=convert.session(SESSION)),
    ),
    Case(
        "EndSession",
        se.EndSessionRequest(namespace="team", session_id="s-1", skip_reflection=True),
        "sessions.end",
        ("team", "s-1"),
        {"skip_reflection": True, "call": CALL},
        Ended(SESSION),
        se.EndSessionResponse(session=convert.session(SESSION)),
    ),
    Case(
        "ListSessions",
        se.ListSessionsRequest(namespace="team", user_id="u1", state=se.SESSION_STATE_ENDED, page_token="t"),
        "sessions.list",
        ("team",),
        {"user_id": "u1", "state": SessionState.ENDED, "page_size": 50, "page_token": "t"},
        Page((SESSION,), "n"),
        se.ListSessionsResponse(sessions=[convert.session(SESSION)], next_page_token="n"),
    ),
]
