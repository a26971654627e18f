"""The commands of an operator, beside a running server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.e2e.conftest import FAST

from recalld import Client
from recalld.types.memories import MemoryInput
from recalld_server.demo import process


def recalld(running: process.Running, *arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Runs a command on the database of the server."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RECALLD_")}
    done = subprocess.run(
        [sys.executable, "-m", "recalld_server", *arguments, "--data-dir", str(running.data_dir)],
        env={**inherited, **FAST},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == status, done.stderr
    return done


def test_an_operator_moves_everything_private_memories_too(
    running: process.Running, root: Client, tmp_path: Path
) -> None:
    key = root.keys.create("planner", ["writer"]).secret
    with Client(running.address, key=key, namespace=root._namespace) as planner:
        planner.write(MemoryInput("planner's own 私事", visibility="private"))
        planner.write("for all 公事")
        gone = planner.write("forgotten 忘了").memory_id
        planner.forget([gone])
    name, copy = root._namespace, f"{root._namespace}/copy"
    root.namespaces.create(copy)
    file = tmp_path / "all.jsonl"
    recalld(running, "export", name, str(file), "--all", "--revisions", "--vectors")
    assert len(file.read_text(encoding="utf-8").splitlines()) == 3
    with file.open("a") as more:
        more.write("{broken\n")
    told = recalld(running, "import", copy, str(file), status=7)
    assert told.stdout.split() == ["created", "3", "failed", "1"]
    assert "line 4" in told.stderr
    with Client(running.address, key=key, namespace=copy) as planner:
        assert {memory.content for memory in planner.list()} == {"planner's own 私事", "for all 公事"}
    again = tmp_path / "again.jsonl"
    recalld(running, "export", copy, str(again), "--all", "--revisions", "--vectors")
    here, there = (each.read_text(encoding="utf-8").replace(copy, name) for each in (file, again))
    assert there == here.replace("{broken\n", "")


def test_a_namespace_that_is_not_there_is_one_clear_line(running: process.Running, tmp_path: Path) -> None:
    file = tmp_path / "none.jsonl"
    told = recalld(running, "export", "not/there", str(file), status=1)
    assert told.stderr.strip().endswith("create it first, or check its name and your key")
    assert not file.exists()
