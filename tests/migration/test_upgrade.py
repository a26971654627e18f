"""From the schema of an earlier version to this one: with everything in it, while servers go on, and however it is interrupted."""

from __future__ import annotations

import asyncio
import importlib
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from tests.e2e.inside import TestEmbedder, listening
from tests.migration.freeze import FACTS
from tests.migration.frozen_state import NUMBERS, restore

from recalld import AsyncClient, RetryPolicy, State, errors
from recalld_server.app import App, Endpoints
from recalld_server.cli import main
from recalld_server.core.keys import mint
from recalld_server.embedded.binaries import find_postgres
from recalld_server.settings import read_settings
from recalld_server.store.postgres.migrate import SCHEMA, load_migrations, migrate, pending
from recalld_server.store.postgres.migration import Migration, MigrationError

module = importlib.import_module("recalld_server.store.postgres.migrate")
WAITING = "FROM pg_locks WHERE NOT granted AND relation = 'tenants'::regclass"
COLUMNS = f"""
SELECT c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) AS name,
  a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS must_be_given
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = '{SCHEMA}'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
  AND a.attnum > 0 AND NOT a.attisdropped
"""
FUNCTIONS = f"""
SELECT p.oid::regprocedure || ' ' || pg_get_function_result(p.oid) AS name FROM pg_proc p
WHERE p.pronamespace = '{SCHEMA}'::regnamespace
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
"""


NEXT = (
    Migration(
        "9001_pre_next",
        False,
        "ALTER TABLE tenants ADD COLUMN next_note text NOT NULL DEFAULT '';"
        " ALTER TABLE memories ADD COLUMN next_score real NOT NULL DEFAULT 0;"
        " CREATE INDEX memories_next ON memories (namespace_id, next_score)",
    ),
    Migration("9002_post_next", True, "ALTER TABLE memories DROP COLUMN next_score"),
)
"""What a version after this one may bring, behind the migrations that there are."""
KNOWN = load_migrations()


@dataclass(frozen=True)
class Before:
    """A database as an earlier version left it. `found`: what must be found there."""

    number: str
    dsn: str
    found: dict[str, Any]

    @property
    def later(self) -> list[str]:
        """The migrations that came after it."""
        return [each.name for each in (*KNOWN, *NEXT) if each.name[:4] > self.number]


@pytest.fixture(params=NUMBERS)
async def before(
    request: pytest.FixtureRequest, empty_database: str, template_database: str, monkeypatch: pytest.MonkeyPatch
) -> Before:
    found = await restore(request.param, empty_database)
    monkeypatch.setattr(module, "load_migrations", lambda: (*KNOWN, *NEXT))
    return Before(request.param, empty_database, found)


@asynccontextmanager
async def served(before: Before, folder: Path) -> AsyncIterator[AsyncClient]:
    """A client of a server of this version on that database."""
    key = mint()[1]
    (folder / "root.key").write_text(key)
    app = App(read_settings({}, listen="127.0.0.1:0", embedder="hash"), Endpoints(folder, before.dsn, before.dsn, None))
    try:
        address = await app.start()
        async with AsyncClient(address, key=key, namespace=before.found["namespace"]) as client:
            yield client
    finally:
        await app.stop()


async def names(dsn: str, query: str) -> dict[str, asyncpg.Record]:
    connection = await asyncpg.connect(dsn, server_settings={"search_path": SCHEMA})
    try:
        return {row["name"]: row for row in await connection.fetch(query)}
    finally:
        await connection.close()


def schema_of(dsn: str) -> list[str]:
    """Every statement that makes the schema, in the order of the alphabet; without the index of a model, which is made when the
    first server says which model that is."""
    command = [str(find_postgres(None).bin / "pg_dump"), f"--dbname={dsn}", "--schema-only", "--no-comments"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = [line for line in text.splitlines() if line and not line.startswith(("--", "\\"))]
    statements = [statement.strip() for statement in "\n".join(lines).split(";\n")]
    return sorted(each for each in statements if "embeddings_ann_" not in each and "_embedding_idx" not in each)


async def test_what_came_since_is_what_is_missing(before: Before) -> None:
    assert await pending(before.dsn) == before.later


async def test_a_new_server_finds_everything_as_it_was(before: Before, tmp_path: Path) -> None:
    found = before.found
    async with served(before, tmp_path) as client:
        for memory_id, text in found["facts"].items():
            memory = await client.get(memory_id)
            assert (memory.content, memory.tags) == (text, ("house", "房子"))
            assert memory.metadata["floor"] == 2
            assert (await client.search(text))[0].memory_id == memory_id
        assert (await client.search("锅炉"))[0].content == FACTS[0]
        assert (await client.search("projector"))[0].content == FACTS[1]
        # history
        revisions = [each async for each in client.revisions(found["changed"])]
        assert [each.memory.content for each in revisions] == [
            "The gate code is 2805 大门密码是2805",
            "The gate code is 4711 大门密码是4711",
        ]
        first = revisions[-1].memory
        assert (await client.restore(found["changed"], revision=first.revision)).content == first.content
        # what was let go is hidden, and comes back
        with pytest.raises(errors.NotFound):
            await client.get(found["forgotten"])
        assert (await client.restore(found["forgotten"])).state is State.ACTIVE
        assert (await client.restore(found["archived"])).content == "the old canteen menu 旧食堂菜单"
        # what is private stays so
        with pytest.raises(errors.NotFound):
            await client.get(found["private"])
        secret = (await client.keys.create("ben", "reader")).secret
        async with AsyncClient(client.addr, key=secret, namespace=found["namespace"]) as ben:
            assert (await ben.get(found["private"])).content == "ben's locker is 17 本的柜子是17号"
        view = await client.session(found["session"]).get()
        assert [turn.content for turn in view.turns] == ["Where is the boiler? 锅炉在哪里？", "in the cellar 在地下室"]
        # and all goes on: the same text is known, others are written, changed and erased
        assert (await client.write(FACTS[0], tags=["house"])).memory_id in found["facts"]
        written = await client.write("the new boiler comes in spring 新锅炉春天到")
        await client.update(written.memory_id, content="the new boiler comes in autumn 新锅炉秋天到")
        await client.forget(list(found["facts"]), mode="erase")
        assert (await client.search("boiler 锅炉"))[0].memory_id == written.memory_id
    assert await pending(before.dsn) == [name for name in before.later if "_post_" in name]


async def test_what_servers_of_before_use_is_there_until_the_end(before: Before) -> None:
    columns, functions = await names(before.dsn, COLUMNS), await names(before.dsn, FUNCTIONS)
    await migrate(before.dsn, post=False)
    after = await names(before.dsn, COLUMNS)
    assert columns.keys() <= after.keys()
    assert functions.keys() <= (await names(before.dsn, FUNCTIONS)).keys()
    tables = {name.partition(".")[0] for name in columns}
    # a row that says nothing of what it does not know can still be written
    new = [row for name, row in after.items() if name not in columns and name.partition(".")[0] in tables]
    assert [row["name"] for row in new if row["must_be_given"]] == []


async def test_a_server_goes_on_while_the_schema_changes_under_it(before: Before) -> None:
    """The server is of this version, on the schema of the one before: what it prepared there holds."""
    async with (
        listening(before.dsn, TestEmbedder()) as (address, key),
        AsyncClient(
            address, key=key, namespace=before.found["namespace"], retry=RetryPolicy(attempts=1), read_timeout=30
        ) as client,
    ):
        calls, done = 0, asyncio.Event()

        async def caller(number: int) -> None:
            nonlocal calls
            while not done.is_set() or calls < 8:
                text = f"while it changes {number}-{calls} 变化之中 {number * 7919 + calls * 104729}"
                written = await client.write(text)
                assert (await client.search(text))[0].memory_id == written.memory_id
                await client.update(written.memory_id, content=f"{text}!")
                calls += 1

        callers = [asyncio.ensure_future(caller(number)) for number in range(3)]
        try:
            assert await migrate(before.dsn) == before.later
        finally:
            done.set()
            async with asyncio.timeout(60):
                await asyncio.gather(*callers)


async def test_the_command_twice_does_it_once_and_ends_where_a_fresh_database_begins(
    before: Before, database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def recalld(*arguments: str) -> str:
        monkeypatch.setenv("RECALLD_DATABASE_URL", before.dsn)
        monkeypatch.setattr(sys, "argv", ["recalld", "migrate", "--data-dir", str(tmp_path), *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 0
        return capsys.readouterr().out

    assert re.findall(r"applied (\S+)", await asyncio.to_thread(recalld)) == before.later
    assert "the schema is current" in await asyncio.to_thread(recalld)
    assert "the schema is current" in await asyncio.to_thread(recalld, "--additive")
    await migrate(database)
    assert schema_of(before.dsn) == schema_of(database)


async def test_two_new_servers_start_at_once(before: Before, tmp_path: Path) -> None:
    text = FACTS[1]

    places = [tmp_path / name for name in ("one", "two")]
    for place in places:
        place.mkdir()

    async def start(place: Path) -> None:
        async with served(before, place) as client:
            assert (await client.search(text))[0].content == text

    async with asyncio.timeout(60):
        await asyncio.gather(*map(start, places))


async def test_one_that_was_interrupted_is_taken_up_again(before: Before, database: str) -> None:
    blocker = await asyncpg.connect(before.dsn, server_settings={"search_path": SCHEMA})
    try:
        async with blocker.transaction():
            await blocker.execute("LOCK TABLE tenants IN ACCESS SHARE MODE")
            migrating = asyncio.ensure_future(migrate(before.dsn))
            await _until_it_waits(blocker)
            # as when the machine of `recalld migrate` dies
            await blocker.execute(f"SELECT pg_terminate_backend(pid) {WAITING}")
            with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError, MigrationError)):
                await migrating
        done = [name for name in before.later if name not in await pending(before.dsn)]
        assert done + await migrate(before.dsn) == before.later
    finally:
        await blocker.close()
    await migrate(database)
    assert schema_of(before.dsn) == schema_of(database)


async def test_it_lets_calls_pass_while_it_waits_for_a_table(before: Before, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever comes after one that waits for a table waits behind it: so it gives way, and comes again."""
    monkeypatch.setattr(module, "TABLE_SECONDS", 0.2)
    monkeypatch.setattr(module, "TABLE_PAUSE", 0.1)
    long, reader = [
        await asyncpg.connect(before.dsn, server_settings={"search_path": SCHEMA}, command_timeout=30) for _ in range(2)
    ]
    migrating: asyncio.Future[list[str]] | None = None
    try:
        async with long.transaction():
            await long.execute("LOCK TABLE tenants IN ACCESS SHARE MODE")
            migrating = asyncio.ensure_future(migrate(before.dsn))
            for _ in range(2):
                await _until_it_waits(long)
                assert await reader.fetchval("SELECT count(*) FROM tenants") > 0
            assert not migrating.done()
        assert await migrating == before.later
    finally:
        if migrating is not None and not migrating.done():
            migrating.cancel()
            with suppress(asyncio.CancelledError):
                await migrating
        await long.close()
        await reader.close()


async def test_a_table_that_stays_in_use_is_named_as_such(before: Before, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TABLE_SECONDS", 0.05)
    monkeypatch.setattr(module, "TABLE_PAUSE", 0.0)
    monkeypatch.setattr(module, "TABLE_TRIES", 2)
    long = await asyncpg.connect(before.dsn, server_settings={"search_path": SCHEMA})
    async with long.transaction():
        await long.execute("LOCK TABLE tenants IN ACCESS SHARE MODE")
        with pytest.raises(MigrationError, match="a long transaction keeps a table in use"):
            await migrate(before.dsn)
    await long.close()
    assert await migrate(before.dsn)


async def _until_it_waits(connection: asyncpg.Connection) -> None:
    async with asyncio.timeout(30):
        while not await connection.fetchval(f"SELECT EXISTS (SELECT {WAITING})"):  # noqa: ASYNC110 - for another session
            await asyncio.sleep(0.01)
