"""The clock of the server's machine is set hours or weeks forward or back, and right again: what counts is the database's time,
so nothing is lost, doubled, expired, refused or put off."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import pytest
from tests.faults.clock.shifted import ShiftedClock, build
from tests.faults.leftovers import healed, nothing_left, until
from tests.faults.load import Load, warmed

from recalld import AsyncClient, Durability, Policy, errors
from recalld.enums import IndexState, ReflectionState, SessionState, State
from recalld_server.demo import process
from recalld_server.embedded import start_postgres, start_valkey
from recalld_server.model import Limits
from recalld_server.store.postgres import PoolOptions, PostgresStore

pytestmark = pytest.mark.embedded

JUMPS = {"forward": timedelta(hours=5), "back": timedelta(hours=-5), "far": timedelta(days=40)}
NO_JUMP = timedelta(0)
AFTER_IT = 12
"""Acknowledged writes of which some were begun after the jump: more than there are writers."""
ABOUT = timedelta(minutes=2)
"""Far more than the tests take between two looks at a clock, far less than any jump."""
SPACE = "clocks"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A data directory that the database's account can reach."""
    path = Path(tempfile.mkdtemp(prefix="recalld-clock-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def clock(folder: Path) -> ShiftedClock:
    return build(folder)


@pytest.fixture(scope="module")
def running(folder: Path, clock: ShiftedClock) -> Iterator[process.Running]:
    """A server that goes by that clock; its database and its Valkey go by the true one."""
    with process.serving(folder / "data", {"RECALLD_EMBEDDER": "hash", **clock.environment}) as server:
        yield server


@pytest.fixture
async def database(running: process.Running) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(await dsn_of(running))
    yield connection
    await connection.close()


@pytest.fixture
async def client(running: process.Running) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(running.address, key=running.root_key, namespace=SPACE) as client:
        with suppress(errors.AlreadyExists):
            await client.namespaces.create(SPACE)
        yield client


@pytest.fixture(params=JUMPS, ids=str)
def jump(request: pytest.FixtureRequest, clock: ShiftedClock) -> Iterator[Callable[[], None]]:
    """Sets the clock; at the end of the test it is right again."""
    yield lambda: clock.set(JUMPS[request.param])
    clock.set(NO_JUMP)


async def dsn_of(running: process.Running) -> str:
    return (await asyncio.to_thread(start_postgres, running.data_dir)).dsn()


async def test_writers_notice_nothing(
    running: process.Running, clock: ShiftedClock, jump: Callable[[], None], request: pytest.FixtureRequest
) -> None:
    dsn = await dsn_of(running)
    store = PostgresStore(dsn, PoolOptions(size=1))
    await store.start()
    await store.quotas().set_limits("default", Limits(requests_per_second=300))
    await store.close()
    await warmed(running.address, running.root_key)
    load = Load(running.address, running.root_key, request.node.callspec.id)
    valkey = await asyncio.to_thread(start_valkey, running.data_dir)
    async with nothing_left(dsn, running.process.pid, valkey.url), load.going():
        await load.goes_on()
        jump()
        await load.goes_on(AFTER_IT, healed())
        await load.goes_on()
        clock.set(NO_JUMP)
        await load.goes_on(AFTER_IT, healed())
    await load.ledger.holds(dsn, among=f"{load.name} %")


async def test_what_is_kept_for_a_time_is_kept_for_that_time(
    client: AsyncClient, database: asyncpg.Connection, clock: ShiftedClock, jump: Callable[[], None]
) -> None:
    async def state_of(memory_id: str) -> State:
        return (await client.get(memory_id)).state

    async def expired() -> bool:
        return not [memory async for memory in client.list(states=["active"]) if memory.memory_id == brief.memory_id]

    dice = str(await database.fetchval("SELECT gen_random_uuid()"))
    before = await client.write(f"for an hour, from before 一小时 {dice}", ttl=3600)
    jump()
    after = await client.write(f"for an hour, from after 之后的一小时 {dice[::-1]}", ttl=3600)
    brief = await client.write(f"for a moment 一会儿 {dice[4:]}", ttl=1)
    now = await database.fetchval("SELECT now()")
    held = await client.get(after.memory_id)
    assert held.create_time is not None
    assert held.expire_time is not None
    assert abs(held.create_time - now) < ABOUT
    assert abs(held.expire_time - now - timedelta(hours=1)) < ABOUT
    await until(expired, "what was kept for a moment expires")
    for moment in ("during", "after"):
        for each in (before, after):
            assert await state_of(each.memory_id) is State.ACTIVE, moment
        clock.set(NO_JUMP)
    assert [memory.memory_id async for memory in client.list(states=["active"])][:2] == [
        after.memory_id,
        before.memory_id,
    ]


async def test_keys_and_grants_end_when_they_should(
    running: process.Running, client: AsyncClient, clock: ShiftedClock, jump: Callable[[], None]
) -> None:
    now = datetime.now(UTC)
    lasting = await client.keys.create("visitor", "reader", expire_time=now + timedelta(hours=1))
    jump()
    brief = await client.keys.create("passer-by", "reader", expire_time=datetime.now(UTC) + timedelta(seconds=3))
    visitor = AsyncClient(running.address, key=lasting.secret, namespace=SPACE)
    passer_by = AsyncClient(running.address, key=brief.secret, namespace=SPACE)

    async def refused() -> bool:
        try:
            await passer_by.stats()
        except errors.Unauthenticated:
            return True
        return False

    async with visitor, passer_by:
        await visitor.stats()
        await until(refused, "the key that ends in a moment ends")
        await visitor.stats()
        clock.set(NO_JUMP)
        await visitor.stats()


async def test_requests_jobs_and_sessions_go_on(
    client: AsyncClient, database: asyncpg.Connection, clock: ShiftedClock, jump: Callable[[], None]
) -> None:
    dice = str(await database.fetchval("SELECT gen_random_uuid()"))
    once = await client.write(f"said once 只说一次 {dice}", request_id=dice)
    session = client.session(dice)
    await session.add("我喜欢靠窗的座位。 I prefer window seats.")
    handle = await client.reflect(session_id=dice)
    jump()
    accepted = await client.write(f"to be indexed 待索引 {dice}", durability=Durability.ACCEPTED)

    async def indexed() -> bool:
        return (await client.get(accepted.memory_id)).index_state is IndexState.INDEXED

    await until(indexed, "what was accepted is indexed")
    assert (await handle.wait(timeout=60)).state is ReflectionState.SUCCEEDED
    assert (await (await client.reflect(session_id=dice)).wait(timeout=60)).state is ReflectionState.SUCCEEDED
    for _ in ("during", "after"):
        again = await client.write(f"said once 只说一次 {dice}", request_id=dice)
        assert again.memory_id == once.memory_id
        assert (await session.get()).session.state is SessionState.OPEN
        clock.set(NO_JUMP)
    stored = await database.fetchval("SELECT count(*) FROM recalld.memories WHERE content LIKE '%' || $1", dice)
    assert stored == 2


async def test_a_schedule_is_not_run_by_a_wrong_clock(
    client: AsyncClient, database: asyncpg.Connection, clock: ShiftedClock, jump: Callable[[], None]
) -> None:
    dice = str(await database.fetchval("SELECT gen_random_uuid()"))
    # twelve hours from now: no test runs into it, and a jump of days passes over it
    hour = (await database.fetchval("SELECT now()") + timedelta(hours=12)).hour
    far, due = f"far/{dice}", f"due/{dice}"
    for name in (far, due):
        await client.namespaces.create(name, policy=Policy(reflection_schedule=f"0 {hour} * * *"))

    async def runs(name: str) -> int:
        count = (
            "SELECT count(*) FROM recalld.reflections JOIN recalld.namespaces n USING (namespace_id) WHERE n.name = $1"
        )
        return int(await database.fetchval(count, name))

    async def known() -> bool:
        ticks = (
            "SELECT count(*) FROM recalld.reflection_schedules JOIN recalld.namespaces n USING (namespace_id)"
            " WHERE n.name = ANY ($1)"
        )
        return bool(await database.fetchval(ticks, [far, due]) == 2)

    async def run_again(count: int) -> None:
        """Makes one of them due; when it has run the scheduler has looked at the other as well."""
        await database.execute(
            "UPDATE recalld.reflection_schedules s SET tick = tick - interval '5 days'"
            " FROM recalld.namespaces n WHERE n.namespace_id = s.namespace_id AND n.name = $1",
            due,
        )

        async def ran() -> bool:
            return await runs(due) == count

        await until(ran, f"what is due is run, time {count}")

    await until(known, "the schedules are known")
    jump()
    await run_again(1)
    await run_again(2)
    assert await runs(far) == 0
    clock.set(NO_JUMP)
    await run_again(3)
    await run_again(4)
    assert (await runs(far), await runs(due)) == (0, 4)
