"""`recalld serve` and what belongs to running a server."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer
import uvloop

from recalld_server.app import App, prepare
from recalld_server.app.keeping import keep
from recalld_server.commands.common import DataDir, existing, fail, settings, with_store
from recalld_server.settings import Settings
from recalld_server.store.postgres import PostgresStore, migrate
from recalld_server.workers import run_workers


def serve(
    data_dir: DataDir = None,
    listen: Annotated[str | None, typer.Option(help="HOST:PORT of the API.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes on the one port.")] = None,
    worker: Annotated[bool, typer.Option("--worker", hidden=True, help="This is one of those.")] = False,
) -> None:
    """Serves the API. With nothing configured: PostgreSQL and Valkey from wheels, in the data directory.

    Example: recalld serve --listen 127.0.0.1:50051
    """
    read = settings(data_dir=data_dir, listen=listen, workers=workers)
    endpoints = prepare(read)
    keep(endpoints.kept)
    if read.workers > 1 and not worker:
        raise typer.Exit(run_workers(read, endpoints))
    uvloop.run(App(read, endpoints).run())


def demo(
    stay: Annotated[bool, typer.Option("--keep", help="Leave the server up and say how to talk to it.")] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Show the spans of one search. Needs the extra telemetry.")
    ] = False,
) -> None:
    """Shows what two agents do with a shared memory. Needs the extras embedded and demo.

    Example: recalld demo --keep
    """
    from recalld_server.demo.run import run  # its libraries are an extra

    raise typer.Exit(run(keep=stay, trace=trace))


def migrate_command(
    data_dir: DataDir = None,
    additive: Annotated[bool, typer.Option("--additive", help="Only what servers of the version before bear.")] = False,
) -> None:
    """Brings the database to the newest schema; several may do so at once. What servers of the version before still need is
    taken away as well: run it when all are of this version, or with --additive.

    Example: RECALLD_DATABASE_URL=postgresql://… recalld migrate
    """
    endpoints = existing(settings(data_dir=data_dir))
    done = asyncio.run(migrate(endpoints.migration_database_url, post=not additive))
    typer.echo("\n".join(f"applied {name}" for name in done) if done else "the schema is current")


def reindex(
    failed: Annotated[bool, typer.Option("--failed", help="Those that could not be indexed.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Lets running servers index memories again, in every tenant.

    Example: recalld reindex --failed
    """
    if not failed:
        fail("say which memories to index again: recalld reindex --failed")

    async def retry(store: PostgresStore) -> int:
        return await store.index_jobs().retry_failed()

    typer.echo(f"{with_store(data_dir, retry):,} memories wait to be indexed again")


def settings_command() -> None:
    """Lists every setting with its default. Example: recalld settings"""
    for name, field in Settings.model_fields.items():
        default = "" if field.default is None else field.default
        typer.echo(f"RECALLD_{name.upper():32} {default}")
