"""Compressed requests are taken where the operator says so, and then a small one that unpacks to a large one is refused all the
same."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
import pytest
from tests.rpc.building import write
from tests.rpc.calling import call
from tests.rpc.doubles import FakeCore

from recalld.v1 import memory_service_pb2 as pb
from recalld_server.rpc.server import RpcServer, RpcSettings

LIMIT = 1 << 20


@asynccontextmanager
async def compressing(fake: FakeCore, *, compression: bool) -> AsyncIterator[grpc.aio.Channel]:
    """A channel that compresses, to a server of its own."""
    settings = RpcSettings(listen="127.0.0.1:0", reuse_port=False, compression=compression, max_message_bytes=LIMIT)
    server = RpcServer(fake.core(), settings)
    address = await server.start()
    try:
        async with grpc.aio.insecure_channel(address, compression=grpc.Compression.Gzip) as channel:
            yield channel
    finally:
        await server.stop(grace=0)


async def test_they_are_not_taken_unless_asked_for(fake: FakeCore) -> None:
    async with compressing(fake, compression=False) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call(channel, "Write", write("tea 茶 " * 1000))
        assert caught.value.code() in (grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.INTERNAL)


async def test_they_are_taken_where_asked_for(fake: FakeCore) -> None:
    async with compressing(fake, compression=True) as channel:
        assert isinstance(await call(channel, "Write", write("tea 茶 " * 1000)), pb.WriteResponse)


async def test_one_that_unpacks_to_more_than_the_limit_is_refused(fake: FakeCore) -> None:
    request = write("x" * (8 * LIMIT))
    assert len(zlib.compress(request.SerializeToString())) < LIMIT // 20
    async with compressing(fake, compression=True) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call(channel, "Write", request)
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
