from __future__ import annotations

import asyncio
import traceback
from typing import Any

import grpc
import pytest
import structlog
from tests.rpc.calling import ADA, call, failure
from tests.rpc.doubles import ID, FakeCore

from recalld.v1 import memory_service_pb2 as pb
from recalld_server import errors
from recalld_server.rpc.server import RpcServer, RpcSettings


def part(field: int, body: bytes) -> bytes:
    """A field with a length in protobuf's wire format."""
    size, length = len(body), b""
    while size > 0x7F:
        length += bytes([size & 0x7F | 0x80])
        size >>= 7
    return bytes([field << 3 | 2]) + length + bytes([size]) + body


STREAM = [pb.StreamWriteRequest(namespace="a", memory={"content": "x"})]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("error", "code", "reason"),
    [
        (errors.NamespaceNotFound(), grpc.StatusCode.NOT_FOUND, "NAMESPACE_NOT_FOUND"),
        (errors.RoleRequired("ADMIN"), grpc.StatusCode.PERMISSION_DENIED, "ROLE_REQUIRED"),
        (errors.EtagMismatch('"2-a"', 2), grpc.StatusCode.ABORTED, "ETAG_MISMATCH"),
        (errors.QuotaExceeded("writes", "too many", 3), grpc.StatusCode.RESOURCE_EXHAUSTED, "QUOTA_EXCEEDED"),
        (errors.Draining(), grpc.StatusCode.UNAVAILABLE, "DRAINING"),
        (TimeoutError(), grpc.StatusCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED"),
        (errors.BlankContent("query"), grpc.StatusCode.INVALID_ARGUMENT, "BLANK_CONTENT"),
    ],
)
async def test_errors_of_the_rules_reach_the_caller(
    channel: grpc.aio.Channel, fake: FakeCore, error: Exception, code: grpc.StatusCode, reason: str
) -> None:
    fake.answers["figures.stats"] = error
    failed = await failure(channel, "Stats", pb.StatsRequest())
    assert (failed.code, failed.reason, failed.domain) == (code, reason, "recalld.dev")


@pytest.mark.parametrize("method", ["Stats", "StreamWrite"])
async def test_a_fault_is_not_told_but_logged(channel: grpc.aio.Channel, fake: FakeCore, method: str) -> None:
    fake.answers["figures.stats"] = fake.answers["writes.write_each"] = ValueError("我的秘密 secret")
    with structlog.testing.capture_logs() as logs:
        failed = await failure(channel, method, pb.StatsRequest() if method == "Stats" else STREAM)
    assert (failed.code, failed.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
    assert failed.metadata["error_id"] == logs[0]["error_id"]
    assert "secret" not in failed.text
    assert "secret" not in str(logs)
    assert "ValueError" in logs[0]["cause"]


async def test_what_cannot_be_decoded_is_the_callers_mistake(channel: grpc.aio.Channel, fake: FakeCore) -> None:
    value = b""
    for _ in range(200):
        value = part(5, part(1, part(1, b"a") + part(2, value)))  # a Value with a Struct with one field
    deep = part(2, part(12, part(1, part(1, b"a") + part(2, value))))  # a WriteRequest with a memory with metadata
    failed = await failure(channel, "Write", deep)
    assert (failed.code, failed.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
    for body in (b"\xff\xff\xff", part(1, b"\xff\xfe"), b"\x0a\x7fshort"):
        failed = await failure(channel, "Get", body)
        assert (failed.code, failed.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD"), body
    assert {each.name for each in fake.asked} == {"keys.authenticate"}


async def test_a_call_that_its_caller_gives_up_is_cancelled_at_once(channel: grpc.aio.Channel, fake: FakeCore) -> None:
    began, cancelled = asyncio.Event(), asyncio.Event()

    async def slow(*_: Any, **__: Any) -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    fake.answers["figures.stats"] = slow
    with structlog.testing.capture_logs() as logs:
        running = asyncio.ensure_future(call(channel, "Stats", pb.StatsRequest()))
        await began.wait()
        running.cancel()
        await asyncio.wait_for(cancelled.wait(), 5)
    assert logs == []


async def test_the_rules_are_told_how_much_time_is_left(channel: grpc.aio.Channel, fake: FakeCore) -> None:
    await call(channel, "Search", pb.SearchRequest(namespaces=["a"], query="茶"), timeout=30)
    timeout = fake.asked[-1].arguments[0].timeout
    assert 0 < timeout < 31
    await call(channel, "Search", pb.SearchRequest(namespaces=["a"], query="tea"), timeout=None)
    assert fake.asked[-1].arguments[0].timeout is None
    await call(channel, "Forget", pb.ForgetRequest(namespace="a", memory_ids=[str(ID)]), timeout=30)
    assert 0 < fake.asked[-1].arguments[2].timeout < 31


async def test_calls_under_way_when_the_server_stops_end_as_they_would(
    channel: grpc.aio.Channel, fake: FakeCore, server: RpcServer
) -> None:
    began, go_on = asyncio.Event(), asyncio.Event()

    async def slow(*_: Any, **__: Any) -> Any:
        began.set()
        await go_on.wait()
        return errors.BlankContent("memory.content")

    fake.answers["figures.stats"] = slow
    running = asyncio.ensure_future(failure(channel, "Stats", pb.StatsRequest(), ADA))
    await began.wait()
    stopping = asyncio.ensure_future(server.stop(grace=10))
    await asyncio.sleep(0)
    go_on.set()
    failed = await running
    assert (failed.code, failed.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BLANK_CONTENT")
    await asyncio.wait_for(stopping, 10)


class Watching(grpc.aio.ServerInterceptor):
    """Sees, as tracing does, what is raised inside."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def intercept_service(self, continuation: Any, handler_call_details: grpc.HandlerCallDetails) -> Any:
        handler = await continuation(handler_call_details)

        async def unary(request: Any, context: Any) -> Any:
            try:
                return await handler.unary_unary(request, context)
            except Exception as error:
                self.seen.append("".join(traceback.format_exception(error)))
                raise

        async def stream(request: Any, context: Any) -> Any:
            try:
                async for answer in handler.stream_stream(request, context):
                    yield answer
            except Exception as error:
                self.seen.append("".join(traceback.format_exception(error)))
                raise

        kept = (handler.request_deserializer, handler.response_serializer)
        if handler.stream_stream:
            return grpc.stream_stream_rpc_method_handler(stream, *kept)
        return grpc.unary_unary_rpc_method_handler(unary, *kept)


async def test_tracing_sees_no_message_of_a_fault(fake: FakeCore) -> None:
    watching = Watching()
    server = RpcServer(fake.core(), RpcSettings(listen="127.0.0.1:0", reuse_port=False), interceptors=[watching])
    fake.answers["figures.stats"] = fake.answers["writes.write_each"] = ValueError("我的秘密 secret")
    async with grpc.aio.insecure_channel(await server.start()) as channel:
        await failure(channel, "Stats", pb.StatsRequest())
        await failure(channel, "StreamWrite", STREAM)
    await server.stop(grace=0)
    assert len(watching.seen) == 2
    assert "secret" not in "".join(watching.seen)
