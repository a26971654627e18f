"""Behind PgBouncer in transaction mode: two server connections for everybody, and nobody sees what is another's."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from tests.store.things import DIMENSIONS, MODEL, listed, make_scope, write_texts

from recalld import AsyncClient
from recalld_server.app import App, Endpoints
from recalld_server.demo.process import free_port
from recalld_server.embedded import PostgresHandle
from recalld_server.settings import SettingsError, read_settings
from recalld_server.store.postgres import PoolOptions, PostgresStore

SERVER_CONNECTIONS = 2
CONFIGURATION = """
[databases]
* = host={sockets} port={port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 200
server_reset_query_always = 0
logfile = {folder}/log
"""


@pytest.fixture(scope="module")
def pgbouncer(postgres: PostgresHandle) -> Iterator[int]:
    """The port of a PgBouncer before the tests' PostgreSQL."""
    program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin:/usr/local/sbin")
    if program is None:
        pytest.skip("pgbouncer is not installed (apt-get install pgbouncer)")
    listen = free_port()
    with tempfile.TemporaryDirectory(prefix="recalld-bouncer-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        text = CONFIGURATION.format(
            sockets=postgres.socket_dir, port=postgres.port, listen=listen, size=SERVER_CONNECTIONS, folder=folder
        )
        (folder / "pgbouncer.ini").write_text(text)
        (folder / "pgbouncer.ini").chmod(0o644)
        process = subprocess.Popen(
            [program, "-q", "-u", "nobody", folder / "pgbouncer.ini"], stderr=subprocess.DEVNULL, cwd="/"
        )
        try:
            until = time.monotonic() + 20
            while not _listens(listen):
                assert process.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < until
            yield listen
        finally:
            process.terminate()
            process.wait(20)


def _listens(port: int) -> bool:
    async def connect() -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return False
        writer.close()
        return True

    return asyncio.run(connect())


def through(port: int, database: str) -> str:
    """The DSN of a database by way of PgBouncer."""
    return f"postgresql://postgres@127.0.0.1:{port}/{database.partition('?')[0].rpartition('/')[2]}"


async def behind(port: int, database: str, **options: Any) -> PostgresStore:
    store = PostgresStore(through(port, database), PoolOptions(size=12, pooled=True, **options), session_dsn=database)
    await store.start()
    await store.embedding_model(MODEL, DIMENSIONS)
    return store


async def test_scopes_do_not_mix_though_connections_do(pgbouncer: int, database: str) -> None:
    store = await behind(pgbouncer, database)
    written = {}
    scopes = [await make_scope(store, f"space-{n}", tenant=f"tenant-{n}") for n in range(4)]
    for scope in scopes:
        await write_texts(store, scope, f"only in {scope.namespace} 只在这里 {scope.namespace}")
        written[scope.namespace] = await listed(store, scope)
        assert len(written[scope.namespace]) == 1

    async def look(n: int) -> None:
        scope = scopes[n % len(scopes)]
        for _ in range(5):
            found = await listed(store, scope)
            assert found == written[scope.namespace]
            await write_texts(store, scope, f"only in {scope.namespace} 只在这里 {scope.namespace}")

    await asyncio.gather(*(look(n) for n in range(12)))
    connection = await asyncpg.connect(database)
    used = await connection.fetchval(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        " AND backend_type = 'client backend'"
    )
    await connection.close()
    assert used <= SERVER_CONNECTIONS
    await store.close()


async def test_a_server_behind_it_writes_searches_and_forgets(pgbouncer: int, database: str, tmp_path: Path) -> None:
    url = through(pgbouncer, database)
    settings = read_settings(
        {},
        listen="127.0.0.1:0",
        embedder="hash",
        database_url=url,
        migration_database_url=database,
        database_pooler=True,
    )
    app = App(settings, Endpoints(tmp_path, url, database, None))
    try:
        address = await app.start()
        async with AsyncClient(address, key=(tmp_path / "root.key").read_text().strip()) as client:
            texts = [f"note {n} 笔记 {n * 7919}" for n in range(20)]
            await asyncio.gather(*(client.write(text) for text in texts))
            found = await asyncio.gather(*(client.search(text, top_k=3) for text in texts))
            assert [each[0].content for each in found] == texts
            accepted = await client.write("said later 后来说的", durability="accepted")
            async with asyncio.timeout(60):
                while (await client.get(accepted.memory_id)).index_state.name != "INDEXED":  # noqa: ASYNC110 - a job's end
                    await asyncio.sleep(0.05)
            assert (await client.stats()).total == len(texts) + 1
            await client.forget(accepted.memory_id, mode="erase")
            assert (await client.stats()).total == len(texts)
    finally:
        await app.stop()


def test_a_pooler_needs_a_way_past_it() -> None:
    with pytest.raises(SettingsError, match="RECALLD_MIGRATION_DATABASE_URL"):
        read_settings({}, database_url="postgresql://x/y", database_pooler=True)
