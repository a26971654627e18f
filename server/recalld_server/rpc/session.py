"""SessionService: working memory."""

from __future__ import annotations

from recalld.v1 import session_service_pb2 as pb
from recalld_server.core.services import Core
from recalld_server.rpc import convert
from recalld_server.rpc.calls import Context, call_options, paging, principal


class SessionServicer:
    """One method for each RPC."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def AppendTurns(  # noqa: N802
        self, request: pb.AppendTurnsRequest, context: Context
    ) -> pb.AppendTurnsResponse:
        appended = await self._core.sessions.append(
            principal(),
            request.namespace,
            request.session_id,
            convert.turn_drafts(request),
            user_id=request.user_id,
            call=call_options(request, context),
        )
        return convert.append_response(appended)

    async def GetSession(self, request: pb.GetSessionRequest, context: Context) -> pb.GetSessionResponse:  # noqa: N802
        session, turns = await self._core.sessions.get(
            principal(),
            request.namespace,
            request.session_id,
            max_turns=convert.max_turns(request),
            max_tokens=request.max_tokens if request.HasField("max_tokens") else None,
        )
        return convert.session_response(session, turns)

    async def SetVariables(  # noqa: N802
        self, request: pb.SetVariablesRequest, context: Context
    ) -> pb.SetVariablesResponse:
        session = await self._core.sessions.set_variables(
            principal(),
            request.namespace,
            request.session_id,
            convert.metadata.to_json(request.variables, "variables"),
            etag=request.etag,
            call=call_options(request, context),
        )
        return pb.SetVariablesResponse(session=convert.session(session))

    async def EndSession(self, request: pb.EndSessionRequest, context: Context) -> pb.EndSessionResponse:  # noqa: N802
        ended = await self._core.sessions.end(
            principal(),
            request.namespace,
            request.session_id,
            skip_reflection=request.skip_reflection,
            call=call_options(request, context),
        )
        return convert.end_response(ended)

    async def ListSessions(  # noqa: N802
        self, request: pb.ListSessionsRequest, context: Context
    ) -> pb.ListSessionsResponse:
        page = await self._core.sessions.list(
            principal(),
            request.namespace,
            user_id=request.user_id,
            state=convert.session_state(request.state),
            **paging(request),
        )
        return pb.ListSessionsResponse(
            sessions=[convert.session(each) for each in page.items], next_page_token=page.next_token
        )
