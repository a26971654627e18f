"""Connections, and transactions within scopes. However a transaction ends, its connection is clean or gone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import asyncpg

from recalld_server import telemetry
from recalld_server.breaker import Breaker
from recalld_server.errors import StoreUnavailable
from recalld_server.model import NOBODY, Actor, Scope
from recalld_server.store.postgres.errors import DRIVER_ERRORS, translate
from recalld_server.store.postgres.migrate import SCHEMA, extension_schema
from recalld_server.store.postgres.party import Party, opening, parties
from recalld_server.store.postgres.session import in_transaction, pool_options, register_codecs, session_settings
from recalld_server.store.postgres.spans import Statement
from recalld_server.store.postgres.transaction import Transaction

# A writer holds its namespace's lock until its commit returns. If that waited for the disk, a namespace could take no
# more writes a second than the disk takes flushes; so it commits without waiting, and then waits for the disk with all
# others that do. Nothing is acknowledged before. The second form also waits for synchronous standbys. What wrote nothing,
# as a look for work that finds none does several times a second, waits for nothing.
_NOTED = "SELECT set_config('recalld.wrote', (pg_current_xact_id_if_assigned() IS NOT NULL)::text, false); "
_IF_WRITTEN = " WHERE current_setting('recalld.wrote')::boolean"
_BARRIERS = (
    "SELECT pg_logical_emit_message(false, 'recalld', '', true)",
    "SELECT pg_logical_emit_message(true, 'recalld', '')",
)
CHANNEL = "recalld_changes"
"""Where each commit that changed a namespace tells its id, see `wakes`."""
PLAN_ONCE = "set_config('plan_cache_mode', 'force_generic_plan', true)"
# What joins all memories of a namespace with all their vectors is quadratic as a nested loop, which the planner takes
# where it expects few. Looks by key are LATERAL with OFFSET 0, which is a nested loop in any case.
HASH_JOINS = "set_config('enable_nestloop', 'off', true)"
# Where an index has the order, it is used, whatever the planner knows of the table at that moment.
INDEX_ORDERS = "set_config('enable_sort', 'off', true)"
_CLEANUP_SECONDS = 5.0
# Beginning is no work: a connection on which that takes longer leads nowhere any more.
_BEGIN_SECONDS = 3.0
_TRIES = 3
_LEFT_ALONE_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class PoolOptions:
    """How connections are kept. Times in seconds."""

    size: int = 10
    acquire_timeout: float = 5.0
    """How long a call waits for a free connection."""
    statement_timeout: float = 30.0
    """How long one statement may run in the database; the driver gives up two seconds later."""
    idle_in_transaction_timeout: float = 30.0
    application_name: str = "recalld"
    pooled: bool = False
    """A pooler in transaction mode is in between, so that a connection keeps nothing from one transaction to the next."""


class Pool:
    """The pool of one process."""

    def __init__(self, dsn: str, options: PoolOptions) -> None:
        self._dsn = dsn
        self._options = options
        self._pool: asyncpg.Pool | None = None
        self._barrier = _BARRIERS[1]
        self._each = ""
        self._ending: set[asyncio.Task[None]] = set()
        self._breaker = Breaker(pause=_LEFT_ALONE_SECONDS, error=StoreUnavailable, what="the database")

    async def start(self) -> None:
        """Connects once. Raises StoreUnavailable when the database does not answer, StoreFault when it is not migrated
        or the user may not take the application's role."""
        options = self._options
        try:
            schema = await self._prepare()
            settings = session_settings(schema, options.statement_timeout, options.idle_in_transaction_timeout)
            if options.pooled:
                self._each = in_transaction(settings)

            async def init(new: asyncpg.Connection) -> None:
                await register_codecs(new, schema, pooled=options.pooled)

            async def keep(_: asyncpg.Connection) -> None:
                """Transactions leave nothing behind, so a connection needs no reset."""

            self._pool = await asyncpg.create_pool(
                self._dsn,
                # asyncpg keeps up a floor in the background, and logs its attempts with all that they were given
                min_size=0,
                max_size=options.size,
                timeout=options.acquire_timeout,
                command_timeout=options.statement_timeout + 2,
                max_inactive_connection_lifetime=300,
                init=init,
                reset=keep,
                **pool_options(options.pooled, options.application_name, settings),
            )
        except DRIVER_ERRORS as error:
            raise translate(error) from None

    async def _prepare(self) -> str:
        """Looks at the database. Returns the schema of pgvector. Raises StoreUnavailable when it is not migrated."""
        timeout, statements = self._options.acquire_timeout, 0 if self._options.pooled else 100
        connection = await asyncpg.connect(self._dsn, timeout=timeout, statement_cache_size=statements)
        try:
            async with connection.transaction():
                schema = await extension_schema(connection)
                alone = connection.get_server_version().major >= 17 and not await connection.fetchval(
                    "SELECT current_setting('synchronous_standby_names')"
                )
                migrated = await connection.fetchval("SELECT to_regclass($1)", f"{SCHEMA}.memories")
        finally:
            await connection.close(timeout=_CLEANUP_SECONDS)
        if schema is None or migrated is None:
            raise StoreUnavailable("the database has no schema of recalld yet: run `recalld migrate`", 5.0)
        self._barrier = _BARRIERS[0 if alone else 1]
        return schema

    def observe(self) -> None:
        """Tells how many connections there are."""
        if self._pool is not None:
            size, idle = self._pool.get_size(), self._pool.get_idle_size()
            telemetry.observe_pool(idle=idle, used=size - idle, limit=self._options.size)

    async def close(self) -> None:
        """Waits for what is running, at most a few seconds, then cuts."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        if self._ending:
            await asyncio.wait(self._ending, timeout=_CLEANUP_SECONDS)
        try:
            await asyncio.wait_for(pool.close(), _CLEANUP_SECONDS)
        except (TimeoutError, asyncio.CancelledError):
            pool.terminate()
            raise

    @asynccontextmanager
    async def transaction(
        self,
        tenant_id: UUID | None,
        scopes: Sequence[Scope],
        agent_id: str,
        *,
        write: bool,
        actor: Actor = NOBODY,
        plan_once: bool = False,
    ) -> AsyncIterator[Transaction]:
        """A transaction that sees this tenant, these namespaces and this agent's private memories. Committed on a normal
        exit, and on disk then; else rolled back. `actor` is whom the audit log names for changes. With `plan_once` a
        statement is planned once a connection, whatever its values: right for statements that find rows by key, which
        take longer to plan than to run."""
        namespaces = frozenset(scope.namespace_id for scope in scopes)
        party = Party(tenant_id, namespaces, agent_id)
        async with self._running([party], write=write, actor=actor, plan_once=plan_once) as transaction:
            yield transaction

    def reading(self, scopes: Sequence[Scope]) -> AbstractAsyncContextManager[Transaction]:
        """A transaction that reads within scopes of several tenants, all of one moment."""
        return self._running(parties(scopes), write=False)

    @asynccontextmanager
    async def _running(
        self, seen: Sequence[Party], *, write: bool, actor: Actor = NOBODY, plan_once: bool = False
    ) -> AsyncIterator[Transaction]:
        begin = opening(seen[0], actor, write=write)
        connection = await self._open(f"{begin}, {PLAN_ONCE}" if plan_once else begin)
        try:
            transaction = Transaction(connection, seen, self._barrier)
            yield transaction
            await self._commit(transaction, write=write)
        except BaseException:  # cancelled or failed: the connection must not go back in the middle of something
            # a task of its own: a second cancellation must not stop it half way
            ending = asyncio.create_task(self._abandon(connection))
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)
            await asyncio.shield(ending)
            raise
        await self._release(connection)

    @property
    def available(self) -> bool:
        """Whether the database answered lately."""
        return not self._breaker.is_open

    async def _open(self, opening: str) -> Any:
        # that every connection is at work says nothing about the database
        with self._breaker.call(fair=not self._saturated()):
            return await self._begin(opening)

    def _saturated(self) -> bool:
        pool = self._pool
        return pool is not None and pool.get_idle_size() == 0 and pool.get_size() >= self._options.size

    async def _begin(self, opening: str) -> Any:
        for attempt in range(1, _TRIES + 1):
            connection = await self._acquire()
            try:
                with Statement(opening, "BEGIN"):
                    await connection.execute(opening + self._each, timeout=_BEGIN_SECONDS)
            except DRIVER_ERRORS as error:
                await self._abandon(connection)
                # a connection that the database or the network closed meanwhile shows it only when it is used
                translated = translate(error)
                if attempt == _TRIES or not isinstance(translated, StoreUnavailable):
                    raise translated from None
            except BaseException:  # cancelled: nobody else knows of the connection
                await asyncio.shield(self._abandon(connection))
                raise
            else:
                return connection
        raise AssertionError("unreachable")

    async def _acquire(self) -> Any:
        if self._pool is None:
            raise StoreUnavailable("the store is closed", 1.0)
        begin, timed_out = time.perf_counter(), False
        try:
            async with asyncio.timeout(self._options.acquire_timeout):
                return await self._pool.acquire()
        except DRIVER_ERRORS as error:
            timed_out = isinstance(error, TimeoutError)
            raise translate(error) from None
        finally:
            telemetry.record_wait(time.perf_counter() - begin, timed_out=timed_out)

    async def _commit(self, transaction: Transaction, *, write: bool) -> None:
        closing = _closing(transaction.touched)
        if write:
            closing = f"{_NOTED}{closing}; {self._barrier}{_IF_WRITTEN}"
        try:
            with Statement("COMMIT", "COMMIT"):
                await transaction.connection.execute(closing)
        except DRIVER_ERRORS as error:
            translated = translate(error)
            if write and isinstance(translated, StoreUnavailable):
                raise StoreUnavailable(
                    "the connection was lost while the change was being committed, so it may have been carried out: "
                    "repeat it with the same request_id",
                    1.0,
                ) from None
            raise translated from None

    async def _abandon(self, connection: Any) -> None:
        """Rolls back and gives the connection back; cuts it when that does not work at once."""
        try:
            async with asyncio.timeout(_CLEANUP_SECONDS):
                await connection.execute("ROLLBACK")
        except DRIVER_ERRORS:
            _terminate(connection)
        finally:
            await self._release(connection)

    async def _release(self, connection: Any) -> None:
        if self._pool is None:
            _terminate(connection)
            return
        try:
            await self._pool.release(connection)
        except DRIVER_ERRORS:
            # the pool has dropped the connection and makes another when one is wanted
            _terminate(connection)


def _terminate(connection: Any) -> None:
    # one that the database closed was taken back by the pool at that moment, and its proxy refuses every call
    with suppress(asyncpg.InterfaceError):
        connection.terminate()


def _closing(touched: set[UUID]) -> str:
    """Commits, and wakes watchers in the same round trip; nothing in the text but digits of ids."""
    return "".join(f"NOTIFY {CHANNEL}, '{UUID(int=each.int).hex}'; " for each in touched) + "COMMIT"
