"""A real gRPC server whose answers a test writes, for what depends on the moment: progress, cancellation, events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc

from recalld.v1 import memory_service_pb2 as memory_pb
from recalld.v1 import memory_service_pb2_grpc as memory_grpc
from recalld.v1 import session_service_pb2 as session_pb
from recalld.v1 import session_service_pb2_grpc as session_grpc
from recalld.v1 import watch_service_pb2 as watch_pb
from recalld.v1 import watch_service_pb2_grpc as watch_grpc


class Script(memory_grpc.MemoryServiceServicer, session_grpc.SessionServiceServicer, watch_grpc.WatchServiceServicer):
    """Serves one reflection that runs until it is told how to go on, sessions, and a watch that tells what it is given;
    nothing that its tests do not ask for."""

    def __init__(self) -> None:
        self.watches: list[asyncio.Queue[watch_pb.WatchResponse]] = []
        self.steps: asyncio.Queue[float] = asyncio.Queue()
        self.cancelled = asyncio.Event()
        self.watched = asyncio.Event()
        self.watch_ended = asyncio.Event()
        self.searching = asyncio.Event()
        self.search_cancelled = asyncio.Event()
        self.requests: list[Any] = []
        self.metadata: list[dict[str, str]] = []
        self.turns: list[Any] = []

    def _reflection(
        self,
        progress: float = 0.0,
        state: memory_pb.ReflectionState.ValueType = memory_pb.REFLECTION_STATE_RUNNING,
    ) -> memory_pb.Reflection:
        insights = [
            memory_pb.Insight(
                content="The user prefers tea.", category="preference", confidence=0.9, outcome="created"
            ),
            memory_pb.Insight(content="部署前要先备份。", category="lesson", confidence=0.8, outcome="review"),
        ]
        found = insights if state == memory_pb.REFLECTION_STATE_SUCCEEDED else []
        return memory_pb.Reflection(reflection_id="r-1", state=state, progress=progress, insights=found)

    async def Reflect(self, request: Any, context: Any) -> Any:  # noqa: N802 - the contract's name
        self.requests.append(request)
        return memory_pb.ReflectResponse(reflection=self._reflection())

    async def WatchReflection(self, request: Any, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        while True:
            progress = await self.steps.get()
            state = memory_pb.REFLECTION_STATE_SUCCEEDED if progress == 1 else memory_pb.REFLECTION_STATE_RUNNING
            yield memory_pb.WatchReflectionResponse(reflection=self._reflection(progress, state))
            if progress == 1:
                return

    async def CancelReflection(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.cancelled.set()
        return memory_pb.CancelReflectionResponse(
            reflection=self._reflection(0.5, memory_pb.REFLECTION_STATE_CANCELLED)
        )

    async def Search(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.searching.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.search_cancelled.set()

    async def Stats(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.metadata.append({key: value for key, value in context.invocation_metadata() if isinstance(value, str)})
        return memory_pb.StatsResponse()

    async def AppendTurns(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.turns += request.turns
        return session_pb.AppendTurnsResponse(session=self._session(request, session_pb.SESSION_STATE_OPEN))

    async def GetSession(self, request: Any, context: Any) -> Any:  # noqa: N802
        return session_pb.GetSessionResponse(
            session=self._session(request, session_pb.SESSION_STATE_OPEN), turns=self.turns
        )

    async def EndSession(self, request: Any, context: Any) -> Any:  # noqa: N802
        return session_pb.EndSessionResponse(
            session=self._session(request, session_pb.SESSION_STATE_ENDED), reflection_id="r-1"
        )

    def _session(self, request: Any, state: session_pb.SessionState.ValueType) -> session_pb.Session:
        return session_pb.Session(session_id=request.session_id, state=state, turn_count=len(self.turns))

    async def Watch(self, request: Any, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        # a queue of its own: a watch that is given up must not take an event from the one that follows it
        events: asyncio.Queue[watch_pb.WatchResponse] = asyncio.Queue()
        self.watches.append(events)
        self.requests.append(request)
        self.watched.set()
        try:
            while True:
                yield await events.get()
        finally:
            self.watches.remove(events)
            self.watch_ended.set()

    def tell(self, kind: str, namespace: str, memory_id: str = "") -> None:
        """An event for everyone who watches."""
        type_ = watch_pb.WatchEventType.Value(f"WATCH_EVENT_TYPE_{kind}")
        event = watch_pb.WatchResponse(type=type_, namespace=namespace, memory_id=memory_id, resume_token="t")
        for events in self.watches:
            events.put_nowait(event)


@asynccontextmanager
async def scripted() -> AsyncIterator[tuple[Script, str]]:
    """The script and the address that it is served at."""
    script = Script()  # type: ignore[abstract]
    server = grpc.aio.server()
    memory_grpc.add_MemoryServiceServicer_to_server(script, server)
    session_grpc.add_SessionServiceServicer_to_server(script, server)
    watch_grpc.add_WatchServiceServicer_to_server(script, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield script, f"127.0.0.1:{port}"
    finally:
        await server.stop(0)
