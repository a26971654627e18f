"""The list of commands, which nothing is loaded for."""

import inspect
import subprocess
import sys

import pytest
import typer

from recalld_server.cli import COMMANDS
from recalld_server.commands.later import loaded


@pytest.mark.parametrize(("name", "place", "summary"), COMMANDS, ids=[name for name, _, _ in COMMANDS])
def test_the_summary_of_a_command_is_the_first_paragraph_of_its_own_help(name: str, place: str, summary: str) -> None:
    found = loaded(f"recalld_server.commands.{place}")
    own = found.info.help if isinstance(found, typer.Typer) else inspect.getdoc(found)
    assert " ".join(str(own).partition("\n\n")[0].split()) == summary


def test_the_list_of_commands_needs_no_server() -> None:
    listed = (
        "import sys, recalld_server.cli as c\n"
        "try: c.cli(['--help'])\n"
        "finally: assert not {'grpc', 'pydantic', 'asyncpg', 'numpy'} & sys.modules.keys(), sorted(sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", listed], capture_output=True, text=True, check=True)
    assert all(name in said.stdout for name, _, _ in COMMANDS)


@pytest.mark.parametrize("arguments", [["key", "create", "--help"], ["retention", "--help"]])
def test_a_command_that_is_loaded_late_is_called_by_its_full_name(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "recalld_server", *arguments]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert " ".join(arguments[:-1]) in said.stdout.split("[OPTIONS]")[0]
