"""A watch whose server is killed, and one whose database connections are cut: it goes on by its token, elsewhere too, and
in the end everything was told once and in order."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest
from tests.faults.leftovers import nothing_left

from recalld import AsyncClient, RetryPolicy
from recalld.errors import RecalldError
from recalld_server.app import prepare
from recalld_server.demo import process
from recalld_server.embedded import start_postgres, start_valkey
from recalld_server.settings import read_settings

FAST = {"RECALLD_EMBEDDER": "hash"}
WRITES = 40

pytestmark = pytest.mark.embedded


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="recalld-tests-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


async def write(server: process.Running, written: list[str]) -> None:
    """Writes one after the other, each until it is acknowledged."""
    async with AsyncClient(server.address, key=server.root_key, retry=RetryPolicy(attempts=20)) as client:
        for n in range(WRITES):
            written.append((await client.write(f"第 {n} 条：sentence {n}", kind="episodic")).memory_id)


async def cut(folder: Path) -> None:
    """Ends every connection that the servers have to the database."""
    endpoints = await asyncio.to_thread(prepare, read_settings({}, data_dir=folder))
    connection = await asyncpg.connect(endpoints.database_url)
    try:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'recalld%'"
        )
    finally:
        await connection.close()


async def test_a_watch_goes_on_after_its_server_and_its_connections_are_gone(folder: Path) -> None:
    written: list[str] = []
    seen: list[str] = []
    with process.serving(folder, FAST) as home:
        doomed = process.start(folder, FAST)
        try:
            async with AsyncClient(doomed.address, key=doomed.root_key) as client:
                watch = client.watch(types="created", patience=1.0)

                async def until_it_dies() -> None:
                    async for event in watch:
                        seen.append(event.memory_id)
                        if len(seen) == WRITES // 4:
                            doomed.process.kill()

                watching = asyncio.create_task(until_it_dies())
                async with asyncio.timeout(60):
                    while not watch.resume_token:  # noqa: ASYNC110 - the client keeps the first message to itself
                        await asyncio.sleep(0.01)
                writing = asyncio.create_task(write(home, written))
                with pytest.raises(RecalldError):
                    await asyncio.wait_for(watching, 120)
            dsn = (await asyncio.to_thread(start_postgres, folder)).dsn()
            redis_url = (await asyncio.to_thread(start_valkey, folder)).url
            async with (
                nothing_left(dsn, home.process.pid, redis_url),
                AsyncClient(home.address, key=home.root_key) as client,
                asyncio.timeout(120),
            ):
                async for event in client.watch(types="created", resume_token=watch.resume_token):
                    seen.append(event.memory_id)
                    if len(seen) == WRITES // 2:
                        await cut(folder)
                    if len(seen) == WRITES:
                        break
            await asyncio.wait_for(writing, 120)
        finally:
            doomed.process.kill()
            doomed.process.wait()
    assert seen == written
