"""The commands of `recall`."""

from __future__ import annotations

from typing import Annotated

import typer

from recalld._version import __version__
from recalld.cli import admin, finding, memories, moving, reflecting, sharing, watching
from recalld.cli.common import EXIT_CODES

app = typer.Typer(name="recall", no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"recall {__version__}")
        raise typer.Exit


@app.callback(
    help=f"""Speaks to a recalld server: the memory that agents share.

The server and the key come from RECALLD_ADDR, RECALLD_KEY (or RECALLD_KEY_FILE), RECALLD_NAMESPACE, or from
~/.config/recalld/config.toml. Example: recall search "what can't Alice eat?"
{EXIT_CODES}"""
)
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which version this is.")
    ] = False,
) -> None:
    pass


memories.add(app)
finding.add(app)
reflecting.add(app)
watching.add(app)
admin.add(app)
sharing.add(app)
moving.add(app)
