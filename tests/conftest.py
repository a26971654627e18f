"""One PostgreSQL for the whole run, and for each test that wants one a fresh, migrated database."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest
from hypothesis import settings

from recalld_server.embedded import PostgresHandle, start_postgres, stop_postgres
from recalld_server.store.postgres import migrate

# How long an example takes depends on the machine; what it costs is tested by counting.
settings.register_profile("recalld", deadline=None)
settings.register_profile("nightly", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "recalld"))

# Nothing here outlives the run, so nothing needs to reach the disk.
IN_MEMORY = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "shared_buffers": "128MB"}
TEMPLATE = "recalld_template"
SHARED_MEMORY, ROOM = Path("/dev/shm"), 8 << 30


def pytest_configure() -> None:
    """Keeps temporary files in memory where there is room: each test of the store makes and removes a database of 600
    files, which keeps a disk busier than the tests keep the processor."""
    with suppress(OSError):
        if "TMPDIR" not in os.environ and shutil.disk_usage(SHARED_MEMORY).free > ROOM:
            os.environ["TMPDIR"] = tempfile.tempdir = str(SHARED_MEMORY)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresHandle]:
    """A running PostgreSQL with nothing in it."""
    folder = Path(tempfile.mkdtemp(prefix="recalld-tests-"))
    try:
        yield start_postgres(folder, settings=IN_MEMORY)
    finally:
        stop_postgres(folder)
        shutil.rmtree(folder, ignore_errors=True)


async def _as_superuser(postgres: PostgresHandle, statement: str) -> None:
    connection = await asyncpg.connect(postgres.dsn())
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


@pytest.fixture(scope="session")
def template_database(postgres: PostgresHandle) -> str:
    """The name of a migrated database that nobody is connected to."""

    async def make() -> None:
        await _as_superuser(postgres, f"CREATE DATABASE {TEMPLATE}")
        await migrate(postgres.dsn(TEMPLATE))

    asyncio.run(make())
    return TEMPLATE


@pytest.fixture
async def empty_database(postgres: PostgresHandle) -> AsyncIterator[str]:
    """The DSN of a fresh database without our schema."""
    async for dsn in _database(postgres, "template1"):
        yield dsn


@pytest.fixture
async def database(postgres: PostgresHandle, template_database: str) -> AsyncIterator[str]:
    """The DSN of a fresh migrated database; its user is a superuser."""
    async for dsn in _database(postgres, template_database):
        yield dsn


async def _database(postgres: PostgresHandle, template: str) -> AsyncIterator[str]:
    name = f"test_{uuid.uuid4().hex}"
    await _as_superuser(postgres, f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
    try:
        yield postgres.dsn(name)
    finally:
        await _as_superuser(postgres, f"DROP DATABASE {name} WITH (FORCE)")
