"""Resource updates: what Watch tells of a namespace, as notices to the clients that asked for them.

Clients of the current protocol ask with `subscriptions/listen`, those before it with `resources/subscribe`. Each has a
watch of its own under its own key, so that no one learns of what another may read.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from typing import Any, TypeAlias

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.subscriptions import ResourceUpdated, ServerEvent
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS

from recalld import AsyncNamespaceView, WatchEventType
from recalld.errors import RecalldError
from recalld_mcp.bridge import Bridge
from recalld_mcp.explain import explain
from recalld_mcp.uris import namespace_of, touched

log = logging.getLogger(__name__)

Notice: TypeAlias = Callable[[str], Awaitable[None]]
_SETTLED = 0.3
"""Seconds within which a server that refuses a watch has said so."""
_FOLLOWED = 64
"""Connections of older clients that are followed at once; HTTP does not tell when such a client has gone."""
_listening: ContextVar[object] = ContextVar("listening")


class ListenBus:
    """Hands an event to the one stream that it was watched for.

    A listener is registered inside the request that opened its stream, and so is what publishes to it.
    """

    def __init__(self) -> None:
        self._listeners: dict[object, Callable[[ServerEvent], None]] = {}

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Registers the listener of the running request; returns what takes it away again."""
        stream = _listening.get(None) or object()
        self._listeners[stream] = listener
        return lambda: self._listeners.pop(stream, None) and None

    async def publish(self, event: ServerEvent) -> None:
        """Tells the stream of the running request."""
        listener = self._listeners.get(_listening.get(None))
        if listener is not None:
            listener(event)


class Updates:
    """Middleware that keeps a watch for each client that wants to know of changes."""

    def __init__(self, bridge: Bridge, bus: ListenBus) -> None:
        self._bridge = bridge
        self._bus = bus
        self._followed: dict[str, _Followed] = {}

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Serves the requests about subscriptions and passes the others on."""
        match ctx.method:
            case "initialize":
                return _with_subscribe(await call_next(ctx))
            case "resources/subscribe":
                await self._subscribe(ctx)
                return {}
            case "resources/unsubscribe":
                await self._unsubscribe(ctx)
                return {}
            case "subscriptions/listen":
                return await self._listen(ctx, call_next)
            case _:
                return await call_next(ctx)

    async def close(self) -> None:
        """Ends every watch."""
        for connection in list(self._followed):
            await self._end(connection)

    async def _listen(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        uris = _asked_for(ctx)
        if not uris:
            return await call_next(ctx)
        token = _listening.set(object())
        try:
            task = await self._start(uris, lambda uri: self._bus.publish(ResourceUpdated(uri=uri)))
            try:
                return await call_next(ctx)
            finally:
                await _stop(task)
        finally:
            _listening.reset(token)

    async def _subscribe(self, ctx: ServerRequestContext[Any, Any]) -> None:
        connection = _connection(ctx)
        before = self._followed.get(connection)
        uris = {*(before.uris if before else ()), _uri(ctx)}
        task = await self._start(uris, ctx.session.send_resource_updated)
        await self._end(connection)
        while len(self._followed) >= _FOLLOWED:
            await self._end(next(iter(self._followed)))
        self._followed[connection] = _Followed(uris, task)

    async def _unsubscribe(self, ctx: ServerRequestContext[Any, Any]) -> None:
        connection = _connection(ctx)
        before = self._followed.get(connection)
        if before is None:
            return
        uris = before.uris - {_uri(ctx)}
        await self._end(connection)
        if uris:
            task = await self._start(uris, ctx.session.send_resource_updated)
            self._followed[connection] = _Followed(uris, task)

    async def _end(self, connection: str) -> None:
        followed = self._followed.pop(connection, None)
        if followed is not None:
            await _stop(followed.task)

    async def _start(self, uris: set[str], notice: Notice) -> asyncio.Task[None]:
        """Starts to watch. Raises MCPError when the server refuses at once."""
        try:
            default = await self._bridge.view(None)
            namespaces = {namespace_of(uri) or default.name for uri in uris}
            task = asyncio.create_task(_follow(default, namespaces, uris, notice))
            task.add_done_callback(_report)
            done, _ = await asyncio.wait({task}, timeout=_SETTLED)
            if done:
                await task
        except RecalldError as error:
            raise MCPError(INTERNAL_ERROR, explain(error)) from error
        return task


class _Followed:
    """What a connection of an older client is told of."""

    def __init__(self, uris: set[str], task: asyncio.Task[None]) -> None:
        self.uris = uris
        self.task = task


async def _follow(view: AsyncNamespaceView, namespaces: Iterable[str], uris: set[str], notice: Notice) -> None:
    watch = view.watch(namespaces=sorted(namespaces))
    async for event in watch:
        for uri in (
            uris if event.type is WatchEventType.RESET else uris & touched(event.namespace, event.memory_id, view.name)
        ):
            await notice(uri)


async def _stop(task: asyncio.Task[None]) -> None:
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        if (own := asyncio.current_task()) is not None and own.cancelling():
            raise
    except RecalldError:
        pass  # reported when it happened


def _report(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.warning("a watch ended: %s", getattr(error, "reason", "") or type(error).__name__)


def _connection(ctx: ServerRequestContext[Any, Any]) -> str:
    """Names the connection of an older client: its session over HTTP; over stdio there is only one."""
    if ctx.request is None:
        return "stdio"
    return str(ctx.request.headers.get("mcp-session-id") or ctx.request.query_params.get("session_id", ""))


def _uri(ctx: ServerRequestContext[Any, Any]) -> str:
    uri = (ctx.params or {}).get("uri")
    if not isinstance(uri, str):
        raise MCPError(INVALID_PARAMS, "uri: is required and takes a text")
    return uri


def _asked_for(ctx: ServerRequestContext[Any, Any]) -> set[str]:
    notifications = (ctx.params or {}).get("notifications")
    uris = notifications.get("resourceSubscriptions") if isinstance(notifications, dict) else None
    return {uri for uri in uris if isinstance(uri, str)} if isinstance(uris, list) else set()


def _with_subscribe(result: HandlerResult) -> HandlerResult:
    """The answer to an older client's handshake, saying that resources can be subscribed to."""
    if isinstance(result, dict) and isinstance(resources := result["capabilities"].get("resources"), dict):
        resources["subscribe"] = True
    return result
