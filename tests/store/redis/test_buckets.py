"""Token buckets: those in Redis and those of the process keep the same rules."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest
from tests.valkeys import PATIENT

from recalld_server.model import Rate
from recalld_server.store.base import Buckets
from recalld_server.store.redis import LocalBuckets, RedisClient, SharedBuckets, key

ACME, ORION = UUID(int=1), UUID(int=2)
SLOW = Rate(per_second=0.001, burst=5)
"""So slow that nothing comes back during a test."""
FAST = Rate(per_second=200, burst=1)


@pytest.fixture(params=["redis", "process"])
async def buckets(request: pytest.FixtureRequest, client: RedisClient) -> Buckets:
    return SharedBuckets(client, LocalBuckets()) if request.param == "redis" else LocalBuckets()


async def test_a_full_bucket_gives_its_burst_and_then_says_how_long_to_wait(buckets: Buckets) -> None:
    assert [await buckets.take(ACME, "a", SLOW, 1) for _ in range(5)] == [0.0] * 5
    wait = await buckets.take(ACME, "a", SLOW, 1)
    assert 990 < wait <= 1000
    assert 1990 < await buckets.take(ACME, "a", SLOW, 2) <= 2000


async def test_buckets_of_other_tenants_and_other_names_are_apart(buckets: Buckets) -> None:
    assert await buckets.take(ACME, "a", SLOW, 5) == 0
    assert await buckets.take(ACME, "a", SLOW, 1) > 0
    for tenant_id, name in ((ORION, "a"), (ACME, "b"), (ACME, "a:b"), (ACME, "a*")):
        assert await buckets.take(tenant_id, name, SLOW, 5) == 0, name


async def test_what_was_taken_comes_back(buckets: Buckets) -> None:
    assert await buckets.take(ACME, "a", FAST, 1) == 0
    async with asyncio.timeout(30):
        while wait := await buckets.take(ACME, "a", FAST, 1):
            assert wait <= 0.005
            await asyncio.sleep(wait)


async def test_a_charge_may_go_below_nothing_and_asking_costs_nothing(buckets: Buckets) -> None:
    assert await buckets.take(ACME, "a", SLOW, 0) == 0
    await buckets.charge(ACME, "a", SLOW, 4)
    assert await buckets.take(ACME, "a", SLOW, 0) == 0
    await buckets.charge(ACME, "a", SLOW, 11)
    assert 9_990 < await buckets.take(ACME, "a", SLOW, 0) <= 10_000


async def test_more_than_a_full_bucket_is_never_there(buckets: Buckets) -> None:
    assert await buckets.take(ACME, "a", SLOW, 6) > 0
    assert await buckets.take(ACME, "a", SLOW, 5) == 0


async def test_servers_share_one_bucket(client: RedisClient, valkey: str) -> None:
    other = RedisClient(valkey, PATIENT)
    await other.start()
    try:
        both = [SharedBuckets(client, LocalBuckets()), SharedBuckets(other, LocalBuckets())]
        waits = await asyncio.gather(*(both[n % 2].take(ACME, "a", SLOW, 1) for n in range(20)))
        assert waits.count(0.0) == 5
    finally:
        await other.close()


@pytest.mark.parametrize(
    "kept",
    [
        ORION.hex + ":99999999999999999@1",
        ACME.hex + ":99999999999999999",
        *("", "x", ACME.hex + ":", ACME.hex + ":x", ACME.hex + ":1@x", ACME.hex),
    ],
)
async def test_a_value_that_another_tenant_or_release_left_is_none(client: RedisClient, kept: str) -> None:
    await client.run(lambda redis: redis.set(key(ACME, None, "bucket", "a"), kept))
    assert await SharedBuckets(client, LocalBuckets()).take(ACME, "a", SLOW, 5) == 0


async def test_a_bucket_does_not_stay_longer_than_it_matters(client: RedisClient) -> None:
    await SharedBuckets(client, LocalBuckets()).take(ACME, "a", Rate(1, 10), 3)
    assert 0 < await client.run(lambda redis: redis.pttl(key(ACME, None, "bucket", "a"))) <= 3_002


async def test_without_redis_the_process_counts(client: RedisClient) -> None:
    buckets = SharedBuckets(client, LocalBuckets())
    await client.close()
    assert [await buckets.take(ACME, "a", SLOW, 1) for _ in range(5)] == [0.0] * 5
    assert await buckets.take(ACME, "a", SLOW, 1) > 0
    await buckets.charge(ACME, "b", SLOW, 7)
    assert await buckets.take(ACME, "b", SLOW, 0) > 0
