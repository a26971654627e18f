"""Calls that are given up, a slow network and a pool that is full: nothing is lost, doubled or left behind."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
from tests.faults.relay import Relay
from tests.faults.test_database_away import NO_RETRY, serving

from recalld import AsyncClient, errors
from recalld_server.embedded import PostgresHandle

PATIENCE = 60.0


def through(relay: Relay, postgres: PostgresHandle, database: str) -> str:
    """The DSN of a database behind a relay."""
    name = database.partition("?")[0].rpartition("/")[2]
    return f"postgresql://{postgres.superuser}@127.0.0.1:{relay.port}/{name}"


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Returns when it holds."""
    async with asyncio.timeout(PATIENCE):
        while not await holds():  # noqa: ASYNC110 - what is waited for lies in another process
            await asyncio.sleep(0.01)


async def contents(database: str) -> list[str]:
    connection = await asyncpg.connect(database)
    try:
        return sorted(row["content"] for row in await connection.fetch("SELECT content FROM recalld.memories"))
    finally:
        await connection.close()


async def open_transactions(database: str) -> int:
    """Connections of the server that are in the middle of something."""
    connection = await asyncpg.connect(database)
    try:
        count = await connection.fetchval(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'"
        )
    finally:
        await connection.close()
    return int(count)


@contextmanager
def nothing_left_open() -> Iterator[Callable[[], Awaitable[bool]]]:
    """Gives a question: are there as many tasks and open files in this process as there were?"""
    tasks, files = len(asyncio.all_tasks()), len(os.listdir("/proc/self/fd"))

    async def asked() -> bool:
        return len(asyncio.all_tasks()) <= tasks and len(os.listdir("/proc/self/fd")) <= files

    yield asked


async def test_calls_cancelled_at_random_points_lose_and_double_nothing(database: str, tmp_path: Path) -> None:
    dice = random.Random(7)
    async with serving(database, tmp_path) as (address, key), AsyncClient(address, key=key, retry=NO_RETRY) as client:
        first = await client.write("the first fact 第一件事")
        await asyncio.gather(*(client.search("fact") for _ in range(8)))
        texts = [f"fact {number} 事实 {number * 7919}" for number in range(120)]
        calls: list[Callable[[int], Awaitable[object]]] = [
            lambda n: client.write(texts[n], request_id=f"w-{n}"),
            lambda n: client.search(texts[n]),
            lambda n: client.write_batch([texts[n]], request_id=f"w-{n}"),
            lambda n: client.update(first.memory_id, tags=[f"t{n}"], request_id=f"u-{n}"),
        ]

        async def give_up(number: int) -> None:
            call = asyncio.ensure_future(calls[number % 4](number))
            _, waiting = await asyncio.wait([call], timeout=dice.random() * 0.03)
            if waiting:
                call.cancel()
            await asyncio.gather(call, return_exceptions=True)

        with nothing_left_open() as as_before:
            for start in range(0, len(texts), 8):
                await asyncio.gather(*(give_up(number) for number in range(start, start + 8)))
            await until(as_before)

        async def idle() -> bool:
            return await open_transactions(database) == 0

        await until(idle)
        # a call under the same request id gets the first answer, or is carried out now
        for number, text in enumerate(texts):
            if number % 4 in (0, 2):
                await calls[number % 4](number)
                assert [hit.content for hit in await client.search(text, top_k=1)] == [text]
        revision = (await client.get(first.memory_id)).revision
        assert revision == len([each async for each in client.revisions(first.memory_id)])
    written = [text for number, text in enumerate(texts) if number % 4 in (0, 2)]
    assert await contents(database) == sorted([*written, "the first fact 第一件事"])


async def test_a_network_of_half_a_second_is_only_slow(database: str, postgres: PostgresHandle, tmp_path: Path) -> None:
    async with Relay(postgres.socket_dir / f".s.PGSQL.{postgres.port}") as relay:
        dsn = through(relay, postgres, database)
        async with serving(dsn, tmp_path) as (address, key), AsyncClient(address, key=key, retry=NO_RETRY) as client:
            await client.write("before it was slow")
            relay.delay = 0.25  # each way
            slow = await client.write("网络很慢 while it was slow", timeout=PATIENCE)
            found = await client.search("网络很慢", timeout=PATIENCE)
            assert [hit.memory.memory_id for hit in found][:1] == [slow.memory_id]
            relay.delay = 0.0
            await client.write("after it was slow")
    assert len(await contents(database)) == 3


async def test_more_calls_than_connections_wait_or_are_told_to_come_back(database: str, tmp_path: Path) -> None:
    async with (
        serving(database, tmp_path, database_pool_size=2) as (address, key),
        AsyncClient(address, key=key, retry=NO_RETRY, timeout=PATIENCE) as client,
    ):
        texts = [f"note {number} 笔记 {number * 104729}" for number in range(60)]
        answers = await asyncio.gather(*map(client.write, texts), return_exceptions=True)
        acknowledged = [text for text, each in zip(texts, answers, strict=True) if not isinstance(each, BaseException)]
        refused = [each for each in answers if isinstance(each, BaseException)]
        assert all(isinstance(each, errors.Unavailable | errors.QuotaExceeded) and each.retry_after for each in refused)
        assert acknowledged
        await client.write("and it goes on")
    assert set(acknowledged) <= set(await contents(database))
