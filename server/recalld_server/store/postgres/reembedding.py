"""Vectors of two models side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from recalld_server.errors import WrongState
from recalld_server.model import EVERY_AGENT, Scope
from recalld_server.store.base import NewMemory
from recalld_server.store.base.reembedding import Place
from recalld_server.store.postgres.models import Model, as_owner, make_index, register
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
        async with as_owner(self._dsn) as connection:
            row = await connection.fetchrow("SELECT model_id, name, dimensions FROM models WHERE name = $1", name)
            if row is None:
                self._model = await register(connection, name, dimensions, active=False)
                return
            model = Model(row["model_id"], row["name"], row["dimensions"])
            if model.dimensions != dimensions:
                message = f"vectors of {name} have {model.dimensions} numbers here, and {dimensions} by the model"
                raise WrongState("DIMENSIONS", message)
            await make_index(connection, model)
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
        async with as_owner(self._dsn) as connection:
            await connection.execute("UPDATE models SET active = false WHERE active")
            await connection.execute("UPDATE models SET active = true WHERE model_id = $1", self.model.model_id)

    async def drop_others(self) -> int:
        dropped = 0
        async with as_owner(self._dsn) as connection:
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
        async with as_owner(self._dsn) as connection:
            await connection.execute("DELETE FROM models WHERE NOT active AND model_id <> $1", self.model.model_id)
        return dropped
