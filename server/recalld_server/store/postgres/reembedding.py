"""Vectors of two models side by side."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import asyncpg

from recalld_server.errors import WrongState
from recalld_server.model import EVERY_AGENT, Scope
from recalld_server.store.base import NewMemory
from recalld_server.store.base.reembedding import Place
from recalld_server.store.postgres.errors import DRIVER_ERRORS, translate
from recalld_server.store.postgres.migrate import LOCK, extension_schema, search_path
from recalld_server.store.postgres.models import Model, index_statement
from recalld_server.store.postgres.pool import Pool
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.rows import composite

SQL = load("reembedding.sql")
_FIRST = UUID(int=0)


class PostgresReembedding:
    """Reembedding over a pool; changes of the models themselves are made as the owner. Made by `PostgresStore.reembedding`."""

    def __init__(self, dsn: str, pool: Pool) -> None:
        self._dsn = dsn
        self._pool = pool
        self._model: Model | None = None

    @property
    def model(self) -> Model:
        """RuntimeError before `register`."""
        if self._model is None:
            raise RuntimeError("call register first")
        return self._model

    async def register(self, name: str, dimensions: int) -> None:
        async with self._owner() as connection:
            row = await connection.fetchrow("SELECT model_id, name, dimensions FROM models WHERE name = $1", name)
            if row is None:
                row = await connection.fetchrow(
                    "INSERT INTO models (model_id, name, dimensions, active)"
                    " SELECT coalesce(max(model_id), 0) + 1, $1, $2, false FROM models"
                    " RETURNING model_id, name, dimensions",
                    name,
                    dimensions,
                )
            model = Model(row["model_id"], row["name"], row["dimensions"])
            if model.dimensions != dimensions:
                message = f"vectors of {name} have {model.dimensions} numbers here, and {dimensions} by the model"
                raise WrongState("DIMENSIONS", message)
            await connection.execute(index_statement(model))
        self._model = model

    async def progress(self) -> tuple[int, int]:
        async with self._pool.transaction(None, (), EVERY_AGENT, write=False) as transaction:
            row = await transaction.row(SQL["progress"], self.model.model_id)
        assert row is not None
        return row["indexed"], row["embedded"]

    async def without(self, after: Place | None, limit: int) -> Mapping[Scope, Sequence[UUID]]:
        place = after or (_FIRST, _FIRST)
        async with self._pool.transaction(None, (), EVERY_AGENT, write=False) as transaction:
            rows = await transaction.fetch(SQL["without"], self.model.model_id, *place, limit)
        found: dict[Scope, list[UUID]] = {}
        for row in rows:
            scope = Scope(row["tenant_id"], row["namespace_id"], row["namespace"], EVERY_AGENT)
            found.setdefault(scope, []).append(row["memory_id"])
        return found

    async def put(self, scope: Scope, forms: Sequence[NewMemory]) -> int:
        async with self._pool.transaction(scope.tenant_id, [scope], EVERY_AGENT, write=True) as transaction:
            values = [composite(form) for form in forms]
            return len(await transaction.fetch(SQL["put"], scope.namespace_id, self.model.model_id, values))

    async def switch(self) -> None:
        async with self._owner() as connection:
            await connection.execute("UPDATE models SET active = false WHERE active")
            await connection.execute("UPDATE models SET active = true WHERE model_id = $1", self.model.model_id)

    async def drop_others(self) -> int:
        dropped = 0
        async with self._owner() as connection:
            others = [
                row["model_id"]
                for row in await connection.fetch(
                    "SELECT model_id FROM models WHERE model_id <> $1", self.model.model_id
                )
            ]
            for model_id in others:
                await connection.execute(f"DROP INDEX IF EXISTS embeddings_ann_{int(model_id)}")
            spaces = await connection.fetch("SELECT * FROM every_namespace()")
        for space in spaces:
            scope = Scope(space["tenant_id"], space["namespace_id"], "", EVERY_AGENT)
            async with self._pool.transaction(scope.tenant_id, [scope], EVERY_AGENT, write=True) as transaction:
                gone = await transaction.fetch(
                    SQL["drop_vectors"] + " RETURNING memory_id", scope.namespace_id, self.model.model_id
                )
                dropped += len(gone)
        async with self._owner() as connection:
            await connection.execute("DELETE FROM models WHERE NOT active AND model_id <> $1", self.model.model_id)
        return dropped

    @asynccontextmanager
    async def _owner(self) -> AsyncIterator[Any]:
        """A transaction as the owner, one at a time."""
        try:
            connection = await asyncpg.connect(self._dsn, timeout=30)
            try:
                schema = await extension_schema(connection)
                assert schema is not None
                await connection.execute(f"SET search_path = {search_path(schema)}")
                async with connection.transaction():
                    await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
                    # forced row-level security: the models are for whoever has a tenant
                    await connection.execute("SELECT set_config('recalld.tenant_id', gen_random_uuid()::text, true)")
                    yield connection
            finally:
                await connection.close(timeout=5)
        except DRIVER_ERRORS as error:
            raise translate(error) from None
