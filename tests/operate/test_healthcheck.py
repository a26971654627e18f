"""The image's health check asks as the server is set up: at its address, and over TLS where it serves over TLS."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.rpc.doubles import FakeCore
from tests.rpc.tenancy.certificates import issue
from tests.rpc.tenancy.test_tls import serving

from recalld_server.healthcheck import address_of, check
from recalld_server.rpc.server import RpcServer, RpcSettings


@pytest.mark.parametrize(
    ("listen", "asked"),
    [
        ("0.0.0.0:50051", "127.0.0.1:50051"),
        ("[::]:50051", "[::1]:50051"),
        (":7", "127.0.0.1:7"),
        ("127.0.0.1:9", "127.0.0.1:9"),
        ("10.0.0.7:50051", "10.0.0.7:50051"),
        ("localhost:1", "localhost:1"),
    ],
)
def test_it_asks_where_the_server_listens(listen: str, asked: str) -> None:
    assert address_of(listen) == asked


async def test_a_server_that_serves_is_well_and_one_that_does_not_is_not() -> None:
    server = RpcServer(FakeCore().core(), RpcSettings(listen="127.0.0.1:0", reuse_port=False))
    address = await server.start()
    assert await asyncio.to_thread(check, address) == ""
    await server.report({}, serving=False)
    assert await asyncio.to_thread(check, address) == f"{address}: NOT_SERVING"
    await server.stop(grace=0)
    assert "UNAVAILABLE" in await asyncio.to_thread(check, address)


@pytest.mark.parametrize("mutual", [False, True], ids=["tls", "mutual"])
async def test_over_tls_it_shows_and_trusts_the_server_s_own_certificate(tmp_path: Path, mutual: bool) -> None:
    async with serving(tmp_path, mutual=mutual) as served:
        # by address, which the certificate does not name
        address = f"127.0.0.1:{served.port}"
        files = str(tmp_path / "server.pem"), str(tmp_path / "server.key")
        assert await asyncio.to_thread(check, address, *files) == ""
        assert "UNAVAILABLE" in await asyncio.to_thread(check, address)
        other = tuple(str(path) for path in issue("another").put(tmp_path, "other"))
        assert "UNAVAILABLE" in await asyncio.to_thread(check, address, *other)
        assert "missing.pem" in await asyncio.to_thread(check, address, str(tmp_path / "missing.pem"), files[1])
