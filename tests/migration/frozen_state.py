"""Puts a database into the state in which an earlier version left it."""

from __future__ import annotations

import asyncio
import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg
from tests.migration.freeze import make

from recalld_server.embedded.binaries import find_postgres
from recalld_server.store.postgres.migrate import APP_ROLE, DEFINER_ROLE, SCHEMA, pending
from recalld_server.store.postgres.migration import MigrationError

FROZEN = Path(__file__).parent / "frozen"
RELEASED: tuple[str, ...] = ()
"""States of versions that were released: their migrations never change. Another whose migrations were edited since is made
anew, as long as it is not frozen again."""
NUMBERS = sorted(path.stem for path in FROZEN.glob("*.sql"))
"""The last migration of each frozen version."""


async def restore(number: str, dsn: str) -> dict[str, Any]:
    """Restores the dump into an empty database, as if it had been left a moment ago. Returns what must be found there."""
    found: dict[str, Any] = json.loads((FROZEN / f"{number}.json").read_text())
    connection = await asyncpg.connect(dsn)
    try:
        for role in (APP_ROLE, DEFINER_ROLE):
            if not await connection.fetchval("SELECT to_regrole($1)", role):
                await connection.execute(f"CREATE ROLE {role} NOLOGIN NOINHERIT")
        command = [str(find_postgres(None).bin / "psql"), "--set=ON_ERROR_STOP=1", "--quiet", f"--dbname={dsn}"]
        command.append(f"--file={FROZEN / f'{number}.sql'}")
        ended = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
        try:
            await pending(dsn)
        except MigrationError:
            if number in RELEASED:
                raise
            await connection.execute(f"DROP SCHEMA {SCHEMA} CASCADE")
            return await make(number, dsn)
        await _move(connection, datetime.now(UTC) - datetime.fromisoformat(found["when"]))
    finally:
        await connection.close()
    return found


async def _move(connection: asyncpg.Connection, span: Any) -> None:
    """Moves every moment: what was frozen long ago would be let go by rules that are not this test's matter."""
    columns = await connection.fetch(
        "SELECT c.oid::regclass::text AS relation, array_agg(quote_ident(a.attname)) AS columns FROM pg_class c"
        " JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = $1::text::regnamespace"
        " AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.atttypid = 'timestamptz'::regtype"
        " AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' GROUP BY 1",
        SCHEMA,
    )
    async with connection.transaction():
        await connection.execute("SET LOCAL session_replication_role = replica")
        for row in columns:
            moved = ", ".join(f"{column} = {column} + $1" for column in row["columns"])
            await connection.execute(f"UPDATE {row['relation']} SET {moved}", span)
