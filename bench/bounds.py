"""The lower bounds: the least that the same database, model and transport need for the same thing."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import asyncpg

from bench.load import Load, load, query, spread, text
from recalld_server.embedded import start_postgres
from recalld_server.models.base import Embedder


@asynccontextmanager
async def pool(data_dir: Path, size: int) -> AsyncIterator[asyncpg.Pool]:
    """Connections to the database of a running server."""
    dsn = start_postgres(data_dir).dsn()
    async with asyncpg.create_pool(
        dsn, min_size=size, max_size=size, server_settings={"search_path": "recalld, public", "jit": "off"}
    ) as made:
        yield made


async def inserts(data_dir: Path, *, callers: int, calls: int) -> Load:
    """One row with a text and a vector, committed: no history, no outcome, no index but the key."""
    async with pool(data_dir, callers) as connections:
        vector = await connections.fetchval("SELECT array_agg(random())::float4[]::text FROM generate_series(1, 384)")
        given = "[" + str(vector)[1:-1] + "]"
        await connections.execute(
            "CREATE TABLE IF NOT EXISTS bench_rows (id uuid PRIMARY KEY, content text, embedding halfvec(384))"
        )

        async def insert(number: int) -> None:
            sql = "INSERT INTO bench_rows VALUES ($1, $2, $3::text::halfvec)"
            await connections.execute(sql, uuid4(), text(number), given)

        await spread(insert, range(callers * 5), callers)
        begin = time.perf_counter()
        times = await spread(insert, range(calls), callers)
        result = load(times, time.perf_counter() - begin, 0.0)
        await connections.execute("DROP TABLE bench_rows")
        return result


async def vectors(data_dir: Path, namespace: str, *, callers: int, calls: int, embedder: Embedder) -> Load:
    """The five nearest vectors of the namespace with their texts, the query's vector at hand; through the HNSW index
    where the namespace is in it."""
    given = []
    for number in range(100):
        vector = (await embedder.embed_queries([query(number)])).vectors[0]
        assert vector is not None
        given.append("[" + ",".join(f"{float(value):.5f}" for value in vector) + "]")
    async with pool(data_dir, callers) as connections:
        namespace_id = await connections.fetchval("SELECT namespace_id FROM namespaces WHERE name = $1", namespace)
        indexed = await connections.fetchval(
            "SELECT ann FROM namespace_statistics WHERE namespace_id = $1", namespace_id
        )
        width = embedder.dimensions
        near = f"e.embedding::halfvec({width}) <#> $2::text::halfvec({width})"
        also = "AND e.ann" if indexed else ""
        sql = (
            f"SELECT m.content FROM embeddings e JOIN memories m ON m.namespace_id = $1 AND m.memory_id = e.memory_id"
            f" WHERE e.namespace_id = $1 AND e.model_id = 1 {also} ORDER BY {near} LIMIT 5"
        )

        async def nearest(number: int) -> None:
            await connections.fetch(sql, namespace_id, given[number % len(given)])

        await spread(nearest, range(callers * 5), callers)
        begin = time.perf_counter()
        times = await spread(nearest, range(calls), callers)
        return load(times, time.perf_counter() - begin, 0.0)


async def embeds(embedder: Embedder, calls: int) -> Load:
    """One query through the embedding model, one at a time."""
    await spread(lambda number: embedder.embed_queries([query(number)]), range(5), 1)
    begin, cpu = time.perf_counter(), time.process_time()
    times = await spread(lambda number: embedder.embed_queries([query(number)]), range(calls), 1)
    return load(times, time.perf_counter() - begin, time.process_time() - cpu)
