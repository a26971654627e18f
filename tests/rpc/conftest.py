from __future__ import annotations

from collections.abc import AsyncIterator

import grpc
import pytest
from tests.rpc.doubles import FakeCore

from recalld_server.rpc.server import RpcServer, RpcSettings


@pytest.fixture
def fake() -> FakeCore:
    return FakeCore()


@pytest.fixture
async def server(fake: FakeCore) -> AsyncIterator[RpcServer]:
    server = RpcServer(fake.core(), RpcSettings(listen="127.0.0.1:0", reuse_port=False))
    server.address = await server.start()  # type: ignore[attr-defined]
    yield server
    await server.stop(grace=0)


@pytest.fixture
async def channel(server: RpcServer) -> AsyncIterator[grpc.aio.Channel]:
    async with grpc.aio.insecure_channel(server.address) as channel:  # type: ignore[attr-defined]
        yield channel
