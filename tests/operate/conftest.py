"""A store for the tests of what operators do."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.buckets import buckets as buckets
from tests.operate.replication import SETTINGS, Standby, make_standby, remove
from tests.store.things import DIMENSIONS, MODEL, make_scope

from recalld_server.embedded import PostgresHandle, start_postgres
from recalld_server.model import Scope
from recalld_server.store.postgres import PoolOptions, PostgresStore, migrate


@pytest.fixture
async def store(database: str) -> AsyncIterator[PostgresStore]:
    """A started store on a fresh database."""
    store = PostgresStore(database, PoolOptions(size=8))
    await store.start()
    await store.embedding_model(MODEL, DIMENSIONS)
    try:
        yield store
    finally:
        await store.close()


@pytest.fixture
async def scope(store: PostgresStore) -> Scope:
    """Agent `ann` in namespace `space` of tenant `acme`."""
    return await make_scope(store)


@pytest.fixture(scope="module")
def primary() -> Iterator[PostgresHandle]:
    """A PostgreSQL of this module's own, migrated, which standbys can follow."""
    folder = Path(tempfile.mkdtemp(prefix="recalld-primary-"))
    try:
        handle = start_postgres(folder, settings=SETTINGS)
        asyncio.run(migrate(handle.dsn()))
        yield handle
    finally:
        remove(folder)


@pytest.fixture
def standby(primary: PostgresHandle) -> Iterator[Standby]:
    """One that follows it, for this test."""
    folder = Path(tempfile.mkdtemp(prefix="recalld-standby-"))
    try:
        yield make_standby(primary, folder)
    finally:
        remove(folder)
