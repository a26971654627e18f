"""`recalld reembed`: another embedding model."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from recalld_server.app import build_embedder
from recalld_server.commands.common import DataDir, existing, settings
from recalld_server.core.reembed import Reembed
from recalld_server.store.postgres import PoolOptions, PostgresStore, migrate


def reembed(
    drop_old: Annotated[
        bool, typer.Option("--drop-old", help="Also remove the vectors of other models: when no server uses them.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Gives every memory a vector of the model that is configured now, beside the old one, then makes it the one in use.
    Servers go on meanwhile. Can be stopped and run again: it goes on where it stopped.

    Example: RECALLD_EMBEDDER=tei RECALLD_EMBEDDING_URL=… RECALLD_EMBEDDING_MODEL=… recalld reembed
    """
    read = settings(data_dir=data_dir)
    endpoints = existing(read)

    async def run() -> None:
        await migrate(endpoints.migration_database_url)
        store = PostgresStore(endpoints.database_url, PoolOptions(size=2))
        await store.start()
        embedder = build_embedder(read, endpoints.data_dir)
        try:
            await embedder.start()
            await store.embedding_model(embedder.id, embedder.dimensions)
            work = Reembed(store, store.reembedding(), embedder)
            failed = await work.run(lambda done, of: typer.echo(f"{done:,} of {of:,} memories", err=True))
            typer.echo(f"{embedder.id} is in use by servers that start from now on: restart them, then run this again")
            if failed:
                typer.echo(f"{failed:,} memories could not be embedded; search finds them by words", err=True)
            if drop_old:
                typer.echo(f"{await work.drop_old():,} vectors of other models removed")
        finally:
            await embedder.close()
            await store.close()

    asyncio.run(run())
