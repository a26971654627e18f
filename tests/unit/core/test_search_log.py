from __future__ import annotations

import asyncio
from collections.abc import Sequence
from uuid import UUID

import pytest
import structlog

from recalld_server.core.search_log import BATCH, SearchLog
from recalld_server.errors import StoreUnavailable
from recalld_server.model import new_id, utc_now
from recalld_server.store.base import PastSearch, Searched

TENANT = UUID(int=1)


def record() -> Searched:
    return Searched(TENANT, "ann", new_id(), (UUID(int=2),), (), 1.0, utc_now())


class Records:
    """Keeps what is logged, unless it is away or held."""

    def __init__(self) -> None:
        self.kept: list[Searched] = []
        self.away = False
        self.free = asyncio.Event()
        self.free.set()

    async def log_searches(self, searches: Sequence[Searched]) -> None:
        await self.free.wait()
        if self.away:
            raise StoreUnavailable("away")
        self.kept += searches

    async def find_search(self, tenant_id: UUID, agent_id: str, search_id: UUID) -> PastSearch | None:
        return None


async def test_records_are_stored_in_batches_in_their_order() -> None:
    records = Records()
    log = SearchLog(records)
    given = [record() for _ in range(BATCH + 3)]
    for each in given:
        log.add(each)
    assert await log.flush() == 3
    assert records.kept == given[:BATCH]
    assert await log.flush() == 0
    assert records.kept == given
    assert await log.flush() == 0


async def test_what_is_too_much_is_dropped_and_told() -> None:
    records = Records()
    log = SearchLog(records, limit=2)
    given = [record() for _ in range(5)]
    for each in given:
        log.add(each)
    with structlog.testing.capture_logs() as told:
        await log.flush()
        await log.flush()
    assert records.kept == given[:2]
    assert [entry["dropped"] for entry in told] == [3]


async def test_nothing_is_lost_while_the_store_is_away() -> None:
    records = Records()
    log = SearchLog(records)
    given = [record() for _ in range(3)]
    log.add(given[0])
    log.add(given[1])
    records.away = True
    with pytest.raises(StoreUnavailable):
        await log.flush()
    log.add(given[2])
    records.away = False
    await log.flush()
    assert records.kept == given


async def test_nothing_is_lost_when_storing_is_cancelled() -> None:
    records = Records()
    log = SearchLog(records)
    given = record()
    log.add(given)
    records.free.clear()
    flushing = asyncio.create_task(log.flush())
    await asyncio.sleep(0)
    flushing.cancel()
    await asyncio.gather(flushing, return_exceptions=True)
    records.free.set()
    await log.close()
    assert records.kept == [given]


async def test_closing_stores_all_and_says_what_it_could_not() -> None:
    records = Records()
    log = SearchLog(records)
    for _ in range(2 * BATCH + 1):
        log.add(record())
    await log.close()
    assert len(records.kept) == 2 * BATCH + 1
    log.add(record())
    records.away = True
    with structlog.testing.capture_logs() as told:
        await log.close()
    assert [entry["dropped"] for entry in told] == [1]
