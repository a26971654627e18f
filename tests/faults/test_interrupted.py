"""Calls that are given up, a slow network and a pool that is full: nothing is lost, doubled or left behind."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path

from tests.faults.leftovers import PATIENCE, Ledger, contents, nothing_left
from tests.faults.relay import Relay, through
from tests.faults.test_database_away import NO_RETRY, serving

from recalld import AsyncClient, errors
from recalld_server.embedded import PostgresHandle


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

        async with nothing_left(database):
            for start in range(0, len(texts), 8):
                await asyncio.gather(*(give_up(number) for number in range(start, start + 8)))
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
    ledger = Ledger()
    async with Relay(postgres.socket_dir / f".s.PGSQL.{postgres.port}") as relay:
        dsn = through(relay, postgres, database)
        async with serving(dsn, tmp_path) as (address, key), AsyncClient(address, key=key, retry=NO_RETRY) as client:
            await ledger.keep("before it was slow", client.write("before it was slow"))
            await asyncio.gather(*(client.search("slow") for _ in range(12)))
            async with nothing_left(database):
                relay.delay = 0.25  # each way
                during = "网络很慢 while it was slow"
                await ledger.keep(during, client.write(during, timeout=PATIENCE))
                found = await client.search("网络很慢", timeout=PATIENCE)
                assert [hit.content for hit in found][:1] == [during]
                relay.delay = 0.0
                await ledger.keep("after it was slow", client.write("after it was slow"))
    await ledger.holds(database)


async def test_more_calls_than_connections_wait_or_are_told_to_come_back(database: str, tmp_path: Path) -> None:
    ledger = Ledger()
    async with (
        serving(database, tmp_path, database_pool_size=2) as (address, key),
        AsyncClient(address, key=key, retry=NO_RETRY, timeout=PATIENCE) as client,
    ):
        await ledger.keep("before it was full", client.write("before it was full"))
        texts = [f"note {number} 笔记 {number * 104729}" for number in range(60)]
        async with nothing_left(database):
            answers = await asyncio.gather(
                *(ledger.keep(text, client.write(text)) for text in texts), return_exceptions=True
            )
        refused = [each for each in answers if isinstance(each, BaseException)]
        assert all(isinstance(each, errors.Unavailable | errors.QuotaExceeded) and each.retry_after for each in refused)
        assert ledger.acknowledged
        await ledger.keep("and it goes on", client.write("and it goes on"))
    await ledger.holds(database)
