"""What the commands beside the database share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import typer

from recalld_server.app import Endpoints, build_embedder, prepare
from recalld_server.embedded import default_data_dir, holds_database
from recalld_server.errors import EmbeddingModelMismatch
from recalld_server.logs import configure_logs
from recalld_server.models.base import Embedder
from recalld_server.settings import Settings, read_settings
from recalld_server.store.postgres import PoolOptions, PostgresStore, migrate

T = TypeVar("T")

DataDir = Annotated[Path | None, typer.Option("--data-dir", help="Where the embedded data lives.")]


def settings(**overrides: Any) -> Settings:
    """The settings of this run; logs go where they say."""
    read = read_settings(**overrides)
    configure_logs(read.log_level, read.log_format)
    return read


def existing(read: Settings) -> Endpoints:
    """The database that is configured; else the embedded one, started or adopted, where a server has made it. Which data
    directory that is goes to stderr when nobody named one."""
    if read.database_url is None:
        place = read.data_dir or default_data_dir()
        if not holds_database(place):
            fail(
                f"there is no database in the data directory {place}: name the server's with --data-dir or "
                "RECALLD_DATA_DIR, or its database with RECALLD_DATABASE_URL; `recalld serve` makes a new one"
            )
        if read.data_dir is None:
            typer.echo(f"data directory: {place}", err=True)
    return prepare(read)


def with_store(data_dir: Path | None, work: Callable[[PostgresStore], Awaitable[T]]) -> T:
    """Works on the database, migrated."""
    return _run(existing(settings(data_dir=data_dir)), work)


def with_model(data_dir: Path | None, work: Callable[[PostgresStore, Embedder], Awaitable[T]]) -> T:
    """Works on the database with the embedding model. Raises EmbeddingModelMismatch."""
    read = settings(data_dir=data_dir)
    endpoints = existing(read)

    async def loaded(store: PostgresStore) -> T:
        embedder = build_embedder(read, endpoints.data_dir)
        await embedder.start()
        try:
            active = await store.embedding_model(embedder.id, embedder.dimensions)
            if active != embedder.id:
                raise EmbeddingModelMismatch(active, embedder.id)
            return await work(store, embedder)
        finally:
            await embedder.close()

    return _run(endpoints, loaded)


@dataclass(frozen=True, slots=True)
class Beside:
    """What a command works with that needs no model: the database, and how the servers are set up."""

    store: PostgresStore
    model_id: str
    """Whose vectors the database holds."""
    settings: Settings
    endpoints: Endpoints


def beside(data_dir: Path | None, work: Callable[[Beside], Awaitable[T]]) -> T:
    """Works on the database without loading a model, whichever it is that is in use."""
    read = settings(data_dir=data_dir)
    endpoints = existing(read)

    async def opened(store: PostgresStore) -> T:
        stored = await store.stored_model()
        if stored is None:
            fail("no server has used this database yet, so there is nothing in it: see `recalld serve`")
        await store.embedding_model(*stored)
        return await work(Beside(store, stored[0], read, endpoints))

    return _run(endpoints, opened)


def _run(endpoints: Endpoints, work: Callable[[PostgresStore], Awaitable[T]]) -> T:
    async def run() -> T:
        await migrate(endpoints.migration_database_url)
        store = PostgresStore(endpoints.migration_database_url, PoolOptions(size=2))
        await store.start()
        try:
            return await work(store)
        finally:
            await store.close()

    return asyncio.run(run())


def fail(message: str) -> NoReturn:
    """Ends the command with one line on stderr."""
    typer.echo(f"recalld: {message}", err=True)
    raise typer.Exit(1)
