"""A standby of the database, which answers reads: its connections, how far it has come, and whether it may be asked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

import structlog

from recalld_server.errors import StoreUnavailable
from recalld_server.model import Scope
from recalld_server.store.postgres.errors import StoreFault
from recalld_server.store.postgres.lag import Lag
from recalld_server.store.postgres.pool import Pool, PoolOptions
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.shared import Shared
from recalld_server.store.postgres.transaction import Transaction

log = structlog.get_logger(__name__)

SQL = load("replicas.sql")
POLL_SECONDS = 0.005
"""Between two questions how far a standby has come."""


class Replica:
    """One standby. `start`, then `look` every second; `close` at the end."""

    def __init__(
        self,
        name: str,
        dsn: str,
        options: PoolOptions,
        *,
        max_lag: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`max_lag` seconds: one that is further behind is not asked."""
        self.name = name
        self._pool = Pool(dsn, options)
        self._max_lag = max_lag
        self._clock = clock
        self._started = False
        self._system = 0
        self._behind = Lag(clock)
        self._ask = Shared(self._look)
        self.problem = "it has not answered yet"
        """Why it cannot be asked, as one who looks after it wants to know; empty: it can."""
        self.foreign = False
        """Whether it is of another database, which no waiting mends."""

    async def close(self) -> None:
        """Waits for what is running, at most a few seconds."""
        if self._started:
            await self._pool.close()

    @property
    def available(self) -> bool:
        """Whether it may be asked."""
        return not self.problem and self._pool.available and not self.lagging

    @property
    def lagging(self) -> bool:
        """Whether it is further behind than it may be."""
        return self.lag > self._max_lag

    @property
    def lag(self) -> float:
        """Seconds by which it is behind."""
        return self._behind.seconds

    def see(self, position: int, system: int) -> None:
        """Takes note of where the store of that system identifier is now."""
        self._system = system
        self._behind.see(position)

    async def ping(self) -> None:
        """Connects where it is not yet, and asks how far it has come. Raises StoreUnavailable."""
        try:
            await self._ask()
        except StoreFault as error:
            raise StoreUnavailable(str(error)) from None

    async def reached(self, position: int, wait: float) -> bool:
        """Whether it has come so far within `wait` seconds. Raises StoreUnavailable."""
        end = self._clock() + wait
        while self._behind.replayed < position:
            await self._ask()
            if self._behind.replayed >= position:
                break
            if self._clock() + POLL_SECONDS > end:
                return False
            await asyncio.sleep(POLL_SECONDS)
        return True

    def reading(self, scopes: Sequence[Scope]) -> AbstractAsyncContextManager[Transaction]:
        """A transaction that reads within scopes."""
        return self._pool.reading(scopes)

    def failed(self, problem: str) -> None:
        """Takes note that it does not answer."""
        self._tell(problem)

    async def _look(self) -> None:
        if not self._started:
            await self._pool.start()
            self._started = True
        async with self._pool.transaction(None, (), "", write=False) as transaction:
            row = await transaction.row(SQL["replayed"])
        assert row is not None
        self.foreign = bool(self._system) and row["system"] != self._system
        if self.foreign:
            self._tell("it is a copy of another database")
        elif not row["standby"]:
            # it goes its own way from here on, so that its positions say nothing any more
            self._tell("it is no standby (any more)")
        else:
            self._behind.replayed = row["position"]
            self._tell("")

    def _tell(self, problem: str) -> None:
        if problem != self.problem:
            self.problem = problem
            if problem:
                log.warning("a replica cannot be asked", replica=self.name, problem=problem)
