"""What a servicer needs to know of its call besides the request."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, TypedDict

import grpc
from google.protobuf.descriptor import Descriptor, ServiceDescriptor
from google.protobuf.message import Message

from recalld.v1 import (
    memory_service_pb2,
    namespace_service_pb2,
    review_service_pb2,
    session_service_pb2,
    watch_service_pb2,
)
from recalld_server.core.types import CallOptions
from recalld_server.model import Principal, Request

Context = grpc.aio.ServicerContext[Any, Any]

SERVICES: tuple[ServiceDescriptor, ...] = tuple(
    service
    for module in (
        memory_service_pb2,
        session_service_pb2,
        namespace_service_pb2,
        review_service_pb2,
        watch_service_pb2,
    )
    for service in module.DESCRIPTOR.services_by_name.values()
)
"""The services of the contract."""

METHODS: dict[str, str] = {
    method.input_type.full_name: f"{service.full_name}/{method.name}"
    for service in SERVICES
    for method in service.methods
}
"""The full name of the RPC that takes a message, by the name of the message; each belongs to one RPC."""

PRINCIPAL: ContextVar[Principal] = ContextVar("principal")


AUTHENTICATED: ContextVar[Callable[[], Awaitable[Principal]]] = ContextVar("authenticated")


def authenticated() -> Callable[[], Awaitable[Principal]]:
    """What finds out anew who calls, by the credential of this call: for calls that outlive a check. It may be awaited in
    any task; raises InvalidCredential once the credential has ended."""
    return AUTHENTICATED.get()


def principal() -> Principal:
    """Who calls. Set for every call that reaches a servicer."""
    return PRINCIPAL.get()


_END: ContextVar[tuple[Context, float]] = ContextVar("end")


def time_left(context: Context) -> float | None:
    """Seconds to the call's deadline; None: it has none."""
    call, end = _END.get((None, 0.0))
    if call is not context:
        # asked once for a call: gRPC reckons by this machine's clock, which may be set while a stream runs
        left = context.time_remaining()
        end = math.inf if left is None else time.monotonic() + left
        _END.set((context, end))
    return None if end == math.inf else max(0.0, end - time.monotonic())


def call_options(request: Message, context: Context) -> CallOptions:
    """The options of a mutation: its name for a retry, when it has one, and the time that is left."""
    request_id = getattr(request, "request_id", "")
    named = Request(METHODS[request.DESCRIPTOR.full_name], request_id, fingerprint(request)) if request_id else None
    return CallOptions(named, time_left(context))


def fingerprint(request: Message) -> bytes:
    """32 bytes that are the same for a retry: of all that the caller asked but the names that it gave the call."""
    body = type(request)()
    body.CopyFrom(request)
    for name in _names_of_the_call(request.DESCRIPTOR):
        body.ClearField(name)
    return hashlib.sha256(body.SerializeToString(deterministic=True)).digest()


@lru_cache(maxsize=256)
def _names_of_the_call(descriptor: Descriptor) -> tuple[str, ...]:
    # a stream that is taken up again may number its items anew
    return tuple(name for name in ("request_id", "sequence") if name in descriptor.fields_by_name)


DEFAULT_PAGE_SIZE = 50


class Paging(TypedDict):
    """Which page of a list is asked for."""

    page_size: int
    page_token: str


def paging(request: Any) -> Paging:
    """The page that a List request asks for."""
    size = request.page_size if request.HasField("page_size") else DEFAULT_PAGE_SIZE
    return Paging(page_size=size, page_token=request.page_token)
