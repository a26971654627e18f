"""Fills namespaces through the store, without the look around that each write over the API takes: a bench of searches
needs many memories, not the time that writing them takes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from bench.load import memory
from recalld_server.core import indexing
from recalld_server.core.drafts import prepare
from recalld_server.embedded import start_postgres
from recalld_server.model import Draft, Scope, Visibility, utc_now
from recalld_server.models.base import Embedder
from recalld_server.store.base import NewMemory
from recalld_server.store.postgres import PoolOptions, PostgresStore

BATCH = 500
LIMIT = 32_768


async def seed(data_dir: Path, tenant: str, names: Sequence[str], numbers: range, embedder: Embedder) -> None:
    """Writes memories of these numbers into each namespace of a running server, and does the chores that follow.
    `embedder` is the server's own, and is closed at the end."""
    store = PostgresStore(start_postgres(data_dir).dsn(), PoolOptions(size=2))
    await store.start()
    try:
        await store.embedding_model(embedder.id, embedder.dimensions)
        tenant_id = await store.ensure_tenant(tenant)
        for name in names:
            namespace = await store.get_namespace(tenant_id, name)
            if namespace is None:
                raise SystemExit(f"there is no namespace {name}")
            scope = Scope(tenant_id, namespace.namespace_id, name, "bench")
            for start in range(numbers.start, numbers.stop, BATCH):
                news = await _news(scope, range(start, min(start + BATCH, numbers.stop)), embedder)
                async with store.unit(scope) as unit:
                    await unit.insert(scope, news, actor=scope.agent_id)
                _tell(f"{name}: {min(start + BATCH, numbers.stop):,} of {numbers.stop:,} memories")
        maintenance = store.maintenance()
        while await maintenance.refresh_statistics():
            pass
        while await maintenance.turn_on_ann():
            _tell("vectors go into the index")
        _tell("")
    finally:
        await embedder.close()
        await store.close()


def _tell(progress: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{progress:<60}", end="" if progress else "\r", file=sys.stderr, flush=True)


async def _news(scope: Scope, numbers: range, embedder: Embedder) -> list[NewMemory]:
    drafts = [Draft(each.content, tags=tuple(each.tags)) for each in map(memory, numbers)]
    prepared = [
        prepare(draft, scope, default_visibility=Visibility.SHARED, limit=LIMIT, now=utc_now()) for draft in drafts
    ]
    batch = await embedder.embed_passages([indexing.passage(each.memory) for each in prepared])
    return [
        indexing.indexed(each.memory, each.content_hash, 20.0, vector, None)
        for each, vector in zip(prepared, batch.vectors, strict=True)
    ]
