"""What newcomers copy runs: every program in examples/, and every block of Python and shell in the guides, in their order."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from recalld import Client
from recalld_server.demo.process import Running

ROOT = Path(__file__).parents[2]
EXAMPLES = {
    "first_steps.py": [
        "created - Alice lives in Berlin.",
        "superseded - Alice moved to Shanghai.",
        "found 爱丽丝对花生过敏。",
    ],
    "two_agents.py": ["heard: created: The atlas deploy needs the migration first. 部署前先运行迁移。"],
    "command_line.sh": ["The release window is on Friday at 18:00.", "发布负责人是小林。"],
    "langgraph_agent.py": ["-> nothing yet", "-> I am allergic to peanuts."],
    "mcp_client.py": ["memory_write", "发布窗口在周五晚上。"],
}
GUIDES = ["docs/quickstart.md", "docs/verbs.md", "docs/migrating.md", "docs/sessions.md", "docs/reflection.md"]
ELSEWHERE = {"docs/mcp.md"}
"""Its shell installs packages and starts bridges that do not end; tests/mcp/test_docs.py holds its entries and options. Blocks
of no language (deploy.md, operations.md and the like) need containers or the operator's own machine."""
TIMEOUT = 120


@pytest.fixture
def surroundings(running: Running, tmp_path: Path) -> dict[str, str]:
    """The environment of someone who followed the quickstart: a server, a key, a namespace, `recall` on the path."""
    commands = tmp_path / "bin"
    commands.mkdir()
    command = commands / "recall"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m recalld "$@"\n')
    command.chmod(0o755)
    name = f"docs/{uuid4().hex}"
    with Client(running.address, key=running.root_key) as client:
        client.namespaces.create(name)
        client.namespaces.create(f"{name}/langgraph")
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("RECALLD_")},
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "PYTHONIOENCODING": "utf-8",
        "RECALLD_ADDR": running.address,
        "RECALLD_KEY": running.root_key,
        "RECALLD_NAMESPACE": name,
    }


def run(command: list[str], surroundings: dict[str, str], folder: Path) -> str:
    done = subprocess.run(command, env=surroundings, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs_and_shows_what_it_says(name: str, surroundings: dict[str, str], tmp_path: Path) -> None:
    if name.startswith("langgraph"):
        pytest.importorskip("langgraph", reason="LangGraph is not installed")
    interpreter = "bash" if name.endswith(".sh") else sys.executable
    shown = run([interpreter, str(ROOT / "examples" / name)], surroundings, tmp_path)
    for expected in EXAMPLES[name]:
        assert expected in shown


def test_every_example_is_run_and_listed() -> None:
    programs = {path.name for path in (ROOT / "examples").iterdir()} - {"README.md"}
    assert programs == EXAMPLES.keys()
    listed = (ROOT / "examples" / "README.md").read_text()
    assert all(f"]({name})" in listed for name in programs)


def test_every_page_is_listed_and_its_blocks_are_run() -> None:
    pages = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "docs").glob("*.md")}
    index = pages.pop("docs/README.md").read_text()
    assert [name for name, path in pages.items() if f"]({path.name})" not in index] == []
    with_blocks = {name for name, path in pages.items() if re.search(r"```(python|sh)\n", path.read_text())}
    assert with_blocks == {*GUIDES, *ELSEWHERE}


@pytest.mark.parametrize("page", GUIDES)
def test_every_block_of_a_guide_runs(page: str, surroundings: dict[str, str], tmp_path: Path) -> None:
    blocks = re.findall(r"```(python|sh)\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    python = "\n".join(text for language, text in blocks if language == "python")
    shell = "\n".join(text for language, text in blocks if language == "sh")
    if python:
        assert run([sys.executable, "-c", python], surroundings, tmp_path)
    if shell:
        assert run(["bash", "-euo", "pipefail", "-c", shell], surroundings, tmp_path)


def test_every_link_within_the_documentation_leads_somewhere() -> None:
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", *(ROOT / "examples").glob("*.md")]
    for page in pages:
        text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}"
