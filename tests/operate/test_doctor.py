"""The doctor finds what is wrong, says what to do, and changes nothing."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from tests.buckets import Buckets
from tests.store.things import make_scope, write_texts

from recalld_server.app import Endpoints
from recalld_server.cli import main
from recalld_server.doctor import Finding, examine
from recalld_server.settings import read_settings
from recalld_server.store.postgres import PostgresStore
from recalld_server.store.postgres.migrate import SCHEMA
from recalld_server.store.s3 import S3Archive


async def examined(dsn: str, folder: Path, redis_url: str | None = None, **settings: Any) -> dict[str, Finding]:
    """The findings by what was looked at."""
    read = read_settings({}, **{"embedder": "hash"} | settings)
    return {each.what: each async for each in examine(read, Endpoints(folder, dsn, dsn, redis_url))}


async def run(dsn: str, statement: str) -> Any:
    connection = await asyncpg.connect(dsn, server_settings={"search_path": SCHEMA})
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


async def test_what_is_well_is_ok(database: str, tmp_path: Path) -> None:
    found = await examined(database, tmp_path)
    # the database of the tests is one that may be lost
    assert {each.what for each in found.values() if each.level != "ok"} == {"durability"}
    looked_at = {"versions", "database", "pgvector", "migrations", "row-level security", "clocks", "connections"}
    assert found.keys() == looked_at | {f"queue {name}" for name in ("index", "session", "forget", "reflection")} | {
        *("model", "redis", "archive", "disk", "durability")
    }
    assert all(each.todo for each in found.values() if each.level != "ok")


async def test_an_empty_database_needs_its_migrations(empty_database: str, tmp_path: Path) -> None:
    found = await examined(empty_database, tmp_path)
    assert found["migrations"].level == "warn"
    assert "0001_pre_schema" in found["migrations"].says
    assert "recalld migrate" in found["migrations"].todo
    assert found["pgvector"].level == "warn"
    assert await run(empty_database, f"SELECT to_regnamespace('{SCHEMA}')") is None


@pytest.mark.parametrize(
    "damage",
    [
        "ALTER TABLE memories NO FORCE ROW LEVEL SECURITY",
        "ALTER TABLE memories DISABLE ROW LEVEL SECURITY",
        "DROP POLICY scope ON duplicates",
    ],
)
async def test_a_table_that_is_not_protected_is_named(database: str, tmp_path: Path, damage: str) -> None:
    await run(database, damage)
    finding = (await examined(database, tmp_path))["row-level security"]
    assert finding.level == "fail"
    assert damage.split()[2] in finding.says or damage.split()[-1] in finding.says


async def test_a_model_other_than_the_stored_one_is_named(database: str, tmp_path: Path) -> None:
    store = PostgresStore(database)
    await store.start()
    await store.embedding_model("another:model", 64)
    await store.close()
    finding = (await examined(database, tmp_path))["model"]
    assert finding.level == "fail"
    assert "another:model" in finding.says


async def test_what_does_not_answer_keeps_nothing_else_from_being_looked_at(tmp_path: Path) -> None:
    nowhere = "postgresql://u:hunter2@127.0.0.1:1/x"
    found = await examined(
        nowhere,
        tmp_path,
        "redis://127.0.0.1:1/0",
        embedder="openai",
        embedding_url="http://127.0.0.1:1",
        embedding_model="m",
    )
    assert (found["database"].level, found["model"].level, found["redis"].level) == ("fail", "fail", "warn")
    assert found["disk"].level == "ok"
    assert "hunter2" not in str(found)


async def test_a_database_whose_disk_is_full_is_not_said_to_be_away(tmp_path: Path) -> None:
    fields = b"SFATAL\0VFATAL\0C53100\0MNo space left on device\0\0"

    async def full(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(int.from_bytes(await reader.readexactly(4), "big") - 4)
        writer.write(b"E" + (len(fields) + 4).to_bytes(4, "big") + fields)
        writer.close()

    async with await asyncio.start_server(full, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        found = await examined(f"postgresql://u@127.0.0.1:{port}/x?sslmode=disable", tmp_path)
    assert (found["database"].level, found["database"].says) == ("fail", "the database's disk is full: make room on it")
    assert found["disk"].what == "disk"


async def test_a_folder_of_the_archive_is_tried(database: str, tmp_path: Path) -> None:
    folder = tmp_path / "cold"
    finding = (await examined(database, tmp_path, archive_dir=folder))["archive"]
    assert (finding.level, folder.exists()) == ("ok", False)
    assert "will be made" in finding.says
    folder.mkdir()
    assert (await examined(database, tmp_path, archive_dir=folder))["archive"].level == "ok"
    assert list(folder.iterdir()) == []
    (tmp_path / "file").write_text("")
    for nowhere in (tmp_path / "file", tmp_path / "file" / "cold"):
        finding = (await examined(database, tmp_path, archive_dir=nowhere))["archive"]
        assert finding.level == "fail"
        assert str(nowhere) in finding.says
        assert finding.todo


async def test_a_bucket_of_the_archive_is_tried(database: str, tmp_path: Path, buckets: Buckets) -> None:
    place = buckets.make()
    there = {
        "archive_url": f"s3://{place.bucket}/cold",
        "archive_s3_endpoint": place.endpoint,
        "archive_s3_access_key": place.access_key,
        "archive_s3_secret_key": place.secret_key,
    }
    assert (await examined(database, tmp_path, **there))["archive"].level == "ok"
    assert await S3Archive(replace(place, prefix="")).list() == ()
    finding = (await examined(database, tmp_path, **there | {"archive_url": "s3://no-such-bucket-here"}))["archive"]
    assert finding.level == "fail"
    assert "no such bucket" in finding.says
    assert place.secret_key not in str(finding)


async def test_jobs_that_were_given_up_are_told(database: str, store: PostgresStore, tmp_path: Path) -> None:
    scope = await make_scope(store)
    (memory_id,) = await write_texts(store, scope, "refused by the model 被拒绝的")
    async with store.unit(scope) as unit:
        await unit.set_index(scope, memory_id, vector=None, text_vector=None, error="refused")
    finding = (await examined(database, tmp_path))["queue index"]
    assert finding.level == "warn"
    assert "reindex --failed" in finding.todo


def test_the_command_says_what_to_do_and_ends_with_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("RECALLD_DATABASE_URL", "postgresql://127.0.0.1:1/x")
    monkeypatch.setenv("RECALLD_EMBEDDER", "hash")
    monkeypatch.setattr(sys, "argv", ["recalld", "doctor", "--data-dir", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    said = capsys.readouterr().out
    assert "✗ database" in said
    assert "→ start PostgreSQL" in said
    assert "✓ disk" in said
