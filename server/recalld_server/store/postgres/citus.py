"""The same schema on several machines: plain tables instead of hash partitions, distributed by namespace under Citus.

A database that has the extension `citus` is migrated so by itself. Citus was not at hand where this was written: what was
and what was not tried is in docs/scale-out.md.
"""

from __future__ import annotations

import re
from dataclasses import replace

import asyncpg

from recalld_server.store.postgres.migration import Migration, MigrationError

DISTRIBUTION_COLUMN = "namespace_id"
EVERYWHERE = (
    "tenants",
    "keys",
    "models",
    "namespaces",
    "grants",
    "requests",
    "searches",
    "search_places",
    "search_hours",
    "audit",
)
"""Small, or asked for by tenant: a copy on every machine."""
HERE = ("migrations",)
"""Nobody asks for it in a query with others: where it is."""

_PARTITIONED = re.compile(r"\)\s*PARTITION BY HASH \(namespace_id\);")
_PARTITIONS = re.compile(r"DO \$\$\s*BEGIN\s*FOR i IN 0\.\.\d+ LOOP\b.*?PARTITION OF.*?END \$\$;", re.DOTALL)
_STORAGE = re.compile(r"ALTER TABLE (\w+)_%s (ALTER [^']*SET STORAGE [^']*)'")


def unpartitioned(migration: Migration) -> Migration:
    """The migration with plain tables where it makes partitions; its checksum stays that of the file. Raises MigrationError
    when it makes partitions in a way that is not known here."""

    def plain(loop: re.Match[str]) -> str:
        return "\n".join(f"ALTER TABLE {table} {what};" for table, what in _STORAGE.findall(loop[0]))

    sql = _PARTITIONS.sub(plain, _PARTITIONED.sub(");", migration.sql))
    if "PARTITION" in re.sub(r"--[^\n]*|\bOVER \(PARTITION BY|\(\s*PARTITION BY", "", sql):
        raise MigrationError(f"{migration.name} makes partitions that cannot be distributed: this version has a fault")
    return replace(migration, sql=sql, source=migration.sql)


async def has_citus(connection: asyncpg.Connection) -> bool:
    """Whether the database shall be distributed."""
    return bool(await connection.fetchval("SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')"))


async def distribute(connection: asyncpg.Connection, schema: str) -> list[str]:
    """Distributes the tables that are not yet, all of a namespace on one machine. Returns their names."""
    rows = await connection.fetch(
        "SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = $1::text::regnamespace AND c.relkind = 'r'"
        " AND NOT EXISTS (SELECT FROM pg_dist_partition d WHERE d.logicalrelid = c.oid) ORDER BY c.oid",
        schema,
    )
    new = [row["name"] for row in rows if row["name"] not in HERE]
    for name in sorted(new, key=lambda each: EVERYWHERE.index(each) if each in EVERYWHERE else len(EVERYWHERE)):
        table = f"{schema}.{name}"
        if name in EVERYWHERE:
            await connection.execute("SELECT create_reference_table($1)", table)
        else:
            await connection.execute("SELECT create_distributed_table($1, $2)", table, DISTRIBUTION_COLUMN)
    return new
