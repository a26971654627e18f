"""A store for the tests of what operators do."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.buckets import buckets as buckets
from tests.store.things import DIMENSIONS, MODEL, make_scope

from recalld_server.model import Scope
from recalld_server.store.postgres import PoolOptions, PostgresStore


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
