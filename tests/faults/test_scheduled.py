"""Two servers on one database, and a schedule: what was missed without servers is run once, also when the server that runs
it is killed."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from tests.faults.chat_server import ChatServer, answer, insight

from recalld import AsyncClient, Policy
from recalld_server.demo import process

SECONDS = 60.0
SPACE = "scheduled/nightly"
SAID = "以后都要靠过道的座位。"


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="recalld-scheduled-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def chat() -> Iterator[ChatServer]:
    server = ChatServer()
    server.start()
    yield server
    server.stop()


async def until(condition: Callable[[], Awaitable[bool]], what: str) -> None:
    try:
        async with asyncio.timeout(SECONDS):
            while not await condition():  # noqa: ASYNC110 - what is waited for is in another process
                await asyncio.sleep(0.02)
    except TimeoutError:
        pytest.fail(f"waited {SECONDS:.0f} s for {what}")


class Database:
    """What the servers share, seen from beside them."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn

    async def value(self, statement: str) -> Any:
        connection = await self.connect()
        try:
            return await connection.fetchval(statement)
        finally:
            await connection.close()

    async def connect(self) -> Any:
        return await asyncpg.connect(self._dsn, server_settings={"search_path": "recalld"})

    async def counted(self, statement: str, count: int) -> None:
        async def is_so() -> bool:
            return bool(await self.value(f"SELECT count(*) FROM {statement}") == count)

        await until(is_so, f"{count} of {statement}")

    @asynccontextmanager
    async def due(self, days: int) -> AsyncIterator[None]:
        """As if the schedule had last been taken so many days earlier; at the end of the block both servers have seen so,
        and are let go on at one moment."""
        waiting = "pg_locks WHERE relation = 'reflection_schedules'::regclass AND NOT granted"
        changing, holding = await self.connect(), await self.connect()
        try:
            change, hold = changing.transaction(), holding.transaction()
            await change.start()
            await changing.execute("UPDATE reflection_schedules SET tick = tick - make_interval(days => $1)", days)
            await hold.start()
            # whoever sees the change stands behind this one
            first = asyncio.create_task(holding.execute("LOCK TABLE reflection_schedules IN SHARE MODE"))
            await self.counted(waiting, 1)
            await change.commit()
            await first
            yield
            await self.counted(waiting, 2)
            await hold.rollback()
        finally:
            await changing.close()
            await holding.close()


def twelve_hours_off() -> str:
    """A daily schedule that does not come round while this runs."""
    return f"0 {(datetime.now(UTC) - timedelta(hours=12)).hour} * * *"


async def test_after_a_time_without_servers_two_run_what_was_missed_once(
    database: str, folder: Path, chat: ChatServer
) -> None:
    shared, held = Database(database), threading.Event()

    def script(body: Mapping[str, Any]) -> str:
        if len(chat.asked) == 1:
            held.wait(SECONDS)
        (source,) = body["messages"][1]["content"].splitlines()
        return answer(insight(json.loads(source)["text"]))

    chat.script = script

    def start(name: str) -> process.Running:
        environment = {
            "RECALLD_EMBEDDER": "hash",
            "RECALLD_DATABASE_URL": database,
            "RECALLD_DATABASE_POOL_SIZE": "4",
            "RECALLD_DATABASE_TIMEOUT_SECONDS": str(SECONDS),
            "RECALLD_ROOT_KEY_FILE": str(folder / "root.key"),
            "RECALLD_CHAT_URL": chat.url,
            "RECALLD_CHAT_MODEL": name,
        }
        server = process.start(folder / name, environment)
        running.callback(process.stop, server.process)
        return server

    def client(server: process.Running) -> AsyncClient:
        return AsyncClient(server.address, key=(folder / "root.key").read_text().strip(), namespace=SPACE)

    with ExitStack() as running:
        first = start("first")
        async with client(first) as memory:
            await memory.namespaces.create(SPACE, policy=Policy(reflection_schedule=twelve_hours_off()))
            await memory.write(SAID, kind="episodic")
        await shared.counted("reflection_schedules", 1)
        process.stop(first.process)
        # what was due before it was switched on is none of its business
        assert await shared.value("SELECT count(*) FROM reflections") == 0

        async with shared.due(days=5):
            servers = {name: start(name) for name in ("one", "two")}
        await until(lambda: asyncio.sleep(0, bool(chat.asked)), "the model to be asked")
        dead = chat.asked[0]["model"]
        servers.pop(dead).process.kill()
        await shared.value("UPDATE reflections SET due_time = now() WHERE due_time IS NOT NULL")  # its lease is over
        ((alive, survivor),) = servers.items()
        async with client(survivor) as memory:
            reflection_id = str(await shared.value("SELECT reflection_id FROM reflections"))
            done = await memory.reflection(reflection_id).wait(timeout=SECONDS)
            derived = [each async for each in memory.list() if each.source_ids]
        held.set()
    assert (done.state, done.counts["read"], done.counts["created"]) == ("succeeded", 1, 1)
    assert [each.content for each in derived] == [SAID]
    assert [asked["model"] for asked in chat.asked] == [dead, alive]
    assert await shared.value("SELECT count(*) FROM reflections") == 1
