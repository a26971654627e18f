"""Limits of tenants: what is refused, with which words, and what others notice of it."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from recalld_server.core.limits import TENANT, Fairness, MeteredEmbedder
from recalld_server.core.limits.fairness import HELD_CALLS, HELD_SECONDS
from recalld_server.errors import QuotaExceeded
from recalld_server.model import Limits, Used
from recalld_server.models.hash import HashEmbedder
from recalld_server.store.redis import LocalBuckets

ACME, ORION = UUID(int=1), UUID(int=2)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Kept:
    """Limits and stock as a test sets them; counts how often they are read."""

    def __init__(self) -> None:
        self.own: dict[UUID, Limits] = {}
        self.stock: dict[UUID, Used] = {}
        self.reads = 0

    async def own_limits(self, tenant_id: UUID) -> Limits:
        return self.own.get(tenant_id, Limits())

    async def limits_of(self, tenant: str) -> Limits | None:
        raise NotImplementedError

    async def set_limits(self, tenant: str, limits: Limits) -> bool:
        raise NotImplementedError

    async def used(self, tenant_id: UUID) -> Used:
        self.reads += 1
        return self.stock.get(tenant_id, Used(0, 0))


class World:
    def __init__(self, **defaults: float) -> None:
        self.clock, self.kept = Clock(), Kept()
        self.held: list[float] = []
        self.fairness = Fairness(self.kept, LocalBuckets(self.clock), Limits(**defaults), self.clock, self.hold)  # type: ignore[arg-type]

    async def hold(self, seconds: float) -> None:
        self.held.append(seconds)

    async def call(self, tenant_id: UUID = ACME) -> str:
        """Which quota refuses a call; empty: none."""
        try:
            async with self.fairness.call(tenant_id):
                return ""
        except QuotaExceeded as error:
            return error.quota

    async def store(self, memories: int, size: int, tenant_id: UUID = ACME) -> str:
        try:
            (await self.fairness.reserve(tenant_id, memories, size))()
        except QuotaExceeded as error:
            return error.quota
        return ""


async def test_without_limits_nothing_is_refused_and_nothing_is_read() -> None:
    world = World()
    assert {await world.call() for _ in range(1000)} == {""}
    assert await world.store(10**9, 10**12) == ""
    assert world.kept.reads == 0


async def test_calls_beyond_the_rate_are_told_when_to_come_again() -> None:
    world = World(requests_per_second=0.25)
    assert [await world.call() for _ in range(2)] == ["", "requests_per_second"]
    assert await world.call(ORION) == ""
    with pytest.raises(QuotaExceeded) as caught:
        async with world.fairness.call(ACME):
            raise AssertionError("not reached")
    (held, _) = world.held
    # one and a quarter calls were there
    assert held + caught.value.retry_after == pytest.approx(3.0)
    assert "0.25 calls a second" in str(caught.value)
    world.clock.now += held + caught.value.retry_after
    assert await world.call() == ""


async def test_a_refusal_takes_its_time_but_not_for_a_crowd() -> None:
    world = World(requests_per_second=0.1)
    assert await world.call() == ""
    assert await world.call() == "requests_per_second"
    assert world.held == [HELD_SECONDS]
    crowd, go = [0], asyncio.Event()

    async def hold(seconds: float) -> None:
        crowd[0] += seconds > 0
        if seconds:
            await go.wait()

    fairness = Fairness(world.kept, LocalBuckets(world.clock), Limits(requests_per_second=0.1), world.clock, hold)

    async def one() -> None:
        async with fairness.call(ACME):
            pass

    await one()
    calls = [asyncio.create_task(one()) for _ in range(HELD_CALLS + 50)]
    done, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
    assert len(done) <= 50
    assert crowd == [HELD_CALLS]
    go.set()
    ended = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(each, QuotaExceeded) for each in ended)


async def test_calls_under_way_are_counted_until_they_end_however_they_end() -> None:
    world = World(concurrent_calls=2)
    async with world.fairness.call(ACME), world.fairness.call(ACME):
        assert await world.call() == "concurrent_calls"
        assert await world.call(ORION) == ""
    with pytest.raises(ValueError):
        async with world.fairness.call(ACME):
            raise ValueError
    stuck = asyncio.create_task(forever(world))
    await asyncio.sleep(0)
    stuck.cancel()
    await asyncio.gather(stuck, return_exceptions=True)
    async with world.fairness.call(ACME), world.fairness.call(ACME):
        pass


async def forever(world: World) -> None:
    async with world.fairness.call(ACME):
        await asyncio.Event().wait()


async def test_a_limit_of_its_own_goes_before_that_of_the_server() -> None:
    world = World(concurrent_calls=1, memories=10)
    world.kept.own[ACME] = Limits(concurrent_calls=3)
    assert await world.fairness.limits(ACME) == Limits(concurrent_calls=3, memories=10)
    assert await world.fairness.limits(ORION) == Limits(concurrent_calls=1, memories=10)
    world.kept.own[ACME] = Limits(memories=5)
    world.clock.now += 5
    assert await world.fairness.limits(ACME) == Limits(concurrent_calls=1, memories=5)


async def test_what_is_kept_is_bounded_by_number_and_by_bytes() -> None:
    world = World(memories=100, stored_bytes=1000)
    assert await world.store(1, 999) == ""
    world.kept.stock[ACME] = Used(1, 999)
    assert await world.store(1, 2) == "stored_bytes"
    world.kept.stock[ACME] = Used(100, 10)
    world.clock.now += 5
    assert await world.store(1, 1) == "memories"
    assert await world.store(0, 1) == ""
    assert await world.store(1, 1, ORION) == ""
    world.kept.stock[ACME] = Used(99, 10)
    assert await world.store(1, 1) == ""


async def test_what_is_about_to_be_stored_takes_room_until_it_is_or_is_not() -> None:
    world = World(memories=3)
    world.kept.stock[ACME] = Used(1, 0)
    first, second = [await world.fairness.reserve(ACME, 1, 10) for _ in range(2)]
    assert await world.store(1, 1) == "memories"
    assert await world.store(3, 1, ORION) == ""
    first()
    assert await world.store(1, 1) == ""
    world.kept.stock[ACME] = Used(3, 0)
    second()
    assert await world.store(1, 1) == "memories"
    assert await world.store(0, 1) == ""


async def test_the_stock_is_read_rarely_while_there_is_much_room_and_each_time_when_there_is_little() -> None:
    world = World(memories=1000)
    for _ in range(100):
        assert await world.store(1, 1) == ""
    assert world.kept.reads == 1
    world.kept.stock[ACME] = Used(999, 0)
    world.clock.now += 5
    assert await world.store(1, 1) == ""
    world.kept.stock[ACME] = Used(1000, 0)
    assert await world.store(1, 1) == "memories"


async def test_tokens_of_the_model_are_counted_for_the_tenant_at_work() -> None:
    world = World(model_tokens_per_day=100)
    embedder = MeteredEmbedder(HashEmbedder(), world.fairness)
    await embedder.embed_passages(["喝茶不加糖。" * 100])
    TENANT.set(ACME)
    await embedder.embed_queries(["Is there tea?"])
    await embedder.embed_passages(["喝茶不加糖。" * 100])
    for embed in (embedder.embed_passages, embedder.embed_queries):
        with pytest.raises(QuotaExceeded) as caught:
            await embed(["x"])
        assert caught.value.quota == "model_tokens_per_day"
        assert "茶" not in str(caught.value)
    TENANT.set(ORION)
    await embedder.embed_queries(["Is there tea?"])
    TENANT.set(ACME)
    world.clock.now += 86_400 * 6
    await embedder.embed_queries(["Is there tea?"])
