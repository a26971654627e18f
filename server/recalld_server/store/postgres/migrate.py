"""Migrations: migrations/NNNN_pre_name.sql add, NNNN_post_name.sql take away what no running server needs any more.

Whoever comes first migrates under an advisory lock, the others wait. A file that was applied never changes: its checksum
is kept.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from importlib.resources.abc import Traversable

import asyncpg

from recalld_server.store.postgres.citus import distribute, has_citus, unpartitioned
from recalld_server.store.postgres.errors import DRIVER_ERRORS
from recalld_server.store.postgres.migration import Migration, MigrationError

SCHEMA = "recalld"
APP_ROLE = "recalld_app"
DEFINER_ROLE = "recalld_definer"
LOCK = 7021953481174001
"""Key of the advisory lock, the same for every version."""
FILE = re.compile(r"(\d{4})_(pre|post)_[a-z0-9_]+\.sql")
LOCK_TIMEOUT = 600.0
TABLE_SECONDS = 2.0
"""How long a migration waits for a table that somebody uses. While it waits, whoever comes after it waits behind it."""
TABLE_TRIES = 60
TABLE_PAUSE = 1.0


def load_migrations(folder: Traversable | None = None) -> tuple[Migration, ...]:
    """The files in order. Raises MigrationError when a name is wrong or a number is taken twice."""
    folder = folder or files(__package__).joinpath("migrations")
    result, numbers = [], set[str]()
    for path in sorted(folder.iterdir(), key=lambda each: each.name):
        if not path.name.endswith(".sql"):
            continue
        match = FILE.fullmatch(path.name)
        if match is None or match[1] in numbers:
            raise MigrationError(
                f"{path.name}: name migrations NNNN_pre_name.sql or NNNN_post_name.sql, each number once"
            )
        numbers.add(match[1])
        result.append(Migration(path.name.removesuffix(".sql"), match[2] == "post", path.read_text(encoding="utf-8")))
    return tuple(result)


async def migrate(dsn: str, *, post: bool = True, migrations: tuple[Migration, ...] | None = None) -> list[str]:
    """Applies what is missing and returns its names. A starting server passes post=False.

    Raises MigrationError: a privilege is missing, a file was changed after it was applied, the schema is newer.
    """
    wanted = load_migrations() if migrations is None else migrations
    async with _connection(dsn) as connection:
        await connection.execute("SELECT pg_advisory_lock($1)", LOCK, timeout=LOCK_TIMEOUT)
        try:
            await _prepare(connection)
            citus = await has_citus(connection)
            if citus:
                wanted = tuple(unpartitioned(each) for each in wanted)
            missing = [each for each in await _missing(connection, wanted) if post or not each.post]
            for migration in missing:
                await _apply(connection, migration)
            if citus:
                await distribute(connection, SCHEMA)
            return [each.name for each in missing]
        except asyncpg.InsufficientPrivilegeError as error:
            user = await connection.fetchval("SELECT current_user")
            raise MigrationError(
                f"the database user {user} may not do what the migration needs ({error.args[0]}): "
                f"connect as the owner of the database with CREATEROLE, or let a superuser run `recalld migrate` once"
            ) from error


async def _apply(connection: asyncpg.Connection, migration: Migration) -> None:
    """All of a migration or nothing; tried again where a table is in use, so that calls get their turn in between."""
    for attempt in range(1, TABLE_TRIES + 1):
        try:
            async with connection.transaction():
                await connection.execute(f"SET LOCAL lock_timeout = {int(TABLE_SECONDS * 1000)}")
                await connection.execute(migration.sql)
                await connection.execute(
                    "INSERT INTO migrations (name, checksum) VALUES ($1, $2)", migration.name, migration.checksum
                )
        except asyncpg.LockNotAvailableError:
            if attempt == TABLE_TRIES:
                raise MigrationError(
                    f"{migration.name}: a long transaction keeps a table in use: end it (pg_stat_activity, by xact_start), "
                    "then migrate again"
                ) from None
            await asyncio.sleep(TABLE_PAUSE)
        else:
            return


async def pending(dsn: str, *, migrations: tuple[Migration, ...] | None = None) -> list[str]:
    """Names of the migrations that `migrate` would apply, post ones included. Changes nothing."""
    wanted = load_migrations() if migrations is None else migrations
    async with _connection(dsn) as connection:
        if await connection.fetchval("SELECT to_regclass($1)", f"{SCHEMA}.migrations") is None:
            return [each.name for each in wanted]
        await connection.execute(f"SET search_path = {SCHEMA}")
        return [each.name for each in await _missing(connection, wanted)]


async def extension_schema(connection: asyncpg.Connection) -> str | None:
    """The schema that holds the vector extension, as it is spelt; None when the extension is not there."""
    found: str | None = await connection.fetchval(
        "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
    )
    return found


def search_path(vector_schema: str) -> str:
    """The value of search_path for every connection of ours."""
    quoted = '"' + vector_schema.replace('"', '""') + '"'
    return SCHEMA if vector_schema == SCHEMA else f"{SCHEMA}, {quoted}"


@asynccontextmanager
async def _connection(dsn: str) -> AsyncIterator[asyncpg.Connection]:
    try:
        connection = await asyncpg.connect(dsn, timeout=30, server_settings={"application_name": "recalld migrate"})
    except (asyncpg.InvalidAuthorizationSpecificationError, asyncpg.InvalidCatalogNameError) as error:
        raise MigrationError(
            f"the database refuses the connection ({type(error).__name__}): check user, password and database name"
        ) from None
    except asyncpg.ClientConfigurationError:
        raise MigrationError(
            "the address of the database cannot be: use postgresql://user:password@host:5432/name"
        ) from None
    except DRIVER_ERRORS as error:
        raise MigrationError(
            f"the database does not answer ({type(error).__name__}): check its address, and that it runs"
        ) from None
    try:
        yield connection
    finally:
        # closing gives the advisory lock back as well
        await connection.close(timeout=10)


async def _prepare(connection: asyncpg.Connection) -> None:
    """Schema, roles, extensions and the list of what was applied."""
    if await connection.fetchval("SELECT to_regnamespace($1)", SCHEMA) is None:
        await connection.execute(f"CREATE SCHEMA {SCHEMA}")
    for role in (APP_ROLE, DEFINER_ROLE):
        await _ensure_role(connection, role)
    for extension in ("vector", "btree_gin"):
        if not await connection.fetchval("SELECT EXISTS (SELECT FROM pg_extension WHERE extname = $1)", extension):
            await _create_extension(connection, extension)
    schema = await extension_schema(connection)
    assert schema is not None
    await connection.execute(f"SET search_path = {search_path(schema)}")
    if schema != SCHEMA and not await connection.fetchval(
        "SELECT has_schema_privilege($1, $2, 'USAGE')", APP_ROLE, schema
    ):
        quoted = '"' + schema.replace('"', '""') + '"'
        await connection.execute(f"GRANT USAGE ON SCHEMA {quoted} TO {APP_ROLE}, {DEFINER_ROLE}")
    await connection.execute(
        "CREATE TABLE IF NOT EXISTS migrations ("
        "name text PRIMARY KEY, checksum text NOT NULL, apply_time timestamptz NOT NULL DEFAULT now());"
        "ALTER TABLE migrations ENABLE ROW LEVEL SECURITY"
    )


async def _ensure_role(connection: asyncpg.Connection, role: str) -> None:
    # Roles belong to the whole cluster: another database's migration may make them at this moment.
    if not await connection.fetchval("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", role):
        with suppress(asyncpg.DuplicateObjectError, asyncpg.UniqueViolationError):
            await connection.execute(f"CREATE ROLE {role} NOLOGIN NOINHERIT")
    if not await connection.fetchval("SELECT pg_has_role(current_user, $1, 'SET')", role):
        await connection.execute(f"GRANT {role} TO CURRENT_USER")


async def _create_extension(connection: asyncpg.Connection, extension: str) -> None:
    try:
        await connection.execute(f"CREATE EXTENSION IF NOT EXISTS {extension} SCHEMA {SCHEMA}")
    except asyncpg.InsufficientPrivilegeError as error:
        raise MigrationError(
            f"the extension {extension} is not in this database and this user may not create it: "
            f"let a superuser run CREATE EXTENSION {extension}"
        ) from error
    except (asyncpg.UndefinedFileError, asyncpg.FeatureNotSupportedError) as error:
        raise MigrationError(
            f"this PostgreSQL does not have the extension {extension}: install it on the server"
        ) from error


async def _missing(connection: asyncpg.Connection, wanted: tuple[Migration, ...]) -> list[Migration]:
    applied = {row["name"]: row["checksum"] for row in await connection.fetch("SELECT name, checksum FROM migrations")}
    for migration in wanted:
        if applied.get(migration.name, migration.checksum) != migration.checksum:
            raise MigrationError(f"{migration.name} was changed after it was applied here: restore the file as it was")
    unknown = sorted(set(applied) - {each.name for each in wanted})
    if unknown:
        raise MigrationError(f"the database has {unknown[-1]}, which this version does not know: run the newer version")
    return [each for each in wanted if each.name not in applied]
