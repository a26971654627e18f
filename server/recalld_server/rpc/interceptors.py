"""What happens around every call: errors become statuses, the caller is known, the request is checked.

Each wraps a method's handler once, when it is first called, and not again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import grpc
from google.protobuf.message import Message

from recalld_server.errors import InvalidCredential, RecalldError
from recalld_server.rpc.calls import AUTHENTICATED, PRINCIPAL, Context
from recalld_server.rpc.handlers import MAKE
from recalld_server.rpc.refusals import Refusals
from recalld_server.rpc.status import abort
from recalld_server.rpc.tls import subjects
from recalld_server.rpc.validation import check

if TYPE_CHECKING:
    from recalld_server.core.identity import Identity

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Unary = Callable[[Any, Context], Awaitable[Any]]
Streaming = Callable[[Any, Context], AsyncIterator[Any]]

OPEN = ("/grpc.health.", "/grpc.reflection.")
"""Open to anyone: whether the server is up, and its contract."""


class Around(grpc.aio.ServerInterceptor, ABC):
    """Wraps the handlers of recalld's own services. `request` is a message, or an iterator of them."""

    def __init__(self) -> None:
        self._wrapped: dict[str, Handler] = {}

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        method = handler_call_details.method
        handler = await continuation(handler_call_details)
        if handler is None or method.startswith(OPEN):
            return handler
        if method not in self._wrapped:
            self._wrapped[method] = self._wrap(handler, method)
        return self._wrapped[method]

    @abstractmethod
    def unary(self, call: Unary, method: str) -> Unary:
        """What is done instead of a call with one answer."""

    @abstractmethod
    def streaming(self, call: Streaming, method: str) -> Streaming:
        """What is done instead of a call with a stream of answers."""

    def _wrap(self, handler: Handler, method: str) -> Handler:
        make = MAKE[bool(handler.request_streaming), bool(handler.response_streaming)]
        wrap: Callable[[Any, str], Any] = self.streaming if handler.response_streaming else self.unary
        behaviour = handler.unary_unary or handler.unary_stream or handler.stream_unary or handler.stream_stream
        return make(wrap(behaviour, method), handler.request_deserializer, handler.response_serializer)


class Errors(Around):
    """Turns whatever a call raises into a status. Cancellation passes.

    The call is ended outside of the except block: chained to what ends it, the cause would be recorded by tracing
    interceptors with its message, which may hold what nobody else may read.
    """

    def unary(self, call: Unary, method: str) -> Unary:
        async def guarded(request: Any, context: Context) -> Any:
            try:
                return await call(request, context)
            except grpc.aio.AbortError:
                raise
            except Exception as error:  # noqa: BLE001 - the boundary: what is not expected is logged and becomes INTERNAL
                cause = error
            return await abort(context, cause, method)

        return guarded

    def streaming(self, call: Streaming, method: str) -> Streaming:
        async def guarded(request: Any, context: Context) -> AsyncIterator[Any]:
            try:
                async with aclosing(call(request, context)) as answers:  # type: ignore[type-var]
                    async for answer in answers:
                        yield answer
                return
            except grpc.aio.AbortError:
                raise
            except Exception as error:  # noqa: BLE001 - as above
                cause = error
            await abort(context, cause, method)

        return guarded


class Authentication(Around):
    """Knows the caller by the metadata `authorization` or by the certificate of the connection, and by nothing else."""

    def __init__(self, identity: Identity) -> None:
        super().__init__()
        self._identity = identity
        self._refusals = Refusals()

    def unary(self, call: Unary, method: str) -> Unary:
        async def known(request: Any, context: Context) -> Any:
            await self._authenticate(context, method)
            return await call(request, context)

        return known

    def streaming(self, call: Streaming, method: str) -> Streaming:
        async def known(request: Any, context: Context) -> AsyncIterator[Any]:
            await self._authenticate(context, method)
            async with aclosing(call(request, context)) as answers:  # type: ignore[type-var]
                async for answer in answers:
                    yield answer

        return known

    async def _authenticate(self, context: Context, method: str) -> None:
        metadata = context.invocation_metadata() or ()
        given = tuple(value for key, value in metadata if key == "authorization" and isinstance(value, str))
        again = partial(self._identity.authenticate, given, subjects(context), method.rpartition("/")[2])
        # each call runs in a task of its own, so nothing needs to be reset
        try:
            PRINCIPAL.set(await again())
        except InvalidCredential:
            self._refusals.tell(method, context.peer())
            raise
        AUTHENTICATED.set(again)


class Validation(Around):
    """Checks requests against the rules of the contract. The items of a stream are checked one by one by its servicer,
    since one that breaks a rule has an error of its own."""

    def unary(self, call: Unary, method: str) -> Unary:
        async def checked(request: Any, context: Context) -> Any:
            if isinstance(request, Message | RecalldError):
                check(request)
            return await call(request, context)

        return checked

    def streaming(self, call: Streaming, method: str) -> Streaming:
        async def checked(request: Any, context: Context) -> AsyncIterator[Any]:
            if isinstance(request, Message | RecalldError):
                check(request)
            async with aclosing(call(request, context)) as answers:  # type: ignore[type-var]
                async for answer in answers:
                    yield answer

        return checked
