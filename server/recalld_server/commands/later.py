"""Commands that are loaded when they are called: one of them should not wait for what all others need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand
from typer.main import get_command


def add(cli: typer.Typer, name: str, place: str, summary: str) -> None:
    """Adds the command, or the group of commands, at `place` (MODULE:NAME). `summary` is what the list of commands says of it:
    the first paragraph of its own help."""

    class Later(TyperCommand):
        def make_context(self, *args: Any, **options: Any) -> Any:
            return _command(name, place).make_context(*args, **options)

    def unreachable() -> None:
        raise AssertionError(name)

    cli.command(name, cls=Later, help=summary)(unreachable)


def loaded(place: str) -> Any:
    """The function or the group at MODULE:NAME."""
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def _command(name: str, place: str) -> Any:
    found = loaded(place)
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False)
        alone.command(name)(found)
        found = alone
    return get_command(found)
