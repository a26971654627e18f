"""Embedding models: whose vectors these are. A model's HNSW index is made when the model is registered."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import asyncpg

from recalld_server.store.postgres.errors import DRIVER_ERRORS, translate
from recalld_server.store.postgres.migrate import LOCK, SCHEMA, extension_schema, search_path


@dataclass(frozen=True, slots=True)
class Model:
    """A registered model."""

    model_id: int
    name: str
    dimensions: int

    @property
    def halfvec(self) -> str:
        """The type of its vectors in the HNSW index."""
        return f"halfvec({self.dimensions})"


async def active_model(dsn: str, configured: str, dimensions: int) -> Model:
    """The model in use; the configured one when there is none yet."""
    async with as_owner(dsn) as connection:
        row = await connection.fetchrow("SELECT model_id, name, dimensions FROM models WHERE active")
        if row is None:
            return await register(connection, configured, dimensions, active=True)
        return Model(row["model_id"], row["name"], row["dimensions"])


@asynccontextmanager
async def as_owner(dsn: str) -> AsyncIterator[Any]:
    """A connection in a transaction of the tables' owner, who alone may make an index; one at a time."""
    try:
        connection = await asyncpg.connect(dsn, timeout=30)
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


async def register(connection: Any, name: str, dimensions: int, *, active: bool) -> Model:
    """Adds a model, with the index of its vectors."""
    model_id: int = await connection.fetchval(
        "INSERT INTO models (model_id, name, dimensions, active)"
        " SELECT coalesce(max(model_id), 0) + 1, $1, $2, $3 FROM models RETURNING model_id",
        *(name, dimensions, active),
    )
    model = Model(model_id, name, dimensions)
    await make_index(connection, model)
    return model


async def make_index(connection: Any, model: Model) -> None:
    """Makes the index of a model's vectors, unless it is there."""
    # Two numbers from the table; the index's dimensions and predicate cannot be bound values.
    await connection.execute(
        f"CREATE INDEX IF NOT EXISTS embeddings_ann_{model.model_id} ON embeddings"
        f" USING hnsw ((embedding::{model.halfvec}) halfvec_ip_ops) WITH (m = 16, ef_construction = 64)"
        f" WHERE ann AND model_id = {model.model_id}"
    )


async def stored_model(dsn: str) -> tuple[str, int] | None:
    """The name of the active model and the length of its vectors; None when none was registered yet."""
    try:
        connection = await asyncpg.connect(dsn, timeout=30)
        try:
            async with connection.transaction():
                await connection.execute("SELECT set_config('recalld.tenant_id', gen_random_uuid()::text, true)")
                row = await connection.fetchrow(f"SELECT name, dimensions FROM {SCHEMA}.models WHERE active")  # noqa: S608 - a name of ours
            return None if row is None else (row["name"], row["dimensions"])
        finally:
            await connection.close(timeout=5)
    except DRIVER_ERRORS as error:
        raise translate(error) from None
