"""What is kept in Redis or Valkey. Nothing of it is the only copy."""

from recalld_server.store.redis.client import RedisAway, RedisClient, RedisOptions
from recalld_server.store.redis.keys import key

__all__ = ["RedisAway", "RedisClient", "RedisOptions", "key"]
