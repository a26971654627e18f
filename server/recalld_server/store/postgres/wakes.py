"""Wake-ups by LISTEN and NOTIFY: each commit of a writer names its namespace, each server listens on one connection.

The database tells only those that are connected, so two things stand behind it: a new connection wakes everybody, and the
change counters of the namespaces that anybody watches are compared every now and then, in one query for all of them.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from uuid import UUID

import asyncpg
import structlog

from recalld_server.errors import StoreUnavailable
from recalld_server.model import EVERY_AGENT
from recalld_server.store.postgres.errors import DRIVER_ERRORS, StoreFault
from recalld_server.store.postgres.migrate import APP_ROLE, SCHEMA
from recalld_server.store.postgres.pool import CHANNEL, Pool

log = structlog.get_logger(__name__)

CONNECT_SECONDS = 5.0
RECONNECT_SECONDS = 0.5
POLL_SECONDS = 1.0
"""How late a change is heard of whose notification was lost."""


class PostgresEar:
    """An Ear. Made by `PostgresWakes.listen`."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._changed = set[UUID]()

    def tell(self, namespace_id: UUID) -> None:
        """Says that something may have happened there."""
        self._changed.add(namespace_id)
        self._event.set()

    async def changed(self, timeout: float) -> frozenset[UUID]:
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._event.wait()
        self._event.clear()
        changed, self._changed = frozenset(self._changed), set()
        return changed


class PostgresWakes:
    """The Wakes of one server. It connects when the first one listens; without a connection everything is only slower."""

    def __init__(self, dsn: str, pool: Pool, *, poll: float = POLL_SECONDS) -> None:
        self._dsn = dsn
        self._pool = pool
        self._poll = poll
        self._ears: defaultdict[UUID, set[PostgresEar]] = defaultdict(set)
        self._heads: dict[UUID, int] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self.listening = asyncio.Event()
        """Set while notifications come in."""

    async def close(self) -> None:
        """Ends the connection."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @contextmanager
    def listen(self, namespace_ids: Collection[UUID]) -> Iterator[PostgresEar]:
        if not self._tasks:
            self._tasks = [
                asyncio.create_task(self._stay_connected(), name="change notifications"),
                asyncio.create_task(self._compare_heads(), name="change counters"),
            ]
        ear = PostgresEar()
        for each in namespace_ids:
            self._ears[each].add(ear)
        try:
            yield ear
        finally:
            for each in namespace_ids:
                self._ears[each].discard(ear)
                if not self._ears[each]:
                    del self._ears[each]
                    self._heads.pop(each, None)

    async def _stay_connected(self) -> None:
        while True:
            try:
                await self._hear()
            except DRIVER_ERRORS as error:
                log.warning("change notifications were lost; they are polled for", cause=type(error).__name__)
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _hear(self) -> None:
        """Listens until the connection ends."""
        gone = asyncio.Event()
        connection = await asyncpg.connect(
            self._dsn,
            timeout=CONNECT_SECONDS,
            server_settings={"application_name": "recalld listener", "role": APP_ROLE, "search_path": SCHEMA},
        )
        try:
            connection.add_termination_listener(lambda _: gone.set())
            await connection.add_listener(CHANNEL, lambda *told: self._tell(str(told[3])))
            self.listening.set()
            for namespace_id in list(self._ears):
                self._tell(namespace_id.hex)
            await gone.wait()
        finally:
            self.listening.clear()
            connection.terminate()

    async def _compare_heads(self) -> None:
        while True:
            await asyncio.sleep(self._poll)
            if not self._ears:
                continue
            try:
                async with self._pool.transaction(None, (), EVERY_AGENT, write=False) as transaction:
                    rows = await transaction.fetch("SELECT * FROM change_heads($1)", list(self._ears))
            except (StoreUnavailable, StoreFault) as error:
                # whoever reads is told; this goes on, or nobody would be woken any more
                log.debug("change counters could not be read", cause=type(error).__name__)
                continue
            for row in rows:
                namespace_id, head = row["namespace_id"], row["change_sequence"]
                if self._heads.get(namespace_id) != head and namespace_id in self._ears:
                    self._heads[namespace_id] = head
                    self._tell(namespace_id.hex)

    def _tell(self, payload: str) -> None:
        with suppress(ValueError):  # anybody who may connect can notify
            for ear in self._ears.get(UUID(hex=payload), ()):
                ear.tell(UUID(hex=payload))
