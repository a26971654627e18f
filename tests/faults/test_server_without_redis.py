"""A server whose Redis is away, stuck or full: Write, Search, Forget and Watch work on, limits are kept by the process, and
nothing has to be restarted."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis
from tests.e2e.watching import SPACE, Server, server
from tests.faults.leftovers import nothing_left

from recalld import AsyncClient
from recalld.errors import QuotaExceeded
from recalld_server.embedded import ValkeyHandle, start_valkey, stop_valkey
from recalld_server.model import Limits
from recalld_server.store.redis import RedisClient, RedisOptions

pytestmark = pytest.mark.embedded

TEA = "喝茶不加糖。"
QUICK = RedisOptions(probe_every=0.02, probe_timeout=0.2)


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="recalld-tests-"))
    try:
        yield path
    finally:
        stop_valkey(path)
        shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def valkey(folder: Path) -> ValkeyHandle:
    return start_valkey(folder)


@asynccontextmanager
async def served(database: str, url: str) -> AsyncIterator[tuple[Server, RedisClient, AsyncClient]]:
    redis = RedisClient(url, QUICK)
    await redis.start()
    try:
        async with server(database, redis=redis) as running, running.client(await running.key("ann")) as client:
            await running.store.quotas().set_limits("default", Limits(requests_per_second=1000))
            yield running, redis, client
    finally:
        await redis.close()


async def works(client: AsyncClient, name: str) -> None:
    """A memory is written, found and erased."""
    written = await client.write(f"{TEA} {name}", kind="episodic")
    assert written.memory_id in {hit.memory.memory_id for hit in (await client.search(f"喝茶 {name}")).hits}
    await client.forget([written.memory_id], mode="erase")
    assert written.memory_id not in {hit.memory.memory_id for hit in (await client.search(f"喝茶 {name}")).hits}


async def back(redis: RedisClient) -> None:
    async with asyncio.timeout(30):
        while not redis.available:  # noqa: ASYNC110 - what is waited for happens in another process
            await asyncio.sleep(0.01)


async def test_one_that_is_killed_under_a_watch_and_started_again(
    database: str, folder: Path, valkey: ValkeyHandle
) -> None:
    async with (
        served(database, valkey.url) as (running, redis, client),
        running.watch(await running.key("bob")) as stream,
    ):
        await stream.begun()
        await works(client, "before")
        async with nothing_left(database):
            os.kill(valkey.pid, signal.SIGKILL)
            await works(client, "without")
            assert not redis.available
            start_valkey(folder)
            await back(redis)
            await works(client, "after")
        assert [(await stream.event()).type for _ in range(6)] == [1, 4] * 3


async def test_one_that_does_not_answer(database: str, valkey: ValkeyHandle) -> None:
    async with served(database, valkey.url) as (_, redis, client):
        os.kill(valkey.pid, signal.SIGSTOP)
        try:
            await works(client, "stuck")
            assert not redis.available
        finally:
            os.kill(valkey.pid, signal.SIGCONT)
        await back(redis)
        await works(client, "after")


@pytest.mark.parametrize(
    "command", ["CONFIG SET maxmemory 1", "REPLICAOF 127.0.0.1 1", "CONFIG SET requirepass right", "FLUSHALL"]
)
async def test_one_that_refuses(database: str, valkey: ValkeyHandle, command: str) -> None:
    async with served(database, valkey.url) as (_, _, client):
        async with Redis.from_url(valkey.url) as operator:
            await operator.execute_command("CONFIG", "SET", "maxmemory-policy", "noeviction")  # type: ignore[no-untyped-call]
            await operator.execute_command(*command.split())  # type: ignore[no-untyped-call]
        await works(client, "refused")


async def test_limits_are_kept_by_the_process_meanwhile(database: str, folder: Path, valkey: ValkeyHandle) -> None:
    async with served(database, valkey.url) as (running, redis, _):
        await running.store.ensure_tenant("orion")
        await running.store.quotas().set_limits("orion", Limits(requests_per_second=0.01))
        async with running.client(await running.key("eve", tenant="orion"), SPACE) as client:
            await client.stats(all_namespaces=True)
            with pytest.raises(QuotaExceeded):
                await client.stats(all_namespaces=True)
            stop_valkey(folder)
            # the bucket of the process begins full
            await client.stats(all_namespaces=True)
            with pytest.raises(QuotaExceeded):
                await client.stats(all_namespaces=True)
            assert not redis.available
            start_valkey(folder)
            await back(redis)
