"""The store of a PostgreSQL database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeVar
from uuid import UUID

from recalld_server import telemetry
from recalld_server.errors import RequestIdReused, StoreUnavailable
from recalld_server.model import CLOCK, Json, Request, Scope, steady
from recalld_server.store.base import KnownAnswer, PastSearch, Searched, Unit, View
from recalld_server.store.postgres import figures, requests, reviews, usage
from recalld_server.store.postgres.archive import PostgresArchived
from recalld_server.store.postgres.audit import PostgresAudit
from recalld_server.store.postgres.candidates import SearchOptions
from recalld_server.store.postgres.directory import PostgresDirectory
from recalld_server.store.postgres.gates import Gates
from recalld_server.store.postgres.grants import PostgresGrants
from recalld_server.store.postgres.jobs import PostgresIndexJobs
from recalld_server.store.postgres.keys import PostgresKeys
from recalld_server.store.postgres.known_vectors import KnownVectors
from recalld_server.store.postgres.limits import PostgresQuotas
from recalld_server.store.postgres.maintenance import Maintenance, MaintenanceOptions
from recalld_server.store.postgres.models import Model, active_model, stored_model
from recalld_server.store.postgres.orders import PostgresForgetOrders
from recalld_server.store.postgres.pool import Pool, PoolOptions
from recalld_server.store.postgres.reembedding import PostgresReembedding
from recalld_server.store.postgres.reflection_jobs import PostgresReflectionJobs, PostgresReflectionSchedules
from recalld_server.store.postgres.replica import SQL as REPLICAS
from recalld_server.store.postgres.retention import PostgresRetained
from recalld_server.store.postgres.rows import Reader
from recalld_server.store.postgres.sessions import PostgresSessionJobs
from recalld_server.store.postgres.transaction import Transaction
from recalld_server.store.postgres.unit import PostgresUnit
from recalld_server.store.postgres.view import PostgresView
from recalld_server.store.postgres.wakes import PostgresWakes

T = TypeVar("T")
WRITERS = 3
"""Units of one namespace at a time in this process: one writes, one waits for the disk, the next has begun. The others
wait in order and hold no connection meanwhile, so that a busy namespace leaves connections to the others."""


class PostgresStore(PostgresDirectory, PostgresKeys, PostgresGrants, PostgresAudit):
    """A Store, a Directory and all that is asked of them. Call `start`, then `embedding_model`, before anything else; `close` at the end."""

    def __init__(
        self,
        dsn: str,
        options: PoolOptions | None = None,
        search: SearchOptions | None = None,
        *,
        session_dsn: str | None = None,
    ) -> None:
        """`session_dsn`: for what needs a connection of its own, where a pooler stands before `dsn`."""
        super().__init__(Pool(dsn, options or PoolOptions()))
        self._dsn = session_dsn or dsn
        self._model: Model | None = None
        self._search = search or SearchOptions()
        self.reader = Reader()
        self._known = KnownVectors()
        self._gates = Gates(WRITERS, (options or PoolOptions()).acquire_timeout)

    async def start(self) -> None:
        """Connects. Raises StoreUnavailable, StoreFault."""
        await self._pool.start()
        await self.ping()

    async def close(self) -> None:
        """Waits for what is running, at most a few seconds."""
        self._known.clear()
        await self._pool.close()

    @property
    def available(self) -> bool:
        """Whether the database answered lately."""
        return self._pool.available

    async def ping(self) -> None:
        """Asks the database for a sign of life: its time, by which this process goes. Raises StoreUnavailable."""
        async with self._pool.transaction(None, (), "", write=False) as transaction:
            asked = steady()
            told = await transaction.value("SELECT clock_timestamp()")
            CLOCK.compare(told, asked, steady())

    async def position(self) -> tuple[int, int]:
        """How far the log of the database is on disk, in bytes since its beginning, and the database's system identifier.
        Raises StoreUnavailable."""
        async with self._pool.transaction(None, (), "", write=False) as transaction:
            row = await transaction.row(REPLICAS["position"])
        if row is None or row["position"] is None:
            raise StoreUnavailable("the database is a standby and takes no writes at the moment", 1.0)
        return row["position"], row["system"]

    async def observe(self) -> None:
        """Tells how many connections, waiting jobs and memories there are. Raises StoreUnavailable."""
        self._pool.observe()
        telemetry.observe("recalld.rows.skipped", [(self.reader.skipped, {})])
        async with self._pool.transaction(None, (), "", write=False) as transaction:
            figures.observe(await transaction.fetch(figures.SQL["operator"]))

    async def stored_model(self) -> tuple[str, int] | None:
        """The name of the embedding model whose vectors are stored, and their length; None before the first start."""
        return await stored_model(self._dsn)

    @property
    def model(self) -> Model:
        """The active embedding model. RuntimeError before `embedding_model` was called."""
        if self._model is None:
            raise RuntimeError("call embedding_model first: the store must know whose vectors it holds")
        return self._model

    async def embedding_model(self, configured: str, dimensions: int) -> str:
        self._model = await active_model(self._dsn, configured, dimensions)
        return self._model.name

    def maintenance(self, options: MaintenanceOptions | None = None) -> Maintenance:
        """The chores of this database."""
        return Maintenance(self._pool, self.model, self.reader, options or MaintenanceOptions())

    def wakes(self) -> PostgresWakes:
        """What tells of changes as they are committed. Close it before the store."""
        return PostgresWakes(self._dsn, self._pool)

    def quotas(self) -> PostgresQuotas:
        """What tenants may use."""
        return PostgresQuotas(self._pool)

    def index_jobs(self) -> PostgresIndexJobs:
        """The queue of memories that wait to be indexed."""
        return PostgresIndexJobs(self._pool)

    def reflection_jobs(self) -> PostgresReflectionJobs:
        """The queue of reflections that are to run."""
        return PostgresReflectionJobs(self._pool)

    def retained(self) -> PostgresRetained:
        """Namespaces whose rules of retention are due."""
        return PostgresRetained(self._pool)

    def reembedding(self) -> PostgresReembedding:
        """For moving to another model."""
        return PostgresReembedding(self._dsn, self._pool)

    def archived(self) -> PostgresArchived:
        """Namespaces that the archive has something to do with."""
        return PostgresArchived(self._pool)

    def forget_orders(self) -> PostgresForgetOrders:
        """Orders to forget that nobody works on any more."""
        return PostgresForgetOrders(self._pool)

    def reflection_schedules(self) -> PostgresReflectionSchedules:
        """The schedules of all namespaces."""
        return PostgresReflectionSchedules(self._pool)

    def session_jobs(self) -> PostgresSessionJobs:
        """The queue of look backs on sessions."""
        return PostgresSessionJobs(self._pool)

    async def overdue_reviews(self, limit: int) -> tuple[tuple[Scope, UUID], ...]:
        return await reviews.overdue_reviews(self._pool, limit)

    async def log_searches(self, searches: Sequence[Searched]) -> None:
        await usage.log_searches(self._pool, searches)

    async def find_search(self, tenant_id: UUID, agent_id: str, search_id: UUID) -> PastSearch | None:
        return await usage.find_search(self._pool, tenant_id, agent_id, search_id)

    def view(self, scopes: Sequence[Scope]) -> AbstractAsyncContextManager[View]:
        return self._view(scopes)

    async def read(self, scopes: Sequence[Scope], work: Callable[[View], Awaitable[T]]) -> T:
        async with self._view(scopes) as view:
            return await work(view)

    def view_of(self, transaction: Transaction) -> View:
        """A view over a transaction of another pool, on a copy of this database."""
        return PostgresView(transaction, self.model, self.reader, self._search)

    def unit(self, scope: Scope, request: Request | None = None) -> AbstractAsyncContextManager[Unit]:
        return self._unit(scope, request)

    async def known_answer(self, scope: Scope, request: Request) -> Mapping[str, Json] | None:
        answer = (await self.known_answers(scope, [request]))[0]
        if isinstance(answer, RequestIdReused):
            raise answer
        return answer

    async def known_answers(self, scope: Scope, asked: Sequence[Request]) -> list[KnownAnswer]:
        async with self._pool.transaction(
            scope.tenant_id, [scope], scope.agent_id, write=False, plan_once=True
        ) as transaction:
            return await requests.asked_answers(transaction, scope, asked)

    @asynccontextmanager
    async def _view(self, scopes: Sequence[Scope]) -> AsyncIterator[View]:
        async with self._pool.reading(scopes) as transaction:
            yield PostgresView(transaction, self.model, self.reader, self._search, self._known)

    @asynccontextmanager
    async def _unit(self, scope: Scope, request: Request | None) -> AsyncIterator[Unit]:
        async with (
            self._gates.place(scope.namespace_id),
            self._pool.transaction(
                scope.tenant_id, [scope], scope.agent_id, write=True, actor=scope.actor, plan_once=True
            ) as transaction,
        ):
            claim = await requests.take(transaction, scope.tenant_id, scope.agent_id, request)
            yield PostgresUnit(transaction, self.model, self.reader, self._search, claim, self._known)
