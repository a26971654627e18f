"""Working memory: sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Self

from recalld._async.bound import AsyncBound
from recalld._async.pager import AsyncPager
from recalld._async.transport import AsyncTransport
from recalld._calls import request_id as named
from recalld._convert.build import build, many, to_enum
from recalld._convert.metadata import to_struct
from recalld._convert.sessions import from_append, from_end, from_session, from_session_view, to_turn
from recalld.enums import SessionState, SessionStateLike, TurnRoleLike
from recalld.types.memories import ToolCall
from recalld.types.sessions import AppendResult, EndResult, SessionInfo, SessionView, TurnInput
from recalld.v1 import session_service_pb2 as sv


class AsyncSession:
    """One session. As a context manager it ends the session when the block ends without an exception.

    A session that the block only read is not ended, and one whose block failed is left to its idle time, so that
    another attempt can go on with it.
    """

    def __init__(self, transport: AsyncTransport, namespace: str, session_id: str, user_id: str | None) -> None:
        self._transport = transport
        self._namespace = namespace
        self.session_id = session_id
        self._user_id = user_id
        self._running = False

    async def add(
        self,
        content: str,
        *,
        role: TurnRoleLike = "user",
        speaker: str | None = None,
        tool_calls: Sequence[ToolCall] = (),
        event_time: datetime | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> AppendResult:
        """Adds one turn; it is durable when this returns. Opens the session when it is new."""
        turn = TurnInput(content, role=role, speaker=speaker, tool_calls=tuple(many(tool_calls)), event_time=event_time)
        return await self.add_turns([turn], request_id=request_id, timeout=timeout)

    async def add_turns(
        self, turns: Sequence[TurnInput | str], *, request_id: str | None = None, timeout: float | None = None
    ) -> AppendResult:
        """Adds 1 to 200 turns in one call; a text alone is the user's turn."""
        request = build(
            sv.AppendTurnsRequest,
            namespace=self._namespace,
            session_id=self.session_id,
            turns=[to_turn(each, f"turns[{index}]") for index, each in enumerate(many(turns))],
            user_id=self._user_id,
            request_id=named(request_id),
        )
        answer = await self._transport.mutate(lambda stubs: stubs.session.AppendTurns, request, timeout)
        self._running = True
        return from_append(answer)

    async def get(
        self, *, max_turns: int | None = None, max_tokens: int | None = None, timeout: float | None = None
    ) -> SessionView:
        """Reads the session, its variables and its latest turns (50 unless `max_turns` says otherwise)."""
        request = build(
            sv.GetSessionRequest,
            namespace=self._namespace,
            session_id=self.session_id,
            max_turns=max_turns,
            max_tokens=max_tokens,
        )
        return from_session_view(await self._transport.read(lambda stubs: stubs.session.GetSession, request, timeout))

    async def set_variables(
        self,
        variables: Mapping[str, Any],
        *,
        etag: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> SessionInfo:
        """Sets variables; None removes one. With `etag`, raises Conflict when someone else changed them."""
        request = build(
            sv.SetVariablesRequest,
            namespace=self._namespace,
            session_id=self.session_id,
            variables=to_struct(variables, "variables"),
            etag=etag,
            request_id=named(request_id),
        )
        answer = await self._transport.mutate(lambda stubs: stubs.session.SetVariables, request, timeout)
        self._running = True
        return from_session(answer.session)

    async def end(
        self, *, skip_reflection: bool = False, request_id: str | None = None, timeout: float | None = None
    ) -> EndResult:
        """Ends the session and starts the look back on it."""
        request = build(
            sv.EndSessionRequest,
            namespace=self._namespace,
            session_id=self.session_id,
            skip_reflection=skip_reflection,
            request_id=named(request_id),
        )
        answer = await self._transport.mutate(lambda stubs: stubs.session.EndSession, request, timeout)
        self._running = False
        return from_end(answer)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._running:
            await self.end()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.session_id}>"


class AsyncSessions(AsyncBound):
    """Working memory."""

    def session(self, session_id: str, *, user_id: str | None = None) -> AsyncSession:
        """A session by the caller's own name; makes no call. `user_id` is the person it is with."""
        return AsyncSession(self._transport, self._namespace, session_id, user_id)

    def sessions(
        self,
        *,
        user_id: str | None = None,
        state: SessionStateLike | None = None,
        page_size: int | None = None,
        timeout: float | None = None,
    ) -> AsyncPager[SessionInfo]:
        """Lists sessions, latest first. The timeout is that of each page."""
        request = build(
            sv.ListSessionsRequest,
            namespace=self._namespace,
            user_id=user_id,
            state=to_enum(sv.SessionState, SessionState, state, "state"),
            page_size=page_size,
        )
        return AsyncPager(
            self._transport,
            lambda stubs: stubs.session.ListSessions,
            request,
            lambda answer: map(from_session, answer.sessions),
            timeout,
        )
