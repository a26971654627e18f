"""Redis or Valkey, which holds nothing that cannot be rebuilt: when it is away, the server goes on without it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar, cast
from uuid import UUID

import structlog
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from recalld_server import telemetry
from recalld_server.store.redis.keys import key
from recalld_server.store.redis.values import seal, unseal
from recalld_server.telemetry.conventions import DB_SYSTEM

log = structlog.get_logger(__name__)

T = TypeVar("T")
FAILURES = (RedisError, OSError, TimeoutError)


class RedisAway(Exception):
    """Redis did not do it: it is away, too slow, full or read-only. Go on without it."""


@dataclass(frozen=True, slots=True)
class RedisOptions:
    """How Redis is asked. Times in seconds."""

    connections: int = 16
    timeout: float = 0.5
    """For one call with everything in it: what a caller loses at most before the others stop asking."""
    probe_every: float = 0.5
    """How often Redis is asked whether it is back."""
    probe_timeout: float = 1.0


class RedisClient:
    """A Cache, and a way to run other commands. After a failure nobody asks any more but a task in the background; once
    Redis answers that, all calls go there again. For one event loop."""

    def __init__(self, url: str, options: RedisOptions | None = None) -> None:
        """`url`: redis://, rediss:// or unix://. Raises ValueError for any other; connects at `start`."""
        self._options = options or RedisOptions()
        # a command that is sent again may be carried out twice, so none is
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=self._options.connections,
            timeout=self._options.timeout,
            socket_timeout=self._options.probe_timeout,
            socket_connect_timeout=self._options.probe_timeout,
            retry=Retry(NoBackoff(), 0),
        )
        self._redis: Redis = Redis.from_pool(pool)
        self._available = False
        self._prober: asyncio.Task[None] | None = None

    @property
    def available(self) -> bool:
        return self._available

    async def start(self) -> None:
        """Connects. When nobody answers, says so in the log and goes on trying in the background."""
        if await self._answers():
            self._available = True
        else:
            self._lost("no answer")

    async def ping(self) -> None:
        """Does nothing: whether Redis is back is found out in the background."""

    async def close(self) -> None:
        """Ends every connection."""
        self._available = False
        if self._prober is not None:
            self._prober.cancel()
            with suppress(asyncio.CancelledError):
                await self._prober
        await self._redis.aclose()

    async def run(self, call: Callable[[Redis], Awaitable[T]]) -> T:
        """Runs commands, at most for the time that one call may take. Raises RedisAway, whatever went wrong.

        Build every key with `key`, and check with `unseal` what is read as `get` does.
        """
        if not self._available:
            raise RedisAway
        try:
            with telemetry.child("redis", {DB_SYSTEM: "redis"}, kind=telemetry.SpanKind.CLIENT):
                async with asyncio.timeout(self._options.timeout):
                    return await call(self._redis)
        except ResponseError as error:
            # it is there, yet refuses: full, read-only, or the key holds something else
            log.warning("Redis refused a command", cause=type(error).__name__)
            raise RedisAway from None
        except FAILURES as error:
            self._lost(type(error).__name__)
            raise RedisAway from None

    async def get(self, tenant_id: UUID, namespace_id: UUID | None, *parts: str, version: bytes = b"") -> bytes | None:
        name = key(tenant_id, namespace_id, *parts)
        try:
            stored = await self.run(lambda redis: redis.get(name))
        except RedisAway:
            return None
        # nothing is decoded on the way, so it is bytes
        found = None if stored is None else unseal(tenant_id, version, cast(bytes, stored))
        telemetry.count_cache("redis", hit=found is not None)
        return found

    async def set(
        self,
        tenant_id: UUID,
        namespace_id: UUID | None,
        *parts: str,
        value: bytes,
        ttl: timedelta,
        version: bytes = b"",
    ) -> bool:
        name, sealed = key(tenant_id, namespace_id, *parts), seal(tenant_id, version, value)
        try:
            await self.run(lambda redis: redis.set(name, sealed, px=ttl))
        except RedisAway:
            return False
        return True

    async def delete(self, tenant_id: UUID, namespace_id: UUID | None, *parts: str) -> bool:
        name = key(tenant_id, namespace_id, *parts)
        try:
            await self.run(lambda redis: redis.delete(name))
        except RedisAway:
            return False
        return True

    def _lost(self, cause: str) -> None:
        self._available = False
        if self._prober is None or self._prober.done():
            log.warning("Redis is away; going on without it", cause=cause)
            self._prober = asyncio.create_task(self._probe(), name="redis probe")

    async def _probe(self) -> None:
        while not await self._answers():  # noqa: ASYNC110 - what is waited for happens in another process
            await asyncio.sleep(self._options.probe_every)
        self._available = True
        log.info("Redis is back")

    async def _answers(self) -> bool:
        try:
            async with asyncio.timeout(self._options.probe_timeout):
                await self._redis.ping()
        except FAILURES:
            return False
        return True
