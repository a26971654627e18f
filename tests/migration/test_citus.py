"""The schema that Citus distributes: the same tables without partitions, every key with the distribution column, and a
server that works on it. Citus itself is not at hand; see docs/scale-out.md."""

from __future__ import annotations

from pathlib import Path

import asyncpg
import pytest

from recalld import AsyncClient
from recalld_server.app import App, Endpoints
from recalld_server.settings import read_settings
from recalld_server.store.postgres.citus import DISTRIBUTION_COLUMN, EVERYWHERE, HERE, distribute, unpartitioned
from recalld_server.store.postgres.migrate import SCHEMA, load_migrations, migrate, pending
from recalld_server.store.postgres.migration import Migration, MigrationError

PLAIN = tuple(unpartitioned(each) for each in load_migrations())
INDEXES = f"""
SELECT t.relname AS "table", x.indisunique AS is_unique, pg_get_indexdef(x.indexrelid) AS definition,
  ARRAY(SELECT a.attname FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attnum = ANY (x.indkey)) AS columns
FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid
WHERE t.relnamespace = '{SCHEMA}'::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
"""


async def indexes(dsn: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetch(INDEXES)
    finally:
        await connection.close()


async def test_every_key_and_unique_index_has_the_distribution_column(database: str) -> None:
    found = await indexes(database)
    assert {row["table"] for row in found} > set(EVERYWHERE)
    for row in found:
        if row["table"] in (*EVERYWHERE, *HERE):
            continue
        if row["is_unique"]:
            assert DISTRIBUTION_COLUMN in row["columns"], row["definition"]
        assert DISTRIBUTION_COLUMN in row["definition"] or "embeddings_ann" in row["definition"], row["definition"]


async def test_every_other_table_has_the_column_and_no_foreign_key_leads_out(database: str) -> None:
    connection = await asyncpg.connect(database)
    tables = await connection.fetch(
        "SELECT c.relname, EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = $1"
        " AND a.attnotnull) AS has FROM pg_class c WHERE c.relnamespace = $2::text::regnamespace"
        " AND c.relkind IN ('r', 'p') AND NOT c.relispartition",
        DISTRIBUTION_COLUMN,
        SCHEMA,
    )
    keys = await connection.fetch("SELECT conrelid::regclass::text AS name FROM pg_constraint WHERE contype = 'f'")
    await connection.close()
    assert {row["relname"] for row in tables if not row["has"]} <= {*EVERYWHERE, *HERE}
    assert {row["name"].removeprefix(f"{SCHEMA}.") for row in keys} <= set(EVERYWHERE)


async def test_without_partitions_the_schema_is_the_same(database: str, empty_database: str) -> None:
    await migrate(empty_database, migrations=PLAIN)

    def shape(rows: list[asyncpg.Record]) -> set[tuple[str, str]]:
        return {(row["table"], row["definition"].replace(" ON ONLY ", " ON ")) for row in rows}

    assert shape(await indexes(empty_database)) == shape(await indexes(database))
    connection = await asyncpg.connect(empty_database)
    kinds = await connection.fetch(
        "SELECT relname FROM pg_class WHERE relnamespace = $1::text::regnamespace AND (relkind = 'p' OR relispartition)",
        SCHEMA,
    )
    await connection.close()
    assert kinds == []
    # a server that knows the files only finds nothing to do and nothing changed
    assert await pending(empty_database) == []


async def test_a_server_works_on_it(empty_database: str, tmp_path: Path) -> None:
    await migrate(empty_database, migrations=PLAIN)
    app = App(
        read_settings({}, listen="127.0.0.1:0", embedder="hash"),
        Endpoints(tmp_path, empty_database, empty_database, None),
    )
    try:
        address = await app.start()
        async with AsyncClient(address, key=(tmp_path / "root.key").read_text().strip()) as client:
            written = await client.write("Lin drinks oolong tea 林乔喝乌龙茶")
            assert (await client.write("Lin drinks oolong tea 林乔喝乌龙茶")).memory_id == written.memory_id
            assert (await client.search("乌龙茶 oolong"))[0].memory_id == written.memory_id
            await client.forget(written.memory_id, mode="erase")
            assert (await client.stats()).total == 0
    finally:
        await app.stop()


async def test_each_table_is_distributed_or_copied_once(empty_database: str) -> None:
    """Citus's two functions are stood in for: what is looked at is what they are asked."""
    await migrate(empty_database, migrations=PLAIN)
    connection = await asyncpg.connect(empty_database)
    await connection.execute(
        "CREATE TABLE pg_dist_partition (logicalrelid oid, by text);"
        "CREATE FUNCTION create_reference_table(t text) RETURNS void LANGUAGE sql AS"
        " $$ INSERT INTO pg_dist_partition VALUES (t::regclass, NULL) $$;"
        "CREATE FUNCTION create_distributed_table(t text, c text) RETURNS void LANGUAGE sql AS"
        " $$ INSERT INTO pg_dist_partition VALUES (t::regclass, c) $$"
    )
    placed = await distribute(connection, SCHEMA)
    assert set(EVERYWHERE) < set(placed)
    assert placed.count("memories") == 1
    rows = await connection.fetch("SELECT logicalrelid::regclass::text AS name, by FROM pg_dist_partition")
    by = {row["name"]: row["by"] for row in rows}
    assert by[f"{SCHEMA}.memories"] == by[f"{SCHEMA}.session_turns"] == DISTRIBUTION_COLUMN
    assert by[f"{SCHEMA}.keys"] is None
    assert await distribute(connection, SCHEMA) == []
    await connection.close()


def test_partitions_of_another_form_are_refused() -> None:
    strange = Migration("0099_pre_strange", False, "CREATE TABLE t (a int) PARTITION BY RANGE (a)")
    with pytest.raises(MigrationError, match="0099_pre_strange"):
        unpartitioned(strange)
