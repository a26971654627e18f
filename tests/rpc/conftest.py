from __future__ import annotations

from collections.abc import AsyncIterator

import grpc
import pytest
from tests.rpc.doubles import FakeCore
from tests.rpc.world import world

from recalld_server.rpc.server import RpcServer, RpcSettings

__all__ = ["world"]
"""A fixture that is made elsewhere."""


@pytest.fixture
def fake() -> FakeCore:
    return FakeCore()


@pytest.fixture
async def server(fake: FakeCore) -> RpcServer:
    """Not started; `address` starts it. Made in the loop that serves it."""
    return RpcServer(fake.core(), RpcSettings(listen="127.0.0.1:0", reuse_port=False))


@pytest.fixture
async def address(server: RpcServer) -> AsyncIterator[str]:
    yield await server.start()
    await server.stop(grace=0)


@pytest.fixture
async def channel(address: str) -> AsyncIterator[grpc.aio.Channel]:
    async with grpc.aio.insecure_channel(address) as channel:
        yield channel
