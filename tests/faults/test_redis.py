"""A Redis that is away, does not answer, refuses, or comes back: the client goes on without it, and with it again."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from redis.asyncio import Redis

from recalld_server.embedded import ValkeyHandle, start_valkey, stop_valkey
from recalld_server.store.redis import RedisClient, RedisOptions

ACME = UUID(int=1)
MINUTE = timedelta(minutes=1)
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
async def connected(url: str) -> AsyncIterator[RedisClient]:
    client = RedisClient(url, QUICK)
    await client.start()
    try:
        yield client
    finally:
        await client.close()


async def ordered(valkey: ValkeyHandle, *command: str) -> None:
    """Runs a command of the operator's."""
    async with Redis.from_url(valkey.url) as redis:
        await redis.execute_command(*command)  # type: ignore[no-untyped-call]


async def keeps(client: RedisClient, text: str = "记忆") -> bool:
    kept = await client.set(ACME, None, "x", value=text.encode(), ttl=MINUTE)
    return kept and await client.get(ACME, None, "x") == text.encode()


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(30):
        while not await condition():  # noqa: ASYNC110 - what is waited for happens in another process
            await asyncio.sleep(0.01)


async def is_away(client: RedisClient) -> bool:
    return await client.get(ACME, None, "x") is None and not client.available


async def test_one_that_is_down_at_the_start_is_found_later(folder: Path, valkey: ValkeyHandle) -> None:
    stop_valkey(folder)
    async with connected(valkey.url) as client:
        assert not client.available
        assert await client.get(ACME, None, "x") is None
        assert not await client.set(ACME, None, "x", value=b"", ttl=MINUTE)
        assert not await client.delete(ACME, None, "x")
        start_valkey(folder)
        await until(lambda: keeps(client))


async def test_one_that_is_killed_and_started_again(folder: Path, valkey: ValkeyHandle) -> None:
    async with connected(valkey.url) as client:
        assert await keeps(client)
        os.kill(valkey.pid, signal.SIGKILL)
        await until(lambda: is_away(client))
        start_valkey(folder)
        await until(lambda: keeps(client, "again"))


async def test_one_that_accepts_and_does_not_answer(valkey: ValkeyHandle) -> None:
    async with connected(valkey.url) as client:
        assert await keeps(client)
        os.kill(valkey.pid, signal.SIGSTOP)
        try:
            answers = await asyncio.gather(*(client.get(ACME, None, "x") for _ in range(50)))
            assert answers == [None] * 50
            assert await is_away(client)
        finally:
            os.kill(valkey.pid, signal.SIGCONT)
        await until(lambda: keeps(client))


async def test_one_that_is_full_or_a_replica_still_reads(valkey: ValkeyHandle) -> None:
    async with connected(valkey.url) as client:
        assert await keeps(client)
        await ordered(valkey, "CONFIG", "SET", "maxmemory-policy", "noeviction")
        await ordered(valkey, "CONFIG", "SET", "maxmemory", "1")
        assert not await client.set(ACME, None, "y", value=b"y", ttl=MINUTE)
        assert await client.get(ACME, None, "x") == "记忆".encode()
        await ordered(valkey, "CONFIG", "SET", "maxmemory", "0")
        await ordered(valkey, "REPLICAOF", "127.0.0.1", "1")
        assert not await client.set(ACME, None, "y", value=b"y", ttl=MINUTE)
        assert await client.get(ACME, None, "x") == "记忆".encode()
        await ordered(valkey, "REPLICAOF", "NO", "ONE")
        assert await keeps(client)


async def test_one_that_wants_another_password(valkey: ValkeyHandle) -> None:
    await ordered(valkey, "CONFIG", "SET", "requirepass", "right")
    async with connected(valkey.url) as client:
        assert await is_away(client)
        async with Redis.from_url(valkey.url, password="right") as redis:
            await redis.execute_command("CONFIG", "SET", "requirepass", "")  # type: ignore[no-untyped-call]
        await until(lambda: keeps(client))


async def test_one_that_was_emptied_holds_nothing_and_no_fault(valkey: ValkeyHandle) -> None:
    async with connected(valkey.url) as client:
        assert await keeps(client)
        await ordered(valkey, "FLUSHALL")
        assert await client.get(ACME, None, "x") is None
        assert client.available
        assert await keeps(client)
