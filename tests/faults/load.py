"""Writers that go on whatever happens, as careful programs do: each repeats a call that failed under its request_id."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from uuid import uuid4

from tests.faults.leftovers import PATIENCE, Ledger, until

from recalld import AsyncClient, RetryPolicy, errors

CALL_SECONDS = 10.0


@dataclass
class Load:
    """Several writers on one server; `address` may be changed when the server comes back elsewhere."""

    address: str
    key: str
    name: str = "fact"
    """What its texts and its requests begin with."""
    ledger: Ledger = field(default_factory=Ledger)
    _stopping: bool = False

    @asynccontextmanager
    async def going(self, writers: int = 4) -> AsyncIterator[None]:
        """They write during the block; at its end each has the answer to its last call."""
        tasks = [asyncio.create_task(self._write(number)) for number in range(writers)]
        try:
            yield
            self._stopping = True
            async with asyncio.timeout(PATIENCE):
                await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def goes_on(self, count: int = 20, seconds: float = PATIENCE) -> None:
        """Returns when so many more writes were acknowledged; fails when they are not in time."""
        wanted = len(self.ledger.acknowledged) + count

        async def enough() -> bool:
            return len(self.ledger.acknowledged) >= wanted

        await until(enough, f"{count} more writes were acknowledged", seconds)

    async def _write(self, number: int) -> None:
        for step in itertools.count():
            if self._stopping:
                return
            text = f"{self.name} {number}-{step} 事实 {number * 7919 + step * 104729}"
            await self.ledger.keep(text, self._insist(text, f"{self.name}-{number}-{step}"))

    async def _insist(self, text: str, request_id: str) -> None:
        while True:
            try:
                async with AsyncClient(self.address, key=self.key, retry=RetryPolicy(attempts=1)) as client:
                    await client.write(text, request_id=request_id, timeout=CALL_SECONDS)
            except (errors.Unavailable, errors.DeadlineExceeded, errors.Cancelled):
                await asyncio.sleep(0.05)
            else:
                return


async def warmed(address: str, key: str) -> None:
    """Returns when a server has opened what it opens once and keeps: connections, pools of threads. More write at a time
    than afterwards, so that no pool has to grow then."""
    load = Load(address, key, f"warm-{uuid4().hex}")
    async with load.going(writers=12):
        await load.goes_on(60)
