"""The clock of the machine on which the database and Redis run is set forward or back: what was put off by minutes does not
wait for hours, and nothing is done twice."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from redis.asyncio import Redis
from tests.faults.clock.shifted import ShiftedClock, build
from tests.store.things import DIMENSIONS, MODEL, draft, make_scope
from tests.valkeys import PATIENT

from recalld_server.embedded import postgres as embedded_postgres
from recalld_server.embedded import start_postgres, start_valkey, stop_postgres, stop_valkey
from recalld_server.embedded import valkey as embedded_valkey
from recalld_server.model import IndexState, Rate, Scope, utc_now
from recalld_server.store.base import IndexJob
from recalld_server.store.postgres import PoolOptions, PostgresStore, migrate
from recalld_server.store.redis import LocalBuckets, RedisClient, SharedBuckets

pytestmark = pytest.mark.embedded

ACME = UUID(int=1)
HOURS = timedelta(hours=5)
LEASE = timedelta(seconds=30)


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="recalld-clock-"))
    path.chmod(0o755)
    try:
        yield path
    finally:
        stop_postgres(path)
        stop_valkey(path)
        shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def clock(folder: Path, monkeypatch: pytest.MonkeyPatch) -> ShiftedClock:
    """That of the embedded servers which the test starts; its own process goes by the true time."""
    clock = build(folder)
    for module in (embedded_postgres, embedded_valkey):
        monkeypatch.setattr(module, "ENVIRONMENT", {**module.ENVIRONMENT, **clock.environment})
    return clock


@pytest.fixture
async def store(clock: ShiftedClock, folder: Path) -> AsyncIterator[PostgresStore]:
    dsn = start_postgres(folder, settings={"fsync": "off"}).dsn()
    await migrate(dsn)
    store = PostgresStore(dsn, PoolOptions(size=2))
    await store.start()
    await store.embedding_model(MODEL, DIMENSIONS)
    yield store
    clock.set(timedelta(0))
    await store.ping()
    await store.close()


@pytest.fixture
async def scope(store: PostgresStore) -> Scope:
    return await make_scope(store)


async def claimed(store: PostgresStore) -> list[IndexJob]:
    return list(await store.index_jobs().claim(10, LEASE))


async def test_this_process_goes_by_the_databases_time(store: PostgresStore, clock: ShiftedClock) -> None:
    before = utc_now()
    clock.set(HOURS)
    assert utc_now() - before < HOURS / 2
    await store.ping()
    assert utc_now() - before > HOURS / 2
    clock.set(-HOURS)
    await store.ping()
    assert utc_now() < before
    clock.set(timedelta(0))
    await store.ping()
    assert timedelta(0) <= utc_now() - before < HOURS / 2


async def test_a_job_whose_holder_died_before_the_clock_was_set_back_is_taken_over(
    store: PostgresStore, scope: Scope, clock: ShiftedClock
) -> None:
    async with store.unit(scope) as unit:
        await unit.insert(scope, [draft(scope, "等待 waiting", index_state=IndexState.PENDING)], actor="ann")
    (held,) = await claimed(store)
    assert await claimed(store) == []
    clock.set(-HOURS)
    (taken,) = await claimed(store)
    assert (taken.memory_id, taken.attempts) == (held.memory_id, held.attempts + 1)
    assert await claimed(store) == []
    clock.set(HOURS)
    assert [job.attempts for job in await claimed(store)] == [held.attempts + 2]


async def test_a_bucket_fills_again_at_its_rate_when_the_clock_is_set_back(clock: ShiftedClock, folder: Path) -> None:
    rate = Rate(per_second=1, burst=20)
    redis = RedisClient(start_valkey(folder).url, PATIENT)
    await redis.start()

    async def set_clock(shift: timedelta) -> None:
        """And waits until scripts see it: the time of a command may have been looked at before the command came."""

        async def told(commands: Redis) -> int:
            return int(await commands.register_script("return redis.call('TIME')[1]")())

        clock.set(shift)
        async with asyncio.timeout(60):
            while abs(await redis.run(told) - time.time() - shift.total_seconds()) > HOURS.total_seconds() / 2:
                pass

    try:
        buckets = SharedBuckets(redis, LocalBuckets())
        assert await buckets.take(ACME, "a", rate, 20) == 0
        await set_clock(-HOURS)
        first = await buckets.take(ACME, "a", rate, 20)
        assert 0 < first <= 20
        async with asyncio.timeout(20):
            while (wait := await buckets.take(ACME, "a", rate, 20)) >= first:
                assert wait <= 20
        await set_clock(HOURS)
        assert await buckets.take(ACME, "a", rate, 20) == 0
        assert 0 < await buckets.take(ACME, "a", rate, 20) <= 20
    finally:
        await redis.close()
