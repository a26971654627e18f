"""Connections that are cut, stopped or given up half way: nothing leaks, nothing is half written, nothing stays broken."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import Any

import asyncpg
import pytest
from tests.store.things import DIMENSIONS, MODEL, draft, listed, make_scope, write_texts

from recalld_server.errors import StoreUnavailable
from recalld_server.model import Filter, Request, Scope
from recalld_server.store.base import AnswerKnown
from recalld_server.store.postgres import PoolOptions, PostgresStore

SIZE = 5
OF_THE_POOL = "FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'recalld'"


async def opened(dsn: str, **options: Any) -> PostgresStore:
    store = PostgresStore(dsn, PoolOptions(**options))
    await store.start()
    await store.embedding_model(MODEL, DIMENSIONS)
    return store


@pytest.fixture
async def pooled(database: str) -> AsyncIterator[PostgresStore]:
    store = await opened(database, size=SIZE, acquire_timeout=20)
    yield store
    await store.close()


@pytest.fixture
async def outside(database: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection that is not the pool's."""
    connection = await asyncpg.connect(database)
    yield connection
    await connection.close()


async def pair(store: PostgresStore, scope: Scope, number: int) -> None:
    """Writes two memories in one unit."""
    async with store.unit(scope) as unit:
        await unit.insert(scope, [draft(scope, f"one of pair {number}")], actor="ann")
        await unit.insert(scope, [draft(scope, f"另一半 {number}")], actor="ann")


async def test_calls_given_up_at_any_point_leave_no_half_write_and_every_connection(
    database: str, outside: asyncpg.Connection
) -> None:
    store = await opened(database, size=SIZE, acquire_timeout=20)
    scope = await make_scope(store)
    loop, chance = asyncio.get_running_loop(), random.Random(5)
    for start in range(0, 500, 50):
        calls = [
            asyncio.ensure_future(pair(store, scope, number) if number % 2 else listed(store, scope))
            for number in range(start, start + 50)
        ]
        # from hardly begun to nearly all done, however slow the machine is
        patience = 0.01 * 2 ** (start // 50)
        for call in calls:
            loop.call_later(chance.uniform(0, patience), call.cancel)
        ends = await asyncio.gather(*calls, return_exceptions=True)
        assert {type(end) for end in ends if isinstance(end, BaseException)} <= {asyncio.CancelledError}
    texts = [row["content"] for row in await outside.fetch("SELECT content FROM recalld.memories")]
    assert 0 < len(texts) < 500
    assert sorted(text.rpartition(" ")[2] for text in texts) == sorted(
        number for text in texts if text.startswith("one") for number in [text.rpartition(" ")[2]] * 2
    )
    assert len(texts) == await outside.fetchval("SELECT count(*) FROM recalld.changes")

    together = asyncio.Barrier(SIZE)

    async def at_once() -> int:
        async with store.view([scope]) as view:
            await together.wait()
            return await view.count(scope, Filter())

    async with asyncio.timeout(10):
        assert await asyncio.gather(*(at_once() for _ in range(SIZE))) == [len(texts)] * SIZE
    assert await outside.fetchval(f"SELECT count(*) {OF_THE_POOL}") <= SIZE
    assert await outside.fetchval(f"SELECT count(*) {OF_THE_POOL} AND state LIKE 'idle in transaction%'") == 0
    async with asyncio.timeout(5):
        await store.close()


async def test_connections_that_were_cut_while_idle_are_replaced_unnoticed(
    pooled: PostgresStore, outside: asyncpg.Connection
) -> None:
    scope = await make_scope(pooled)
    for number in range(3):
        await asyncio.gather(*(write_texts(pooled, scope, f"第 {number} 轮 {n}") for n in range(SIZE)))
        assert await outside.fetchval(f"SELECT count(*) {OF_THE_POOL}") > 0
        assert await outside.fetchval(f"SELECT bool_and(pg_terminate_backend(pid, 5000)) {OF_THE_POOL}")
        assert len(await listed(pooled, scope)) == SIZE * (number + 1)


async def test_a_unit_whose_connection_is_cut_is_unavailable_and_stores_nothing(
    pooled: PostgresStore, outside: asyncpg.Connection
) -> None:
    scope = await make_scope(pooled)

    async def write() -> None:
        async with pooled.unit(scope) as unit:
            await unit.insert(scope, [draft(scope, "half a write")], actor="ann")
            await outside.fetch(f"SELECT pg_terminate_backend(pid, 5000) {OF_THE_POOL} AND state LIKE 'idle in%'")
            await unit.insert(scope, [draft(scope, "其余的一半")], actor="ann")

    with pytest.raises(StoreUnavailable):
        await write()
    assert await listed(pooled, scope) == []


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """A process of the database that does not answer."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


async def test_a_database_that_stops_answering_is_unavailable_in_time(
    database: str, outside: asyncpg.Connection
) -> None:
    store = await opened(database, size=1, statement_timeout=0.2, acquire_timeout=20)
    scope = await make_scope(store)
    await write_texts(store, scope, "written before 之前写的")

    async def count() -> None:
        async with store.view([scope]) as view:
            with stopped(await outside.fetchval(f"SELECT pid {OF_THE_POOL}")):
                await view.count(scope, Filter())

    async with asyncio.timeout(20):
        with pytest.raises(StoreUnavailable):
            await count()
        assert len(await listed(store, scope)) == 1
        await store.close()


async def test_a_commit_without_an_answer_says_so_and_a_retry_does_not_double_it(
    database: str, outside: asyncpg.Connection
) -> None:
    store = await opened(database, size=1, statement_timeout=0.2, acquire_timeout=20)
    scope = await make_scope(store)
    request = Request("Write", "r-1", b"body")

    async def write() -> None:
        with ExitStack() as stack:
            async with store.unit(scope, request) as unit:
                await unit.insert(scope, [draft(scope, "written once 只写一次")], actor="ann")
                await unit.remember_answer({"answer": 1})
                stack.enter_context(stopped(await outside.fetchval(f"SELECT pid {OF_THE_POOL}")))

    async with asyncio.timeout(20):
        with pytest.raises(StoreUnavailable, match="repeat it with the same request_id"):
            await write()
        with pytest.raises(AnswerKnown) as known:
            await write()
        assert known.value.answer == {"answer": 1}
        assert len(await listed(store, scope)) == 1
        await store.close()


async def test_a_look_for_work_that_finds_none_keeps_no_disk_busy(
    pooled: PostgresStore, outside: asyncpg.Connection
) -> None:
    jobs, lsn = pooled.index_jobs(), "SELECT pg_current_wal_insert_lsn()::text"

    async def written() -> bool:
        before = await outside.fetchval(lsn)
        assert await jobs.claim(10, timedelta(seconds=30)) == ()
        return bool(await outside.fetchval(lsn) != before)

    # the database writes a little by itself now and then
    assert not all([await written() for _ in range(5)])
    scope, before = await make_scope(pooled), await outside.fetchval(lsn)
    await write_texts(pooled, scope, "有事可做 something to do")
    assert await outside.fetchval("SELECT pg_current_wal_flush_lsn() > $1::text::pg_lsn", before)
