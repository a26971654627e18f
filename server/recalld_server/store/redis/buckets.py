"""Token buckets in Redis, and in this process while Redis is away.

A bucket is one moment: that at which it will be full again. Taking from it moves the moment on; when that would put it
further away than a full bucket is worth, there is not enough left. In Redis the moment of the last change is kept beside
it: when that lies ahead, the clock was set back, and what was to wait then is to wait from now on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from uuid import UUID

from redis.asyncio import Redis

from recalld_server.model import Rate
from recalld_server.store.redis.client import RedisAway, RedisClient
from recalld_server.store.redis.keys import key

# Times in microseconds, by the clock of Redis, so that the servers' clocks do not matter. A value of another tenant, or of
# another form, is no value.
SCRIPT = """
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local cost, worth, forced = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'
local kept = redis.call('GET', KEYS[1])
local full = now
local function keep(moment)
  local ttl = math.ceil((moment - now) / 1000) + 1
  redis.call('SET', KEYS[1], string.format('%s:%.0f@%.0f', ARGV[1], moment, now), 'PX', ttl)
end
if kept and string.sub(kept, 1, 33) == ARGV[1] .. ':' then
  local moment, at = string.match(string.sub(kept, 34), '^(%d+)@(%d+)$')
  if moment then
    local behind = math.max(0, tonumber(at) - now)
    full = math.max(now, tonumber(moment) - behind)
    if behind > 0 and full > now then keep(full) end
  end
end
local wait = full + cost - now - worth
if not forced and (wait > 0 or (cost == 0 and wait == 0)) then return math.max(math.ceil(wait), 1) end
if cost > 0 then keep(full + cost) end
return 0
"""
MICRO = 1_000_000
SWEEP_FROM = 10_000
"""Buckets in the process from which full ones are dropped."""


class LocalBuckets:
    """Buckets of this process alone."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._full: dict[tuple[UUID, str], float] = {}

    async def take(self, tenant_id: UUID, name: str, rate: Rate, cost: float) -> float:
        now = self._clock()
        full = max(now, self._full.get((tenant_id, name), now))
        wait = full + (cost - rate.burst) / rate.per_second - now
        if wait > 0 or (cost == 0 and wait == 0):
            return max(wait, 1 / MICRO)
        self._keep((tenant_id, name), full + cost / rate.per_second)
        return 0.0

    async def charge(self, tenant_id: UUID, name: str, rate: Rate, cost: float) -> None:
        now = self._clock()
        full = max(now, self._full.get((tenant_id, name), now))
        self._keep((tenant_id, name), full + cost / rate.per_second)

    def _keep(self, bucket: tuple[UUID, str], full: float) -> None:
        if len(self._full) >= SWEEP_FROM:
            now = self._clock()
            self._full = {each: until for each, until in self._full.items() if until > now}
        self._full[bucket] = full


class SharedBuckets:
    """Buckets in Redis; those of the process while Redis is away, which begin full."""

    def __init__(self, redis: RedisClient, local: LocalBuckets) -> None:
        self._redis = redis
        self._local = local

    async def take(self, tenant_id: UUID, name: str, rate: Rate, cost: float) -> float:
        try:
            return await self._run(tenant_id, name, rate, cost, forced=False) / MICRO
        except RedisAway:
            return await self._local.take(tenant_id, name, rate, cost)

    async def charge(self, tenant_id: UUID, name: str, rate: Rate, cost: float) -> None:
        try:
            await self._run(tenant_id, name, rate, cost, forced=True)
        except RedisAway:
            await self._local.charge(tenant_id, name, rate, cost)

    async def _run(self, tenant_id: UUID, name: str, rate: Rate, cost: float, *, forced: bool) -> int:
        arguments = (
            tenant_id.hex,
            str(round(cost / rate.per_second * MICRO)),
            str(round(rate.burst / rate.per_second * MICRO)),
            "1" if forced else "0",
        )

        async def script(redis: Redis) -> int:
            return int(await redis.register_script(SCRIPT)(keys=[key(tenant_id, None, "bucket", name)], args=arguments))

        return await self._redis.run(script)
