"""Checks what a tenant uses against what it may use."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, fields, replace
from typing import NoReturn
from uuid import UUID

from recalld_server.errors import QuotaExceeded
from recalld_server.model import Limits, Rate, Used
from recalld_server.model.limits import BURST_SECONDS
from recalld_server.store.base import Buckets, Quotas

CACHE_SECONDS = 5.0
"""How long another server's change of a tenant's limits, and what it wrote, may go unnoticed."""
EXACT_FROM = 0.9
"""Share of a stock limit from which the stock is read anew for each write."""
DAY = 86_400.0
BUSY_SECONDS = 1.0
HELD_SECONDS = 1.0
HELD_CALLS = 100
"""How long a call that is refused is held, and how many of one tenant at once."""
FULL_SECONDS = 60.0
"""After how long a caller may try again whose tenant keeps all that it may: only erasing makes room."""


@dataclass(slots=True)
class _Stock:
    """What a tenant kept when it was last read, and what was stored here since."""

    until: float
    used: Used


class Fairness:
    """The limits of every tenant, in one server."""

    def __init__(
        self,
        quotas: Quotas,
        buckets: Buckets,
        defaults: Limits,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._quotas = quotas
        self._buckets = buckets
        self._defaults = defaults
        self._clock = clock
        self._limits: dict[UUID, tuple[float, Limits]] = {}
        self._stock: dict[UUID, _Stock] = {}
        self._reserved: dict[UUID, Used] = {}
        self._pause = pause
        self._under_way = Counter[UUID]()
        self._held = Counter[UUID]()

    @asynccontextmanager
    async def call(self, tenant_id: UUID) -> AsyncIterator[None]:
        """Around one call, however long it goes on. Raises QuotaExceeded for requests_per_second, concurrent_calls."""
        limits = await self.limits(tenant_id)
        if limits.concurrent_calls is not None and self._under_way[tenant_id] >= limits.concurrent_calls:
            await self._refuse(
                tenant_id,
                "concurrent_calls",
                f"your tenant has {limits.concurrent_calls} calls under way, which is its limit: wait for one to end",
                BUSY_SECONDS,
            )
        # counted before anything else is waited for, so that others see it
        with _counted(self._under_way, tenant_id):
            wait = await self.pace(tenant_id)
            if not wait:
                yield
                return
        await self._refuse(
            tenant_id,
            "requests_per_second",
            f"your tenant may make {limits.requests_per_second:g} calls a second: try again a little later",
            wait,
        )

    async def _refuse(self, tenant_id: UUID, quota: str, message: str, wait: float) -> NoReturn:
        """Not at once: a caller that calls again without waiting would otherwise take the server's time by being refused.
        Callers that are many get their refusal without that, so that they do not pile up."""
        held = HELD_SECONDS if self._held[tenant_id] < HELD_CALLS else 0.0
        with _counted(self._held, tenant_id):
            await self._pause(held)
        raise QuotaExceeded(quota, message, max(wait - held, 0.001))

    async def pace(self, tenant_id: UUID) -> float:
        """Counts one request; 0, or the seconds after which it may be made."""
        per_second = (await self.limits(tenant_id)).requests_per_second
        if per_second is None:
            return 0.0
        rate = Rate(per_second, max(1.0, per_second * BURST_SECONDS))
        return await self._buckets.take(tenant_id, "requests", rate, 1)

    async def reserve(self, tenant_id: UUID, memories: int, size: int) -> Callable[[], None]:
        """Keeps room for what is about to be stored, until the answer is called: when it was stored, or will not be.
        Raises QuotaExceeded for memories, stored_bytes."""
        limits = await self.limits(tenant_id)
        if limits.memories is None and limits.stored_bytes is None:
            return lambda: None
        more = Used(memories, size)
        over = _over(self._with(tenant_id, await self._used(tenant_id, limits), more), limits)
        if over:
            # what was counted here since the stock was read may not have been stored after all
            over = _over(self._with(tenant_id, await self._read(tenant_id), more), limits)
        if over:
            quota, limit = over
            raise QuotaExceeded(
                quota,
                f"your tenant may keep {limit:,} {quota.replace('_', ' ')}: erase some, then try again",
                FULL_SECONDS,
            )
        self._reserved[tenant_id] = self._with(tenant_id, NOTHING, more)
        return lambda: self._release(tenant_id, more)

    def _release(self, tenant_id: UUID, done: Used) -> None:
        left = _sum(self._reserved[tenant_id], done, -1)
        if left == NOTHING:
            del self._reserved[tenant_id]
        else:
            self._reserved[tenant_id] = left
        if stock := self._stock.get(tenant_id):
            stock.used = _sum(stock.used, done)

    async def model(self, tenant_id: UUID, tokens: int) -> None:
        """Before texts are given to a model. Raises QuotaExceeded for model_tokens_per_day when nothing is left; what is
        left is enough for one more call of any size."""
        per_day = (await self.limits(tenant_id)).model_tokens_per_day
        if per_day is None:
            return
        rate = Rate(max(per_day, 1) / DAY, per_day)
        if wait := await self._buckets.take(tenant_id, "model_tokens", rate, 0):
            raise QuotaExceeded(
                "model_tokens_per_day",
                f"your tenant may use {per_day:,} tokens of the model a day: try again later",
                wait,
            )
        await self._buckets.charge(tenant_id, "model_tokens", rate, tokens)

    async def limits(self, tenant_id: UUID) -> Limits:
        """The tenant's limits: its own where it has some, else the server's."""
        now = self._clock()
        cached = self._limits.get(tenant_id)
        if cached and cached[0] > now:
            return cached[1]
        own = await self._quotas.own_limits(tenant_id)
        given = {each.name: value for each in fields(Limits) if (value := getattr(own, each.name)) is not None}
        limits = replace(self._defaults, **given)
        self._limits[tenant_id] = (now + CACHE_SECONDS, limits)
        return limits

    def _with(self, tenant_id: UUID, used: Used, more: Used) -> Used:
        return _sum(_sum(used, self._reserved.get(tenant_id, NOTHING)), more)

    async def _used(self, tenant_id: UUID, limits: Limits) -> Used:
        """As it was read last; anew when that is some time ago, or little is left."""
        stock = self._stock.get(tenant_id)
        if stock is None or stock.until <= self._clock() or _nearly_full(stock.used, limits):
            return await self._read(tenant_id)
        return stock.used

    async def _read(self, tenant_id: UUID) -> Used:
        stock = _Stock(self._clock() + CACHE_SECONDS, await self._quotas.used(tenant_id))
        self._stock[tenant_id] = stock
        return stock.used


NOTHING = Used(0, 0)


@contextmanager
def _counted(counter: Counter[UUID], tenant_id: UUID) -> Iterator[None]:
    counter[tenant_id] += 1
    try:
        yield
    finally:
        counter[tenant_id] -= 1
        if not counter[tenant_id]:
            del counter[tenant_id]


def _sum(one: Used, other: Used, sign: int = 1) -> Used:
    return Used(one.memories + sign * other.memories, one.stored_bytes + sign * other.stored_bytes)


def _over(used: Used, limits: Limits) -> tuple[str, int] | None:
    """The first limit that this is above, by name."""
    for quota, value, limit in (
        ("memories", used.memories, limits.memories),
        ("stored_bytes", used.stored_bytes, limits.stored_bytes),
    ):
        if limit is not None and value > limit:
            return quota, limit
    return None


def _nearly_full(used: Used, limits: Limits) -> bool:
    return (limits.memories is not None and used.memories >= EXACT_FROM * limits.memories) or (
        limits.stored_bytes is not None and used.stored_bytes >= EXACT_FROM * limits.stored_bytes
    )
