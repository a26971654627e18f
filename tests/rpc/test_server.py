from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2
from tests.rpc.calling import call, failure
from tests.rpc.doubles import FakeCore

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb
from recalld_server.rpc.calls import SERVICES
from recalld_server.rpc.server import ListenError, RpcServer, RpcSettings


def health_stub(channel: grpc.aio.Channel) -> Any:
    return health_pb2_grpc.HealthStub(channel)


NAMES = ["", *(service.full_name for service in SERVICES)]


@pytest.mark.parametrize("name", NAMES)
async def test_health_needs_no_key(channel: grpc.aio.Channel, name: str) -> None:
    answer = await health_stub(channel).Check(health_pb2.HealthCheckRequest(service=name))
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_health_says_not_serving_before_calls_are_refused(
    channel: grpc.aio.Channel, server: RpcServer, fake: FakeCore
) -> None:
    watch = health_stub(channel).Watch(health_pb2.HealthCheckRequest())
    states = aiter(watch)
    assert (await anext(states)).status == health_pb2.HealthCheckResponse.SERVING
    stopping = asyncio.ensure_future(server.stop(drain=5, grace=5))
    assert (await anext(states)).status == health_pb2.HealthCheckResponse.NOT_SERVING
    await call(channel, "Stats", pb.StatsRequest())
    stopping.cancel()
    watch.cancel()


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
async def test_reflection_tells_the_contract(channel: grpc.aio.Channel, version: str) -> None:
    ask = channel.stream_stream(
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )

    async def questions() -> AsyncIterator[reflection_pb2.ServerReflectionRequest]:
        yield reflection_pb2.ServerReflectionRequest(list_services="")
        yield reflection_pb2.ServerReflectionRequest(file_containing_symbol="recalld.v1.MemoryService")

    listed, described = [answer async for answer in ask(questions())]
    names = {service.name for service in listed.list_services_response.service}
    assert {service.full_name for service in SERVICES} < names
    assert {"grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection"} < names
    assert any(b"MemoryService" in file for file in described.file_descriptor_response.file_descriptor_proto)


async def test_a_message_over_the_limit_is_refused_and_the_server_lives(channel: grpc.aio.Channel) -> None:
    memory = memory_pb2.MemoryInput(content="茶" * (6 << 20))
    failed = await failure(channel, "Write", pb.WriteRequest(namespace="a", memory=memory))
    assert failed.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    await call(channel, "Stats", pb.StatsRequest())


async def test_a_megabyte_is_for_the_rules_to_judge(channel: grpc.aio.Channel, fake: FakeCore) -> None:
    memory = memory_pb2.MemoryInput(content="x" * (1 << 20))
    await call(channel, "Write", pb.WriteRequest(namespace="a", memory=memory))
    assert len(fake.asked[-1].arguments[1].content) == 1 << 20


async def test_a_unix_socket(fake: FakeCore, tmp_path: Path) -> None:
    server = RpcServer(fake.core(), RpcSettings(listen=f"unix:{tmp_path}/s"))
    address = await server.start()
    async with grpc.aio.insecure_channel(address) as channel:
        await call(channel, "Stats", pb.StatsRequest())
    await server.stop(grace=0)


async def test_an_address_that_is_taken_is_an_error(fake: FakeCore) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server = RpcServer(fake.core(), RpcSettings(listen=f"127.0.0.1:{taken.getsockname()[1]}", reuse_port=False))
        with pytest.raises(ListenError):
            await server.start()
        await server.stop(grace=0)


async def test_more_calls_than_the_limit_are_refused(fake: FakeCore) -> None:
    began, go_on = asyncio.Event(), asyncio.Event()

    async def slow(*_: object) -> object:
        from recalld_server.model import Stats

        began.set()
        await go_on.wait()
        return Stats()

    fake.answers["figures.stats"] = slow
    server = RpcServer(fake.core(), RpcSettings(listen="127.0.0.1:0", reuse_port=False, max_concurrent_rpcs=1))
    async with grpc.aio.insecure_channel(await server.start()) as channel:
        first = asyncio.ensure_future(call(channel, "Stats", pb.StatsRequest()))
        await began.wait()
        failed = await failure(channel, "Stats", pb.StatsRequest())
        assert failed.code is grpc.StatusCode.RESOURCE_EXHAUSTED
        go_on.set()
        await first
    await server.stop(grace=0)
