"""The configurations in the documentation are ones that work."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from recalld import config
from recalld_mcp.options import read_options
from recalld_mcp.serve import defaults_of

REPOSITORY = Path(__file__).parents[2]
PAGES = [REPOSITORY / "docs" / "mcp.md", REPOSITORY / "mcp_bridge" / "README.md"]


def entries() -> list[Any]:
    found = []
    for page in PAGES:
        for block in re.findall(r"```json\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            (servers,) = json.loads(block).values()
            found += servers.values()
    return found


@pytest.mark.parametrize("entry", [each for each in entries() if "command" in each], ids=lambda each: str(each["args"]))
def test_every_entry_starts(entry: dict[str, Any]) -> None:
    assert entry["command"] == "recalld-mcp"
    arguments = [argument.replace("${workspaceFolder}", "/home/ada/shop") for argument in entry["args"]]
    options = read_options(arguments, {})
    assert not defaults_of(options).problem
    if "env" in entry:
        environment = {name: value.replace("rk_…", "rk_x") for name, value in entry["env"].items()}
        assert config.load({}, None, environment | {"XDG_CONFIG_HOME": "/nonexistent"}).key
    else:
        assert options.embedded


def test_every_client_has_an_entry_and_every_option_a_line() -> None:
    assert len(entries()) >= 4
    page = PAGES[0].read_text(encoding="utf-8")
    for name in ("Claude Desktop", "Cursor", "VS Code", "Trae"):
        assert name in page
    for option in ("--namespace", "--workspace", "--user-id", "--agent", "--toolset", "--data-dir", "--public-url"):
        assert option in page
