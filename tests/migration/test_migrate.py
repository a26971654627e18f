"""The runner of migrations: once each, in order, by one at a time, and never a file that was changed afterwards."""

import asyncio
from dataclasses import replace

import asyncpg
import pytest

from recalld_server.store.postgres.migrate import load_migrations, migrate, pending
from recalld_server.store.postgres.migration import MigrationError


async def test_a_fresh_database_is_brought_to_the_newest_schema_once(empty_database: str) -> None:
    names = [migration.name for migration in load_migrations()]
    assert await pending(empty_database) == names
    assert await migrate(empty_database) == names
    assert await pending(empty_database) == []
    assert await migrate(empty_database) == []


async def test_four_at_once_apply_each_migration_once(empty_database: str) -> None:
    done = await asyncio.gather(*(migrate(empty_database) for _ in range(4)))
    assert sorted(name for names in done for name in names) == [each.name for each in load_migrations()]


async def test_a_file_that_was_changed_after_it_was_applied_is_refused(empty_database: str) -> None:
    await migrate(empty_database)
    first, *others = load_migrations()
    with pytest.raises(MigrationError, match="was changed after it was applied"):
        await migrate(empty_database, migrations=(replace(first, sql=f"{first.sql}\n-- changed"), *others))


async def test_a_database_of_a_newer_version_is_refused(empty_database: str) -> None:
    await migrate(empty_database)
    first = load_migrations()[0]
    newer = (*load_migrations(), replace(first, name="9999_pre_later", sql="SELECT 1"))
    assert await migrate(empty_database, migrations=newer) == ["9999_pre_later"]
    with pytest.raises(MigrationError, match="9999_pre_later"):
        await migrate(empty_database)


async def test_a_migration_that_fails_leaves_nothing_behind(empty_database: str) -> None:
    await migrate(empty_database)
    first = load_migrations()[0]
    broken = replace(first, name="9999_pre_broken", sql="CREATE TABLE half (a int); SELECT 1 / 0")
    with pytest.raises(asyncpg.PostgresError):
        await migrate(empty_database, migrations=(*load_migrations(), broken))
    connection = await asyncpg.connect(empty_database)
    try:
        assert await connection.fetchval("SELECT to_regclass('recalld.half')") is None
    finally:
        await connection.close()
    assert await pending(empty_database) == []
