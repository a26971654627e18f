"""A standby that dies, hangs, falls behind or is promoted: reads go on, health tells of it, and it is asked again when it is
well."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.faults.relay import Relay
from tests.operate.replicated import NOT_SERVING, REPLICA, SERVING, replicated, until
from tests.operate.replication import NAME, Standby

from recalld import AsyncClient
from recalld_server.embedded import PostgresHandle
from recalld_server.settings import SettingsError, read_settings

TEXT = "the ladder leans on the shed 梯子靠在棚子上"


async def finds(client: AsyncClient) -> None:
    found = await client.search("ladder 梯子", timeout=10)
    assert found[0].content == TEXT
    assert not found.degraded_stages


async def searching(client: AsyncClient, meanwhile: Callable[[], Awaitable[None]]) -> int:
    """Searches without a break while something happens; each must find. Returns how many did."""
    done, count = asyncio.Event(), 0

    async def caller() -> None:
        nonlocal count
        while not done.is_set():
            await finds(client)
            count += 1

    callers = [asyncio.ensure_future(caller()) for _ in range(4)]
    try:
        async with asyncio.timeout(60):
            await meanwhile()
    finally:
        done.set()
        await asyncio.gather(*callers)
    return count


async def test_it_is_killed_and_comes_back(primary: PostgresHandle, standby: Standby, tmp_path: Path) -> None:
    space = "killed"
    async with replicated(primary.dsn(), tmp_path, standby.dsn) as server, server.client(namespace=space) as client:
        await client.namespaces.create(space)
        await client.write(TEXT)
        await server.served(lambda: finds(client))

        async def kill() -> None:
            await asyncio.to_thread(standby.kill)
            await server.health(REPLICA, NOT_SERVING)

        assert await searching(client, kill) > 0
        await server.health("", SERVING)
        await server.health("recalld.dependency.database", SERVING)
        await client.write("written meanwhile 其间写下的")
        await finds(client)
        await asyncio.to_thread(standby.start)
        await server.health(REPLICA, SERVING)
        await server.served(lambda: finds(client))


async def test_it_does_not_answer_any_more(primary: PostgresHandle, standby: Standby, tmp_path: Path) -> None:
    space = "hanging"
    async with Relay(standby.handle.socket_dir / f".s.PGSQL.{standby.handle.port}") as relay:
        dsn = f"postgresql://postgres@127.0.0.1:{relay.port}/{NAME}"
        async with replicated(primary.dsn(), tmp_path, dsn) as server, server.client(namespace=space) as client:
            await client.namespaces.create(space)
            await client.write(TEXT)
            await server.served(lambda: finds(client))

            async def cut() -> None:
                relay.cut()
                await server.health(REPLICA, NOT_SERVING)

            assert await searching(client, cut) > 0
            relay.mend()
            await server.health(REPLICA, SERVING)
            await server.served(lambda: finds(client))


async def test_it_falls_behind_and_catches_up(primary: PostgresHandle, standby: Standby, tmp_path: Path) -> None:
    space = "behind"
    async with (
        replicated(primary.dsn(), tmp_path, standby.dsn, replica_max_lag_seconds=0.5) as server,
        server.client(namespace=space) as client,
        server.client(namespace=space) as other,
    ):
        await client.namespaces.create(space)
        await client.write("before 之前")
        await server.served(lambda: other.search("before 之前"))
        await standby.run("SELECT pg_wal_replay_pause()")
        await until(lambda: standby.run("SELECT pg_get_wal_replay_pause_state() = 'paused'"), "replay is paused")
        await client.write(TEXT)
        await server.health(REPLICA, NOT_SERVING)
        # one that has not heard of it is not told what is too old
        await finds(other)
        assert await server.reads("behind") > 0
        await standby.run("SELECT pg_wal_replay_resume()")
        await server.health(REPLICA, SERVING)
        await server.served(lambda: finds(other))


async def test_it_is_promoted_and_asked_no_more(primary: PostgresHandle, standby: Standby, tmp_path: Path) -> None:
    space = "promoted"
    async with replicated(primary.dsn(), tmp_path, standby.dsn) as server, server.client(namespace=space) as client:
        await client.namespaces.create(space)
        await client.write(TEXT)
        await server.served(lambda: finds(client))
        assert await standby.run("SELECT pg_promote()")
        await server.health(REPLICA, NOT_SERVING)
        before = await server.reads("served")
        await finds(client)
        assert await server.reads("served") == before


async def test_a_server_starts_without_it_and_finds_it_later(
    primary: PostgresHandle, standby: Standby, tmp_path: Path
) -> None:
    space = "late"
    standby.kill()
    async with replicated(primary.dsn(), tmp_path, standby.dsn) as server, server.client(namespace=space) as client:
        await client.namespaces.create(space)
        await client.write(TEXT)
        await finds(client)
        await server.health(REPLICA, NOT_SERVING)
        await asyncio.to_thread(standby.start)
        await server.health(REPLICA, SERVING)
        await server.served(lambda: finds(client))


async def test_of_two_the_other_answers(primary: PostgresHandle, standby: Standby, tmp_path: Path) -> None:
    space = "two"
    nowhere = "postgresql://postgres@127.0.0.1:1/postgres"
    async with replicated(primary.dsn(), tmp_path, nowhere, standby.dsn) as server:
        await server.health("recalld.dependency.replica-1", NOT_SERVING)
        await server.health("recalld.dependency.replica-2", SERVING)
        async with server.client(namespace=space) as client:
            await client.namespaces.create(space)
            await client.write(TEXT)
            await server.served(lambda: finds(client))


async def test_another_database_is_refused(primary: PostgresHandle, database: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="RECALLD_REPLICA_DATABASE_URL: replica is no standby"):
        async with replicated(primary.dsn(), tmp_path, database):
            pass


def test_a_standby_needs_the_database_whose_standby_it_is() -> None:
    with pytest.raises(SettingsError, match="RECALLD_REPLICA_DATABASE_URL: needs RECALLD_DATABASE_URL"):
        read_settings({"RECALLD_REPLICA_DATABASE_URL": "postgresql://standby/recalld"})
