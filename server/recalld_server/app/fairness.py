"""Builds what keeps tenants from taking more than their share."""

from __future__ import annotations

from recalld_server.core.limits import Fairness
from recalld_server.model import Limits
from recalld_server.settings import Settings
from recalld_server.store.postgres import PostgresStore
from recalld_server.store.redis import LocalBuckets, RedisClient, SharedBuckets


def build_fairness(settings: Settings, store: PostgresStore, redis: RedisClient | None) -> Fairness:
    """The limits of every tenant. Without Redis each server process counts by itself."""
    defaults = Limits(
        requests_per_second=settings.limit_requests_per_second,
        concurrent_calls=settings.limit_concurrent_calls,
        memories=settings.limit_memories,
        stored_bytes=settings.limit_stored_bytes,
        model_tokens_per_day=settings.limit_model_tokens_per_day,
    )
    local = LocalBuckets()
    return Fairness(store.quotas(), SharedBuckets(redis, local) if redis else local, defaults)
