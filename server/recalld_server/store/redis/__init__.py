"""What is kept in Redis or Valkey. Nothing of it is the only copy."""

from recalld_server.store.redis.buckets import LocalBuckets, SharedBuckets
from recalld_server.store.redis.client import RedisAway, RedisClient, RedisOptions
from recalld_server.store.redis.keys import key

__all__ = ["LocalBuckets", "RedisAway", "RedisClient", "RedisOptions", "SharedBuckets", "key"]
