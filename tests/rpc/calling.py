"""Calls RPCs by their descriptors, and reads what is told when they fail."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from recalld_server.rpc.calls import SERVICES

METHODS: dict[str, MethodDescriptor] = {method.name: method for service in SERVICES for method in service.methods}
ENDLESS = {"Watch"}
CUT_SHORT = "Internal error from Core"
"""What grpc.aio itself reports in the caller's process when a stream ends while a message is being written to it."""
REFUSALS = 5
ADA = (("authorization", "Bearer ada"),)
BEN = (("authorization", "Bearer ben"),)


@dataclass(frozen=True)
class Failure:
    """A failed call as its caller sees it."""

    code: grpc.StatusCode
    text: str
    reason: str
    domain: str
    metadata: Mapping[str, str]
    fields: Mapping[str, str]
    """BadRequest: description by path."""
    retry_after: float | None

    @classmethod
    def of(cls, status: status_pb2.Status) -> Failure:
        info, bad, retry = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest(), error_details_pb2.RetryInfo()
        found = [
            message.DESCRIPTOR.full_name for message in (info, bad, retry) for d in status.details if d.Unpack(message)
        ]
        code = next(each for each in grpc.StatusCode if each.value[0] == status.code)
        fields = {each.field: each.description for each in bad.field_violations}
        after = retry.retry_delay.ToNanoseconds() / 1e9 if "google.rpc.RetryInfo" in found else None
        return cls(code, status.message, info.reason, info.domain, dict(info.metadata), fields, after)


async def call(
    channel: grpc.aio.Channel,
    method: str | MethodDescriptor,
    request: Message | bytes | Sequence[Message | bytes],
    metadata: Sequence[tuple[str, str]] = ADA,
    timeout: float | None = 20,
) -> Any:
    """The answer, or the list of answers of a stream, or the first of one that has no end. Raises AioRpcError."""
    descriptor = METHODS[method] if isinstance(method, str) else method
    path = f"/{descriptor.containing_service.full_name}/{descriptor.name}"
    kind = (
        f"{'stream' if descriptor.client_streaming else 'unary'}_{'stream' if descriptor.server_streaming else 'unary'}"
    )
    make = getattr(channel, kind)(
        path,
        request_serializer=lambda each: each if isinstance(each, bytes) else each.SerializeToString(),
        response_deserializer=GetMessageClass(descriptor.output_type).FromString,
    )
    if descriptor.client_streaming:
        return await _streamed(make, [request] if isinstance(request, Message | bytes) else request, metadata, timeout)
    made = make(request, metadata=metadata, timeout=timeout)
    if descriptor.name in ENDLESS:
        first = await made.read()
        made.cancel()
        return first
    return [answer async for answer in made] if descriptor.server_streaming else await made


async def _streamed(
    make: Any, requests: Sequence[Message | bytes], metadata: Sequence[tuple[str, str]], timeout: float | None
) -> list[Any]:
    """The answers to a stream of requests. A refusal is asked for again when grpc.aio puts its own word in its place, as it
    does where the server ends a call while a request is being written to it."""
    for _ in range(REFUSALS):
        try:
            return [answer async for answer in make(_each(requests), metadata=metadata, timeout=timeout)]
        except grpc.aio.AioRpcError as error:
            if error.details() != CUT_SHORT:
                raise
            last = error
    raise last


async def failure(*arguments: Any, **options: Any) -> Failure:
    """What is told of a call that must fail."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(*arguments, **options)
    return told(caught.value)


def told(error: grpc.aio.AioRpcError) -> Failure:
    """The details of a failed call; without any, the code and the text."""
    status = rpc_status.from_call(error)  # type: ignore[arg-type]
    if status is None:
        return Failure(error.code(), error.details() or "", "", "", {}, {}, None)
    assert status.code == error.code().value[0]
    assert status.message == error.details()
    return Failure.of(status)


async def _each(requests: Sequence[Message | bytes]) -> AsyncIterator[Message | bytes]:
    for request in requests:
        yield request
