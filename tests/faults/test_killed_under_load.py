"""The server, its PostgreSQL or its Valkey is killed while writers write: it serves again by itself within seconds, and what
was acknowledged is there once."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.leftovers import healed, nothing_left, until
from tests.faults.load import Load, warmed
from tests.faults.test_database_away import SERVING, health

from recalld_server.demo import process
from recalld_server.embedded import start_postgres, start_valkey
from recalld_server.embedded.postgres import answering as postgres_at
from recalld_server.embedded.valkey import answering as valkey_at

pytestmark = pytest.mark.embedded

FAST = {"RECALLD_EMBEDDER": "hash"}
AFTER_IT = 12
"""Acknowledged writes of which some were begun after the fault: more than there are writers."""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data directory that the database's account can reach."""
    path = Path(tempfile.mkdtemp(prefix="recalld-killed-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def running(folder: Path) -> Iterator[process.Running]:
    with process.serving(folder, FAST) as server:
        yield server


async def test_postgres_is_killed(folder: Path, running: process.Running) -> None:
    postgres, valkey = await asyncio.to_thread(lambda: (start_postgres(folder), start_valkey(folder)))
    await warmed(running.address, running.root_key)
    load = Load(running.address, running.root_key)
    async with nothing_left(postgres.dsn(), running.process.pid, valkey.url), load.going():
        for _ in range(2):
            await load.goes_on()
            pid = postgres_at(postgres.socket_dir)
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            await load.goes_on(AFTER_IT, healed())
            async with asyncio.timeout(healed()):
                await health(running.address, "", SERVING)
        await load.goes_on()
    await load.ledger.holds(postgres.dsn(), among="fact %")


async def test_valkey_is_killed(folder: Path, running: process.Running) -> None:
    postgres, valkey = await asyncio.to_thread(lambda: (start_postgres(folder), start_valkey(folder)))
    await warmed(running.address, running.root_key)
    load = Load(running.address, running.root_key)

    async def another() -> bool:
        return valkey_at(valkey.socket) not in (None, valkey.pid)

    async with nothing_left(postgres.dsn(), running.process.pid, valkey.url), load.going():
        await load.goes_on()
        os.kill(valkey.pid, signal.SIGKILL)
        await load.goes_on(AFTER_IT, healed())
        async with asyncio.timeout(healed()):
            await health(running.address, "recalld.dependency.redis", SERVING)
        await until(another, "the server started another Valkey", healed())
        await load.goes_on()
    await load.ledger.holds(postgres.dsn(), among="fact %")


async def test_the_server_is_killed(folder: Path) -> None:
    running = await asyncio.to_thread(process.start, folder, FAST)
    try:
        load = Load(running.address, running.root_key)
        async with load.going():
            for _ in range(2):
                await load.goes_on()
                running.process.kill()
                running.process.wait()
                running = await asyncio.to_thread(process.start, folder, FAST)
                load.address = running.address
                await load.goes_on(AFTER_IT, healed())
        dsn = (await asyncio.to_thread(start_postgres, folder)).dsn()
        await load.ledger.holds(dsn)
    finally:
        process.stop(running.process)
