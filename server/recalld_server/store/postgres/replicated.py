"""Reads that go to a standby where the caller has said how new they must be, and to the database itself otherwise.

A standby that is away, too far behind or slow costs a call a moment and never its answer. Nothing is ever written here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

import structlog

from recalld_server import telemetry
from recalld_server.errors import StoreUnavailable
from recalld_server.model import Scope
from recalld_server.store.base import READ_AFTER, ReadAfter, View
from recalld_server.store.postgres.errors import StoreFault
from recalld_server.store.postgres.replica import Replica
from recalld_server.store.postgres.shared import Shared
from recalld_server.store.postgres.store import PostgresStore

log = structlog.get_logger(__name__)

T = TypeVar("T")
PING_SECONDS = 1.5


class ReplicatedReads:
    """Reads and Positions of a database with standbys. `look` is a chore."""

    def __init__(self, store: PostgresStore, replicas: Sequence[Replica]) -> None:
        self._store = store
        self.replicas = replicas
        self._turn = 0
        self._position = Shared(self._ask_position)
        self._ending = set[asyncio.Task[object]]()

    async def position(self) -> int:
        return await self._position()

    async def read(self, scopes: Sequence[Scope], work: Callable[[View], Awaitable[T]]) -> T:
        asked = READ_AFTER.get()
        if asked is None:
            return await self._store.read(scopes, work)
        replica = await self._choose(asked)
        if replica is not None:
            # in a task of its own: what hangs on a standby is given up without waiting for its connection to be cleaned
            attempt = asyncio.create_task(self._on(replica, scopes, work))
            self._ending.add(attempt)
            attempt.add_done_callback(self._ended)
            try:
                done, _ = await asyncio.wait({attempt}, timeout=asked.patience)
            except asyncio.CancelledError:
                attempt.cancel()
                raise
            if not done:
                attempt.cancel()
                replica.failed("it does not answer in time")
                telemetry.count_replica_read("failed")
            elif not isinstance(attempt.exception(), StoreUnavailable | StoreFault):
                answer = attempt.result()
                telemetry.count_replica_read("served")
                return answer
            else:
                # a fault as well: a standby may not have yet what a migration has just made
                log.warning("a read of a replica failed", replica=replica.name, cause=str(attempt.exception()))
                telemetry.count_replica_read("failed")
        asked.from_store = True
        return await self._store.read(scopes, work)

    async def look(self) -> int:
        """Finds out where the database and its standbys are, and tells of it."""
        with suppress(StoreUnavailable):
            await self.position()
        await asyncio.gather(*(self._ping(replica) for replica in self.replicas))
        lags = [(replica.lag, {"replica": replica.name}) for replica in self.replicas if not replica.problem]
        telemetry.observe("recalld.replica.lag", lags)
        return 0

    async def close(self) -> None:
        """Gives up what is under way, then the connections."""
        for task in self._ending:
            task.cancel()
        await asyncio.gather(*self._ending, return_exceptions=True)
        await asyncio.gather(*(replica.close() for replica in self.replicas))

    async def _choose(self, asked: ReadAfter) -> Replica | None:
        """The next standby that has what the caller knows of, or has it soon."""
        there = [replica for replica in self.replicas if replica.available]
        if not there:
            behind = any(replica.lagging and not replica.problem for replica in self.replicas)
            telemetry.count_replica_read("behind" if behind else "away")
            return None
        self._turn += 1
        replica = there[self._turn % len(there)]
        try:
            async with asyncio.timeout(asked.patience):
                if await replica.reached(asked.position, asked.wait):
                    return replica
            telemetry.count_replica_read("behind")
        except (StoreUnavailable, StoreFault, TimeoutError):
            replica.failed("it does not answer")
            telemetry.count_replica_read("failed")
        return None

    async def _on(self, replica: Replica, scopes: Sequence[Scope], work: Callable[[View], Awaitable[T]]) -> T:
        with telemetry.child("read from replica", {"recalld.replica": replica.name}):
            async with replica.reading(scopes) as transaction:
                return await work(self._store.view_of(transaction))

    async def _ping(self, replica: Replica) -> None:
        try:
            async with asyncio.timeout(PING_SECONDS):
                await replica.ping()
        except TimeoutError:
            replica.failed("it does not answer in time")
        except (StoreUnavailable, StoreFault) as error:
            replica.failed(str(error))

    async def _ask_position(self) -> int:
        position, system = await self._store.position()
        for replica in self.replicas:
            replica.see(position, system)
        return position

    def _ended(self, task: asyncio.Task[object]) -> None:
        self._ending.discard(task)
        if not task.cancelled():
            # looked at, so that one that failed after it was given up is no fault
            task.exception()
