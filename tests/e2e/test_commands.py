"""The commands of an operator, beside a running server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.e2e.conftest import FAST

from recalld import Client
from recalld.types.memories import MemoryInput
from recalld.types.namespaces import Policy
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


def test_an_operator_erases_a_person_private_memories_too(running: process.Running, root: Client) -> None:
    key = root.keys.create("nurse", ["writer"]).secret
    name = root._namespace
    with Client(running.address, key=key, namespace=name) as nurse:
        nurse.write(MemoryInput("Dora sleeps badly 多拉睡不好", user_id="dora", visibility="private"))
        nurse.session("night", user_id="dora").add("she said so 她说的")
    root.write(MemoryInput("Dora likes tea 多拉喜欢茶", user_id="dora"))
    root.write(MemoryInput("Emil likes tea 埃米尔喜欢茶", user_id="emil"))
    counts = json.loads(recalld(running, "erase", name, "--user-id", "dora", "--yes").stdout)
    assert (counts["memories"], counts["sessions"], counts["turns"]) == (2, 1, 1)
    assert [memory.user_id for memory in root.list()] == ["emil"]


def test_what_retention_would_let_go_of_is_told_first(running: process.Running, root: Client) -> None:
    root.namespaces.update(root._namespace, policy=Policy(low_confidence_retention_days=1))
    root.write(MemoryInput("fresh and doubtful 新的", confidence=0.1))
    told = recalld(running, "retention", root._namespace, "--dry-run")
    assert (told.stdout, told.stderr.splitlines()[-1]) == ("", "nothing is due")
