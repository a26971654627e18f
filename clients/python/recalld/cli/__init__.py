"""The command line `recall`, of the extra `recalld[cli]`."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs `recall`; the entry point."""
    try:
        from recalld.cli.app import app
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit("recall needs the extra: pip install 'recalld[cli]'")
    app()
