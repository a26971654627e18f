# ruff: noqa: S608 - the text is ours, every value is bound
"""What the state of a database is, as one who looks after it wants to know. Changes nothing."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime

import asyncpg

from recalld_server.errors import StoreUnavailable
from recalld_server.store.postgres.errors import DRIVER_ERRORS, translate
from recalld_server.store.postgres.migrate import APP_ROLE, SCHEMA, extension_schema, pending
from recalld_server.store.postgres.replica import SQL as REPLICAS

DOCTOR = {"application_name": "recalld doctor"}
_TABLES = f"""
SELECT c.relname AS name, c.relrowsecurity AND c.relforcerowsecurity AS forced,
  EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid) AS has_policy
FROM pg_class c WHERE c.relnamespace = '{SCHEMA}'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND c.relname <> 'migrations'
ORDER BY 1
"""
_SINCE_REPLAY = "SELECT extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8"
_ROLE = """
SELECT r.rolsuper OR r.rolbypassrls AS unbound,
  EXISTS (SELECT FROM pg_class c WHERE c.relowner = r.oid AND c.relnamespace = to_regnamespace($2)) AS owns,
  pg_has_role(current_user, r.oid, 'MEMBER') AS can_be_taken
FROM pg_roles r WHERE r.rolname = $1
"""


@dataclass(frozen=True, slots=True)
class Queue:
    """Jobs that wait, the age of the oldest in seconds, and those that were given up."""

    name: str
    depth: int
    age: float
    failed: int


@dataclass(frozen=True, slots=True)
class Standby:
    """A standby as it was found. `behind`: bytes of the database's log that it has not replayed; `seconds`: since the last
    transaction that it has replayed was committed, 0 when it has them all."""

    version: str
    is_standby: bool
    same: bool
    """Whether it is of the database in question."""
    receives: bool
    paused: bool
    behind: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was found. Texts are empty, and numbers 0, where the schema is not there yet."""

    version: str
    major: int
    seconds: float
    """For one question and its answer."""
    clock: datetime
    clock_ahead: float
    """Seconds by which the database's clock is ahead of this machine's."""
    vector: str
    vector_schema: str
    pending: tuple[str, ...]
    unprotected: tuple[str, ...]
    """Tables without forced row-level security or without a policy."""
    role_problem: str
    unsafe: tuple[str, ...]
    """Settings with which a crash loses what was acknowledged."""
    connections: int
    connection_limit: int
    model: str
    dimensions: int
    size_bytes: int
    queues: tuple[Queue, ...]


async def inspect(dsn: str) -> Inspection:
    """Looks at a database. Raises StoreUnavailable when it does not answer, MigrationError when it is another's."""
    try:
        connection = await asyncpg.connect(dsn, timeout=10, server_settings=DOCTOR)
    except asyncpg.DiskFullError as error:
        raise translate(error) from None
    except DRIVER_ERRORS as error:
        raise StoreUnavailable(f"the database does not answer ({type(error).__name__})") from None
    try:
        begin = time.perf_counter()
        clock: datetime = await connection.fetchval("SELECT clock_timestamp()")
        seconds = time.perf_counter() - begin
        ahead = (clock - datetime.now(UTC)).total_seconds() + seconds / 2
        migrated = await connection.fetchval("SELECT to_regclass($1)", f"{SCHEMA}.migrations") is not None
        tables = await connection.fetch(_TABLES) if migrated else []
        model = await _model(connection) if migrated else None
        queues = await _queues(connection) if migrated else ()
        version = connection.get_server_version()
        return Inspection(
            version=f"{version.major}.{version.minor}",
            major=version.major,
            seconds=seconds,
            clock=clock,
            clock_ahead=ahead,
            vector=await connection.fetchval("SELECT extversion FROM pg_extension WHERE extname = 'vector'") or "",
            vector_schema=await extension_schema(connection) or "",
            pending=tuple(await pending(dsn)),
            unprotected=tuple(row["name"] for row in tables if not (row["forced"] and row["has_policy"])),
            role_problem=await _role_problem(connection) if migrated else "",
            unsafe=tuple(
                row["name"]
                for row in await connection.fetch(
                    "SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off'"
                )
            ),
            connections=await connection.fetchval(
                "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
            ),
            connection_limit=int(await connection.fetchval("SHOW max_connections")),
            model=model[0] if model else "",
            dimensions=model[1] if model else 0,
            size_bytes=await connection.fetchval("SELECT pg_database_size(current_database())"),
            queues=queues,
        )
    except DRIVER_ERRORS as error:
        raise StoreUnavailable(f"the database does not answer ({type(error).__name__})") from None
    finally:
        await connection.close(timeout=5)


async def inspect_standby(dsn: str, primary_dsn: str) -> Standby:
    """Looks at a standby of a database. Raises StoreUnavailable when one of them does not answer."""
    try:
        primary = await asyncpg.connect(primary_dsn, timeout=10, server_settings=DOCTOR)
        try:
            store = await primary.fetchrow(REPLICAS["position"])
        finally:
            await primary.close(timeout=5)
        connection = await asyncpg.connect(dsn, timeout=10, server_settings=DOCTOR)
        try:
            replayed = await connection.fetchrow(REPLICAS["replayed"])
            assert store is not None
            assert replayed is not None
            standby = bool(replayed["standby"])
            behind = max(0, (store["position"] or 0) - replayed["position"]) if standby else 0
            since = await connection.fetchval(_SINCE_REPLAY) if behind else 0.0
            version = connection.get_server_version()
            return Standby(
                version=f"{version.major}.{version.minor}",
                is_standby=standby,
                same=replayed["system"] == store["system"],
                receives=await connection.fetchval("SELECT EXISTS (SELECT FROM pg_stat_wal_receiver)"),
                paused=standby and await connection.fetchval("SELECT pg_is_wal_replay_paused()"),
                behind=behind,
                seconds=since or 0.0,
            )
        finally:
            await connection.close(timeout=5)
    except DRIVER_ERRORS as error:
        raise StoreUnavailable(f"does not answer ({type(error).__name__})") from None


async def _model(connection: asyncpg.Connection) -> tuple[str, int] | None:
    async with connection.transaction():
        await connection.execute("SELECT set_config('recalld.tenant_id', gen_random_uuid()::text, true)")
        if await connection.fetchval("SELECT to_regclass($1)", f"{SCHEMA}.models") is None:
            return None
        row = await connection.fetchrow(f"SELECT name, dimensions FROM {SCHEMA}.models WHERE active")
        return None if row is None else (row["name"], row["dimensions"])


async def _queues(connection: asyncpg.Connection) -> tuple[Queue, ...]:
    if await connection.fetchval("SELECT to_regprocedure($1)", f"{SCHEMA}.operator_figures()") is None:
        return ()
    found: dict[str, dict[str, float]] = {}
    async with connection.transaction():
        await connection.execute(f"SET LOCAL ROLE {APP_ROLE}")
        for row in await connection.fetch(f"SELECT * FROM {SCHEMA}.operator_figures() WHERE queue <> ''"):
            found.setdefault(row["queue"], {})[row["figure"]] = row["amount"]
    return tuple(
        Queue(name, int(figures["depth"]), figures["age"], int(figures["failed"])) for name, figures in found.items()
    )


async def _role_problem(connection: asyncpg.Connection) -> str:
    row = await connection.fetchrow(_ROLE, APP_ROLE, SCHEMA)
    if row is None:
        return f"there is no role {APP_ROLE}"
    if row["unbound"]:
        return f"{APP_ROLE} is a superuser or may bypass row-level security"
    if row["owns"]:
        return f"{APP_ROLE} owns tables, and an owner can switch their security off"
    return "" if row["can_be_taken"] else f"this user may not take the role {APP_ROLE}"
