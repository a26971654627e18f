"""Three servers on one database, under load, and one is killed: nothing acknowledged is lost or doubled, jobs are done once,
and what one server changes the others see."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import asyncpg
import pytest
from tests.faults.test_database_away import SERVING, health

from recalld import AsyncClient, Durability, RetryPolicy, errors
from recalld_server.demo import process

SERVERS = 3
WRITERS = 6
STEPS = 12
SPACE = "three/servers"


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="recalld-three-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def servers(database: str, folder: Path) -> Iterator[list[process.Running]]:
    """All on one database, with one root key."""
    environment = {
        "RECALLD_EMBEDDER": "hash",
        "RECALLD_DATABASE_URL": database,
        "RECALLD_ROOT_KEY_FILE": str(folder / "root.key"),
        "RECALLD_DATABASE_POOL_SIZE": "4",
    }
    with ExitStack() as stack:
        yield [stack.enter_context(process.serving(folder / f"server-{n}", environment)) for n in range(SERVERS)]


async def test_one_of_three_is_killed_under_load(database: str, folder: Path, servers: list[process.Running]) -> None:
    key = (folder / "root.key").read_text().strip()
    clients = [
        AsyncClient(server.address, key=key, namespace=SPACE, retry=RetryPolicy(attempts=1)) for server in servers
    ]
    await clients[0].namespaces.create(SPACE)
    for client in clients:
        await client.stats()
    acknowledged: list[str] = []
    half = asyncio.Event()

    async def write(number: int, step: int, text: str) -> None:
        """As through a balancer: the next server is asked, under the same request_id."""
        durability = Durability.ACCEPTED if step % 3 == 0 else Durability.INDEXED
        for attempt in range(60):
            client = clients[(number + attempt) % SERVERS]
            try:
                await client.write(text, durability=durability, request_id=f"r-{number}-{step}", timeout=20)
            except (errors.Unavailable, errors.DeadlineExceeded, errors.Cancelled):
                await asyncio.sleep(0.05)
                continue
            acknowledged.append(text)
            return
        raise AssertionError("no server answered")

    async def writer(number: int) -> None:
        for step in range(STEPS):
            await write(number, step, f"fact {number}-{step} 事实 {number * 7919 + step}")
            # said by everybody at once: one memory
            await write(number, 1000 + step, f"shared {step} 大家都说 {step * 104729}")
            if len(acknowledged) > WRITERS * STEPS:
                half.set()

    async with asyncio.timeout(180):
        writers = [asyncio.ensure_future(writer(number)) for number in range(WRITERS)]
        await half.wait()
        servers[0].process.kill()
        await asyncio.gather(*writers)
        for server in servers[1:]:
            await health(server.address, "", SERVING)
        living = clients[1:]

        async def waiting() -> int:
            return (await living[0].stats()).queue_depth

        while await waiting():  # noqa: ASYNC110 - the other servers' work is waited for
            await asyncio.sleep(0.1)
        # a key that one server revokes is refused by the other as soon as it does not remember it any more
        made = await living[0].keys.create("agent", "reader", namespaces=[SPACE])
        async with AsyncClient(servers[2].address, key=made.secret, namespace=SPACE) as reader:
            assert await reader.search("fact 0-0 事实")
            await living[0].keys.revoke(made.key.key_id)
            while True:
                try:
                    await reader.search("fact")
                except errors.Unauthenticated:
                    break
                await asyncio.sleep(0.1)

    for client in clients:
        await client.close()
    connection = await asyncpg.connect(database, server_settings={"search_path": "recalld"})
    stored = [row["content"] for row in await connection.fetch("SELECT content FROM memories WHERE state = 1")]
    assert len(stored) == len(set(stored))
    assert set(stored) == set(acknowledged)
    assert len(stored) == WRITERS * STEPS + STEPS
    assert await connection.fetchval("SELECT count(*) FROM memories WHERE index_state <> 2") == 0
    vectors = await connection.fetchval("SELECT count(*) FROM embeddings")
    assert vectors == len(stored)
    await connection.close()
