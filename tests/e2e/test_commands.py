"""The commands of an operator, beside a running server."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Protocol

import pytest
from _pytest.capture import CaptureResult
from redis import Redis
from tests.e2e.conftest import FAST

from recalld import Client
from recalld.types.memories import MemoryInput
from recalld.types.namespaces import Policy
from recalld_server.app import prepare
from recalld_server.cli import main
from recalld_server.demo import process
from recalld_server.settings import read_settings


class Recalld(Protocol):
    """Runs a command on the database of the server; its output."""

    def __call__(self, *arguments: str, status: int = 0) -> CaptureResult[str]: ...


@pytest.fixture
def recalld(running: process.Running, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Recalld:
    """The command, in this process: starting another one for each takes longer than all that they do."""
    for name in [name for name in os.environ if name.startswith("RECALLD_")]:
        monkeypatch.delenv(name)
    for name, value in FAST.items():
        monkeypatch.setenv(name, value)

    def run(*arguments: str, status: int = 0) -> CaptureResult[str]:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["recalld", *arguments, "--data-dir", str(running.data_dir)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        assert (ended.value.code or 0) == status, said.err
        return said

    return run


BESIDE = [
    ["doctor"],
    ["stats"],
    ["key", "list"],
    ["key", "create", "--agent", "planner"],
    ["tenant", "list"],
    ["tenant", "create", "acme"],
    ["namespace", "list"],
    ["export", "default"],
    ["retention", "default", "--dry-run"],
    ["reembed"],
    ["reindex", "--failed"],
    ["migrate"],
]


@pytest.mark.parametrize("command", BESIDE, ids=" ".join)
def test_a_command_beside_a_server_makes_no_database_of_its_own(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Else it would work on an empty one in the wrong place, and a key that it made would open nothing."""
    monkeypatch.delenv("RECALLD_DATABASE_URL", raising=False)
    place = tmp_path / "数据"
    monkeypatch.setattr(sys, "argv", ["recalld", *command, "--data-dir", str(place)])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert ended.value.code == 1
    assert f"no database in the data directory {place}" in said.err
    assert not said.out
    assert not place.exists()


def test_a_file_that_cannot_be_read_or_written_is_named(recalld: Recalld, tmp_path: Path) -> None:
    odd = tmp_path / "不是文本 no text.jsonl"
    odd.write_bytes(b"\xff\xfe\x00")
    missing = tmp_path / "没有" / "x.jsonl"
    assert f"{odd} is not UTF-8 text" in recalld("import", "default", str(odd), status=1).err
    assert f"{missing}: No such file" in recalld("import", "default", str(missing), status=1).err
    assert f"{missing}: No such file" in recalld("export", "default", str(missing), status=1).err


def test_the_data_directory_that_nobody_named_is_told(
    running: process.Running, recalld: Recalld, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not recalld("tenant", "list").err
    monkeypatch.setattr("recalld_server.commands.common.default_data_dir", lambda: running.data_dir)
    monkeypatch.setattr("recalld_server.embedded.default_data_dir", lambda: running.data_dir)
    monkeypatch.setattr(sys, "argv", ["recalld", "tenant", "list"])
    with pytest.raises(SystemExit):
        main()
    said = capsys.readouterr()
    assert said.err == f"data directory: {running.data_dir}\n"
    assert "default" in said.out.splitlines()


def cached(running: process.Running) -> bytes:
    """All that the server's cache holds."""
    with Redis.from_url(prepare(read_settings({}, data_dir=running.data_dir)).redis_url or "") as redis:
        return b" ".join(redis.get(key) or b"" for key in redis.scan_iter() if redis.type(key) == b"string")


def test_an_operator_moves_everything_private_memories_too(
    recalld: Recalld, running: process.Running, root: Client, tmp_path: Path
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
    recalld("export", name, str(file), "--all", "--revisions", "--vectors")
    assert len(file.read_text(encoding="utf-8").splitlines()) == 3
    with file.open("a") as more:
        more.write("{broken\n")
    told = recalld("import", copy, str(file), status=7)
    assert told.out.split() == ["created", "3", "failed", "1"]
    assert "line 4" in told.err
    with Client(running.address, key=key, namespace=copy) as planner:
        assert {memory.content for memory in planner.list()} == {"planner's own 私事", "for all 公事"}
    again = tmp_path / "again.jsonl"
    recalld("export", copy, str(again), "--all", "--revisions", "--vectors")
    here, there = (each.read_text(encoding="utf-8").replace(copy, name) for each in (file, again))
    assert there == here.replace("{broken\n", "")


def test_a_namespace_that_is_not_there_is_one_clear_line(recalld: Recalld, tmp_path: Path) -> None:
    file = tmp_path / "none.jsonl"
    told = recalld("export", "not/there", str(file), status=1)
    assert told.err.strip().endswith("create it first, or check its name and your key")
    assert not file.exists()


def test_an_operator_erases_a_person_private_memories_too(
    recalld: Recalld, running: process.Running, root: Client
) -> None:
    key = root.keys.create("nurse", ["writer"]).secret
    name = root._namespace
    with Client(running.address, key=key, namespace=name) as nurse:
        nurse.write(MemoryInput("Dora sleeps badly 多拉睡不好", user_id="dora", visibility="private"))
        nurse.session("night", user_id="dora").add("she said so 她说的")
    assert b"she said so" in cached(running)
    root.write(MemoryInput("Dora likes tea 多拉喜欢茶", user_id="dora"))
    root.write(MemoryInput("Emil likes tea 埃米尔喜欢茶", user_id="emil"))
    counts = json.loads(recalld("erase", name, "--user-id", "dora", "--yes").out)
    assert (counts["memories"], counts["sessions"], counts["turns"]) == (2, 1, 1)
    assert [memory.user_id for memory in root.list()] == ["emil"]
    assert b"she said so" not in cached(running)


def test_what_retention_would_let_go_of_is_told_first(recalld: Recalld, root: Client) -> None:
    root.namespaces.update(root._namespace, policy=Policy(low_confidence_retention_days=1))
    root.write(MemoryInput("fresh and doubtful 新的", confidence=0.1))
    told = recalld("retention", root._namespace, "--dry-run")
    assert (told.out, told.err.splitlines()[-1]) == ("", "nothing is due")


def test_a_key_for_a_namespace_that_is_not_there_is_made_and_that_is_said(recalld: Recalld, root: Client) -> None:
    wanted = ["--namespace", root._namespace, "--namespace", "nosuch/place"]
    made = recalld("key", "create", "--agent", "ops", *wanted)
    assert len(made.out.split()) == 1
    assert made.err.splitlines()[-1] == "there is no namespace nosuch/place yet: see `recalld namespace list`"
    assert "no namespace" not in recalld("key", "create", "--agent", "ops", *wanted[:2]).err


def test_an_operator_reaches_every_tenant(recalld: Recalld, running: process.Running, tmp_path: Path) -> None:
    recalld("tenant", "create", "acme")
    secret = recalld("key", "create", "--tenant", "acme", "--agent", "ops", "--role", "admin").out.split()[-1]
    with Client(running.address, key=secret, namespace="team") as acme:
        acme.namespaces.create("team")
        acme.write(MemoryInput("Dora likes tea 多拉喜欢茶", user_id="dora"))
        acme.search("tea 茶")
        figures = json.loads(recalld("stats", "team", "--tenant", "acme", "--json").out)
        assert (figures["tenant"], figures["total"], figures["counts"]) == ("acme", 1, {"SEMANTIC/ACTIVE": 1})
        every = [json.loads(line) for line in recalld("stats", "--json").out.splitlines()]
        assert {each["tenant"] for each in every} >= {"acme", "default"}
        recalld("retention", "team", "--tenant", "acme", "--dry-run")
        file = tmp_path / "team.jsonl"
        recalld("export", "team", str(file), "--tenant", "acme")
        assert len(file.read_text(encoding="utf-8").splitlines()) == 1
        assert json.loads(recalld("erase", "team", "--tenant", "acme", "--user-id", "dora", "-y").out)["memories"] == 1
        assert list(acme.list()) == []
    for command in (["stats"], ["erase", "team", "--user-id", "x", "-y"], ["retention", "team"]):
        assert "there is no tenant nowhere" in recalld(*command, "--tenant", "nowhere", status=1).err


def test_a_database_that_no_server_has_used_is_told_so(recalld: Recalld, empty_database: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECALLD_DATABASE_URL", empty_database)
        assert "no server has used this database yet" in recalld("stats", status=1).err


def test_limits_are_shown_as_they_were_given(recalld: Recalld) -> None:
    recalld("tenant", "create", "measured")
    recalld("tenant", "limits", "measured", "--memories", "1250001", "--requests-per-second", "0.5")
    shown = dict(line.split() for line in recalld("tenant", "limits", "measured").out.splitlines())
    assert shown == {"memories": "1,250,001", "requests_per_second": "0.5"}
    assert "no limits of its own" in recalld("tenant", "limits", "measured", "--clear").out
