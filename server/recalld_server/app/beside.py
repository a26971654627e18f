"""The rules of what goes, for a command beside the servers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from recalld_server.app.archive import build_archive
from recalld_server.app.endpoints import Endpoints
from recalld_server.app.rules import build_archives, build_retention
from recalld_server.core.forget import Forgets
from recalld_server.core.hot_turns import HotTurns
from recalld_server.core.retention import Retention
from recalld_server.settings import Settings
from recalld_server.store.postgres import PostgresStore
from recalld_server.store.redis import RedisClient


@asynccontextmanager
async def forgetting(
    store: PostgresStore, settings: Settings, endpoints: Endpoints, model_id: str
) -> AsyncIterator[tuple[Retention, Forgets]]:
    """They reach the copies in Redis and the files of the archive as those of a server do."""
    redis = None if endpoints.redis_url is None else RedisClient(endpoints.redis_url)
    archives = build_archives(store, build_archive(settings, endpoints.data_dir), model_id)
    try:
        if redis is not None:
            await redis.start()
        yield build_retention(store, HotTurns(redis), archives)
    finally:
        if redis is not None:
            await redis.close()
