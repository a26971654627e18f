"""The rules of a server beside the one that the client speaks to, on the same database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import asyncpg
import numpy as np
from tests.e2e.inside import SPACE, TestEmbedder
from tests.store.things import draft

from recalld_server.app import build_core
from recalld_server.core.services import Core
from recalld_server.model import EVERY_AGENT, Scope
from recalld_server.models.base import load_calibration
from recalld_server.settings import read_settings
from recalld_server.store.base import Archive
from recalld_server.store.postgres import PoolOptions, PostgresStore


@dataclass
class Inside:
    """The rules of a server beside the one that the client speaks to, and its database."""

    core: Core
    store: PostgresStore
    dimensions: int
    scope: Scope
    database: asyncpg.Connection

    async def count(self, table: str, where: str = "true") -> int:
        return int(await self.database.fetchval(f"SELECT count(*) FROM recalld.{table} WHERE {where}"))

    async def age(self, days: float, where: str = "true") -> None:
        """Makes memories older than they are."""
        past = f"- interval '{days} days'"
        await self.database.execute(
            f"UPDATE recalld.memories SET create_time = create_time {past}, update_time = update_time {past},"
            f" last_use_time = last_use_time {past} WHERE {where}"
        )


@asynccontextmanager
async def beside(database: str, archive: Archive | None = None) -> AsyncIterator[Inside]:
    """The rules, on a database that a server has begun to use."""
    embedder = TestEmbedder()
    store = PostgresStore(database, PoolOptions(size=2))
    await store.start()
    await store.embedding_model(embedder.id, embedder.dimensions)
    tenant_id = await store.ensure_tenant("default")
    namespace = await store.get_namespace(tenant_id, SPACE)
    assert namespace is not None
    connection = await asyncpg.connect(database)
    try:
        core = build_core(store, embedder, load_calibration(embedder.id), read_settings({}), archive=archive)
        scope = Scope(tenant_id, namespace.namespace_id, SPACE, EVERY_AGENT)
        yield Inside(core, store, embedder.dimensions, scope, connection)
    finally:
        await connection.close()
        await store.close()


async def fill(inside: Inside, count: int, user_id: str = "alice", **fields: Any) -> None:
    """Puts memories into the store, past the rules of a write, which would compare them all."""
    scope = replace(inside.scope, agent_id=fields.pop("agent_id", "ann"))
    news = [
        draft(
            scope,
            f"{user_id} 记下 item {n}",
            embedding=np.eye(inside.dimensions, dtype=np.float32)[n % 300],
            user_id=user_id,
            **fields,
        )
        for n in range(count)
    ]
    for start in range(0, count, 1000):
        async with inside.store.unit(scope) as unit:
            await unit.insert(scope, news[start : start + 1000], actor=scope.agent_id)
