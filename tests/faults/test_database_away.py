"""The database restarts, or the network to it is cut: nothing acknowledged is lost or doubled, and it heals by itself."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.faults.leftovers import contents, healed, nothing_left
from tests.faults.load import Load
from tests.faults.relay import Relay, through

from recalld import AsyncClient, RetryPolicy, errors
from recalld_server.app import App, Endpoints
from recalld_server.embedded import PostgresHandle, start_postgres, stop_postgres
from recalld_server.settings import read_settings
from recalld_server.store.postgres import migrate

SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING
NO_RETRY = RetryPolicy(attempts=1)


@asynccontextmanager
async def serving(dsn: str, folder: Path, **settings: object) -> AsyncIterator[tuple[str, str]]:
    """The address of a server in this process, and its root key."""
    options = {"listen": "127.0.0.1:0", "embedder": "hash", "database_timeout_seconds": 2.0, "grace_seconds": 0.5}
    app = App(read_settings({}, **options | settings), Endpoints(folder, dsn, dsn, None))
    try:
        yield await app.start(), (folder / "root.key").read_text().strip()
    finally:
        await app.stop()


async def health(address: str, service: str, wanted: int) -> None:
    """Returns when health says so about a service."""
    async with grpc.aio.insecure_channel(address) as channel:
        watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(service=service))  # type: ignore[attr-defined]
        async for answer in watch:
            if answer.status == wanted:
                return


async def test_a_network_that_is_cut_is_noticed_and_healed(
    database: str, postgres: PostgresHandle, tmp_path: Path
) -> None:
    async with Relay(postgres.socket_dir / f".s.PGSQL.{postgres.port}") as relay:
        dsn = through(relay, postgres, database)
        async with (
            serving(dsn, tmp_path) as (address, key),
            AsyncClient(address, key=key, retry=NO_RETRY) as client,
        ):
            async with asyncio.timeout(30):
                await client.write("before the cut 断网之前")
                await asyncio.gather(*(client.search("cut") for _ in range(12)))
                await health(address, "recalld.dependency.database", SERVING)
            async with nothing_left(database):
                async with asyncio.timeout(30):
                    relay.cut()
                    lost = await asyncio.gather(*(client.search("cut") for _ in range(12)), return_exceptions=True)
                    assert {type(each) for each in lost} <= {errors.Unavailable, errors.DeadlineExceeded}
                    await health(address, "", NOT_SERVING)
                    await health(address, "recalld.dependency.database", NOT_SERVING)
                    with pytest.raises(errors.Unavailable):
                        await client.write("during the cut 断网之中")
                relay.mend()
                async with asyncio.timeout(healed()):
                    await health(address, "", SERVING)
                    await health(address, "recalld.v1.MemoryService", SERVING)
                    found = await asyncio.gather(*(client.search("cut 断网") for _ in range(12)))
                assert all(each[0].content == "before the cut 断网之前" for each in found)
    assert await contents(database) == ["before the cut 断网之前"]


def last_word() -> bytes:
    """What PostgreSQL says before it ends a connection."""
    fields = b"SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0"
    return b"E" + (len(fields) + 4).to_bytes(4, "big") + fields


async def test_connections_that_heard_the_last_word_but_are_still_open_are_replaced_unnoticed(
    database: str, postgres: PostgresHandle, tmp_path: Path
) -> None:
    async with Relay(postgres.socket_dir / f".s.PGSQL.{postgres.port}") as relay:
        dsn = through(relay, postgres, database)
        async with (
            serving(dsn, tmp_path) as (address, key),
            AsyncClient(address, key=key, retry=RetryPolicy(attempts=5)) as client,
            asyncio.timeout(60),
        ):
            for number in range(3):
                await asyncio.gather(*(client.search("each 各") for _ in range(12)))
                relay.say(last_word())
                await client.write(f"written after the last word, 第 {number} 次", kind="episodic")
            assert len([memory async for memory in client.list()]) == 3


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data directory that the database's account can reach."""
    path = Path(tempfile.mkdtemp(prefix="recalld-faults-"))
    path.chmod(0o755)
    yield path
    stop_postgres(path)
    shutil.rmtree(path, ignore_errors=True)


async def test_a_restart_of_the_database_under_load_loses_and_doubles_nothing(folder: Path) -> None:
    dsn = (await asyncio.to_thread(start_postgres, folder)).dsn()
    await migrate(dsn)
    async with serving(dsn, folder) as (address, key):
        load = Load(address, key)
        async with nothing_left(dsn), load.going():
            await load.goes_on()
            await asyncio.to_thread(stop_postgres, folder)
            await asyncio.to_thread(start_postgres, folder)
            await load.goes_on(12, healed())
            async with asyncio.timeout(healed()):
                await health(address, "", SERVING)
            await load.goes_on()
    await load.ledger.holds(dsn)
    assert sorted(load.ledger.acknowledged) == await contents(dsn)
