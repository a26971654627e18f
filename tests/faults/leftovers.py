"""What must hold after every fault: the database has what was acknowledged, once; nothing is left open; it serves again."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import asyncpg
from redis.asyncio import Redis

HEALED_SECONDS = 10.0
"""From the end of a fault to serving again, on a machine that has nothing else to do."""
PATIENCE = 60.0
"""For anything else that is waited for."""
OURS = "FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'recalld%'"


def healed() -> float:
    """HEALED_SECONDS on this machine at this moment, which may be shared with many."""
    wall, cpu = time.perf_counter(), time.thread_time()
    while time.thread_time() - cpu < 0.05:
        pass
    return HEALED_SECONDS * max(1.0, (time.perf_counter() - wall) / 0.05)


async def until(holds: Callable[[], Awaitable[bool]], what: str, seconds: float = PATIENCE) -> None:
    """Returns when it holds; fails, naming it, when it does not in time."""
    try:
        async with asyncio.timeout(seconds):
            while not await holds():  # noqa: ASYNC110 - what is waited for lies in another process
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise AssertionError(f"not within {seconds:.0f} s: {what}") from None


@dataclass(frozen=True)
class Ledger:
    """What was asked to be kept, and what was acknowledged; each text is asked for once."""

    asked: set[str] = field(default_factory=set)
    acknowledged: set[str] = field(default_factory=set)

    async def keep(self, text: str, writing: Awaitable[object]) -> None:
        """Notes a write: it was asked for, and if it comes to its end it was acknowledged."""
        assert text not in self.asked
        self.asked.add(text)
        await writing
        self.acknowledged.add(text)

    async def holds(self, dsn: str, among: str = "%") -> None:
        """Fails when a memory that was acknowledged is not there, one is there twice, or one that nobody asked for."""
        stored = Counter(await contents(dsn, among))
        lost = self.acknowledged - stored.keys()
        doubled = {text for text, count in stored.items() if count > 1}
        invented = stored.keys() - self.asked
        wrong = {"lost": lost, "doubled": doubled, "invented": invented}
        assert not any(wrong.values()), {what: texts for what, texts in wrong.items() if texts}


async def contents(dsn: str, among: str = "%") -> list[str]:
    """The texts of all memories, of whatever state."""
    connection = await asyncpg.connect(dsn)
    try:
        rows = await connection.fetch("SELECT content FROM recalld.memories WHERE content LIKE $1", among)
    finally:
        await connection.close()
    return sorted(row["content"] for row in rows)


@asynccontextmanager
async def nothing_left(dsn: str, pid: int | None = None, redis_url: str | None = None) -> AsyncIterator[None]:
    """Fails when, some time after the block, there are more open files and sockets than before it, or a server is still in
    the middle of something in the database. Looks at the process `pid`; without one at this process, and its tasks.
    `redis_url`: of the Redis that the process alone uses."""
    # of those to a Redis that is killed, some lie in the pool until they are wanted
    before = await _open(dsn, pid, None)
    yield
    after = before

    async def none_more() -> bool:
        nonlocal after
        after = await _open(dsn, pid, redis_url)
        return all(after[what] <= before[what] for what in before)

    try:
        await until(none_more, "what was begun came to its end")
    except AssertionError:
        more = {what: f"{before[what]} -> {after[what]}" for what in before if after[what] > before[what]}
        raise AssertionError(f"left behind: {more}") from None


async def _open(dsn: str, pid: int | None, redis_url: str | None) -> dict[str, int]:
    # how many connections a pool keeps is its own business, so they do not count as files
    kept = 0
    if redis_url is not None:
        async with Redis.from_url(redis_url) as redis:
            kept = len(await redis.client_list()) - 1
    connection = await asyncpg.connect(dsn)
    try:
        busy = await connection.fetchval(f"SELECT count(*) {OURS} AND state <> 'idle'")
        kept += await connection.fetchval(f"SELECT count(*) {OURS}")
        files = len(os.listdir(f"/proc/{pid or 'self'}/fd")) - kept
    finally:
        await connection.close()
    tasks = {} if pid else {"tasks": len(asyncio.all_tasks())}
    return {"files and sockets": files, "busy connections": busy, **tasks}
