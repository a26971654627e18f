"""`recalld doctor`."""

from __future__ import annotations

import asyncio

import typer

from recalld_server.commands.common import DataDir, existing, settings
from recalld_server.doctor import Finding, examine

MARKS = {"ok": ("✓", typer.colors.GREEN), "warn": ("!", typer.colors.YELLOW), "fail": ("✗", typer.colors.RED)}


def doctor(data_dir: DataDir = None) -> None:
    """Looks at everything that a server needs (database, extension, migrations, row-level security, clocks, model, Redis,
    archive, disk, queues) and says what to do. Changes nothing. Ends with 1 when something would keep a server from working.

    Example: recalld doctor
    """
    read = settings(data_dir=data_dir)
    endpoints = existing(read)

    async def look() -> bool:
        well = True
        async for finding in examine(read, endpoints):
            _show(finding)
            well &= finding.level != "fail"
        return well

    if not asyncio.run(look()):
        raise typer.Exit(1)


def _show(finding: Finding) -> None:
    mark, colour = MARKS[finding.level]
    typer.echo(f"{typer.style(mark, colour)} {finding.what:20} {finding.says}")
    if finding.todo:
        typer.echo(f"  {'':20} → {finding.todo}")
