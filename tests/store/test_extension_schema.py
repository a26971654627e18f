"""The vector extension may live in any schema, and the user of the database may have any search path."""

from __future__ import annotations

import asyncpg
import pytest
from tests.store.things import DIMENSIONS, MODEL, listed, make_scope, write_texts

from recalld_server.store.postgres import PostgresStore, migrate


@pytest.mark.parametrize("schema", ["public", "ext", "Capital Ext"])
async def test_the_extension_is_found_where_it_is(empty_database: str, schema: str) -> None:
    connection = await asyncpg.connect(empty_database)
    await connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
    await connection.execute(f'CREATE EXTENSION vector SCHEMA "{schema}"')
    name = await connection.fetchval("SELECT current_database()")
    await connection.execute(f"ALTER DATABASE {name} SET search_path = nowhere")
    await connection.close()
    await migrate(empty_database)
    store = PostgresStore(empty_database)
    await store.start()
    try:
        await store.embedding_model(MODEL, DIMENSIONS)
        scope = await make_scope(store)
        assert await write_texts(store, scope, "a fact 一件事") == await listed(store, scope)
    finally:
        await store.close()
