"""The command line: what it prints, what it asks, how it ends."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import grpc
import pytest
import typer
from typer.testing import CliRunner

import recalld
from recalld.cli.app import app
from recalld.cli.output import safe
from recalld.v1 import memory_service_pb2 as ms
from recalld.v1 import namespace_service_pb2 as ns
from recalld.v1 import watch_service_pb2 as ws

from .conftest import ID, KEY, Double, answer, memory


def commands(group: typer.Typer, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    names = [(*path, each.name or "") for each in group.registered_commands if not each.hidden]
    for each in group.registered_groups:
        assert each.typer_instance is not None
        names += commands(each.typer_instance, (*path, each.name or ""))
    return names


@pytest.mark.parametrize("path", commands(app), ids=" ".join)
def test_every_command_has_help_with_an_example_and_takes_json(run: Any, path: tuple[str, ...]) -> None:
    result = run(*path, "--help")
    assert result.exit_code == 0
    assert f"Example: recall {' '.join(path)}" in " ".join(result.output.split())
    assert "--json" in result.output


def test_writing(run: Any, double: Double) -> None:
    double.on(
        "Write",
        answer(
            ms.WriteResponse(result=ms.WriteResult(outcome=ms.WRITE_OUTCOME_DUPLICATE, memory_id=ID, reason="exact"))
        ),
    )
    options = ["--kind", "episodic", "--tag", "food", "--tag", "旅行", "--metadata", "rank=9", "--metadata", "tier=pro"]
    result = run("write", "-", *options, "--ttl", "2d", "--event-time", "2025-03-01", "-n", "team", input="花生过敏")
    assert result.exit_code == 0
    assert "duplicate" in result.stdout
    assert ID in result.stdout
    request = double.of("Write")[0].request
    assert (request.namespace, request.memory.content, request.memory.ttl_seconds) == ("team", "花生过敏", 172800)
    assert list(request.memory.tags) == ["food", "旅行"]
    assert dict(request.memory.metadata) == {"rank": 9, "tier": "pro"}
    assert json.loads(run("write", "x", "--json").stdout)["outcome"] == "duplicate"


def test_searching(run: Any, double: Double) -> None:
    hit = ms.SearchHit(memory=memory("[red]Alice[/red] 对花生过敏"), score=0.87)
    hit.memory.counterfactual = "否则会过敏"
    hit.arms.add(arm="vector", raw=0.8, rank=1, contribution=0.5)
    explanation = ms.SearchExplanation(plans=["exact"], terms=["花生"], weights={"vector": 0.65})
    double.on("Search", answer(ms.SearchResponse(hits=[hit], explanation=explanation)))
    result = run("search", "花生", "--explain", "--since", "2025-01-01", "--where", "rank>5", "--where", "!old")
    assert result.exit_code == 0
    for text in ("0.87", "2025-03-01 09:30", "[red]Alice[/red] 对花生过敏", "vector +0.50 (#1, 0.80)", "exact"):
        assert text in result.stdout
    assert "otherwise: 否则会过敏" in result.stdout
    assert "否则" not in run("search", "花生").stdout
    request = double.of("Search")[0].request
    assert request.explain
    assert request.filter.event_time.start.ToJsonString() == "2025-01-01T00:00:00Z"
    assert [each.operator for each in request.filter.metadata] == [5, 9]
    assert json.loads(run("search", "x", "--json").stdout)["hits"][0]["memory"]["content"].startswith("[red]")


def test_long_memories_are_shown_whole(run: Any, double: Double) -> None:
    words = [f"word{number}" for number in range(300)]
    double.on("List", answer(ms.ListResponse(memories=[memory(" ".join(words))])))
    shown = run("list").stdout
    assert all(word in shown for word in words)


def test_a_memory_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in safe("\x1b[2J\x9b31m偷\n一行\ttab").plain
    assert safe("偷\n一行\ttab").plain == "偷\n一行\ttab"


def test_forgetting_asks(run: Any, double: Double, monkeypatch: pytest.MonkeyPatch) -> None:
    double.on("Forget", answer(ms.ForgetResponse(count=3, digest="d")))
    refused = run("forget", "--user-id", "alice", input="")
    assert refused.exit_code == 2
    assert "--yes" in refused.stderr
    assert all(call.request.dry_run for call in double.of("Forget"))

    shown = run("forget", "--user-id", "alice", "--dry-run")
    assert (shown.exit_code, "3 memories" in shown.stdout) == (0, True)
    assert all(call.request.dry_run for call in double.of("Forget"))

    done = run("forget", "--user-id", "alice", "--mode", "erase", "--yes")
    assert done.exit_code == 0
    assert double.of("Forget")[-1].request.digest == "d"

    double.on("Forget", answer(ms.ForgetResponse(count=1, skipped_ids=[ID])))
    assert run("forget", ID, "--yes").exit_code == 7
    assert run("forget").exit_code == 2
    assert run("forget", ID, "--user-id", "a", "--yes").exit_code == 2


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [
        (grpc.StatusCode.INTERNAL, 1),
        (grpc.StatusCode.UNIMPLEMENTED, 1),
        (grpc.StatusCode.INVALID_ARGUMENT, 2),
        (grpc.StatusCode.UNAUTHENTICATED, 3),
        (grpc.StatusCode.PERMISSION_DENIED, 3),
        (grpc.StatusCode.NOT_FOUND, 4),
        (grpc.StatusCode.ABORTED, 5),
        (grpc.StatusCode.ALREADY_EXISTS, 5),
        (grpc.StatusCode.FAILED_PRECONDITION, 5),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, 6),
        (grpc.StatusCode.UNAVAILABLE, 6),
        (grpc.StatusCode.DEADLINE_EXCEEDED, 6),
    ],
)
def test_exit_codes(run: Any, double: Double, code: grpc.StatusCode, exit_code: int) -> None:
    async def fail(call: Any, context: Any) -> Any:
        await context.abort(code, "what to do")

    double.on("Get", fail)
    result = run("show", ID)
    assert result.exit_code == exit_code
    assert result.stdout == ""
    assert result.stderr.startswith("recall: what to do")
    told = json.loads(run("show", ID, "--json").stderr)
    assert told["message"] == "what to do"


@pytest.mark.parametrize(
    "arguments",
    [
        ["list", "--since", "yesterday"],
        ["list", "--kind", "foo"],
        ["list", "--kind", "unspecified"],
        ["list", "--where", "rank>null"],
        ["write", "x", "--ttl", "soon"],
        ["write", "x", "--metadata", "rank"],
        ["write", "x", "--metadata", "rank=NaN"],
        ["namespaces", "create", "a", "--set", "colour=red"],
        ["review", ID],
        ["import", "/no/such/file.jsonl"],
        ["list", "--addr", "memory.example:50051"],
    ],
)
def test_wrong_arguments_end_with_2_and_one_line(run: Any, double: Double, arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    assert not double.calls


def test_exports_and_imports(run: Any, double: Double, tmp_path: Path) -> None:
    async def export(call: Any, context: Any) -> Any:
        for text in ("one", "二"):
            yield ns.ExportResponse(record=ns.ExportRecord(version=1, memory=memory(text)))

    double.on("Export", export)
    file = tmp_path / "out.jsonl"
    assert run("export", str(file)).exit_code == 0
    assert [json.loads(line)["memory"]["content"] for line in file.read_text().splitlines()] == ["one", "二"]
    assert run("export").stdout == file.read_text()

    result = run("import", str(file), "--import-id", "i")
    assert result.exit_code == 0
    requests = double.of("Import")[0].requests
    assert [(each.request_id, each.record.memory.content) for each in requests] == [("i-0", "one"), ("i-1", "二")]

    async def broken(call: Any, context: Any) -> Any:
        yield ns.ExportResponse(record=ns.ExportRecord(version=1, memory=memory("three")))
        await context.abort(grpc.StatusCode.INTERNAL, "broken")

    double.on("Export", broken)
    whole = file.read_text()
    assert run("export", str(file)).exit_code == 1
    assert file.read_text() == whole
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]

    async def failing(call: Any, context: Any, requests: Any) -> Any:
        async for request in requests:
            yield ns.ImportResponse(sequence=request.sequence, outcome="failed", error="too large")

    double.on("Import", failing)
    assert run("import", str(file)).exit_code == 7
    file.write_text('{"memory": {"content": "secret"')
    wrong = run("import", str(file))
    assert (wrong.exit_code, "line 1" in wrong.stderr, "secret" in wrong.output) == (2, True, False)


def test_watching(run: Any, double: Double) -> None:
    async def events(call: Any, context: Any) -> Any:
        for number in range(3):
            yield ws.WatchResponse(
                type=ws.WATCH_EVENT_TYPE_CREATED,
                memory_id=ID,
                memory=memory("花生"),
                actor="a",
                resume_token=f"t{number}",
            )
        await asyncio.Event().wait()

    double.on("Watch", events)
    lines = run("watch", "--count", "2", "--event", "created", "--json").stdout.splitlines()
    assert [json.loads(line)["resume_token"] for line in lines] == ["t0", "t1"]
    assert "花生" in run("watch", "--count", "1").stdout


def test_reflecting(run: Any, double: Double) -> None:
    async def steps(call: Any, context: Any) -> Any:
        insight = ms.Insight(category="lesson", content="先运行迁移", confidence=0.8, outcome="created")
        state = ms.REFLECTION_STATE_FAILED if call.request.reflection_id else ms.REFLECTION_STATE_SUCCEEDED
        yield ms.WatchReflectionResponse(reflection=ms.Reflection(state=ms.REFLECTION_STATE_RUNNING, progress=0.5))
        yield ms.WatchReflectionResponse(reflection=ms.Reflection(state=state, progress=1, insights=[insight]))

    double.on("WatchReflection", steps)
    result = run("reflect", "--target", "lessons")
    assert (result.exit_code, "先运行迁移" in result.stdout) == (0, True)
    assert list(double.of("Reflect")[0].request.targets) == [4]
    assert run("reflect", "--attach", ID).exit_code == 1
    assert len(double.of("Reflect")) == 1


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["list", "--kind", "fact"], "'fact' is not one of working, episodic, semantic, procedural"),
        (["list", "--kind", "unspecified"], "'unspecified' is not one of working, "),
        (["keys", "create", "a", "--role", "主人"], "'主人' is not one of reader, writer, reflector, admin"),
    ],
)
def test_a_word_that_is_none_is_answered_with_those_that_are(
    run: Any, double: Double, typed: list[str], said: str
) -> None:
    refused = run(*typed)
    assert refused.exit_code == 2
    assert said in " ".join(refused.stderr.split())
    assert double.calls == []


def test_a_text_from_a_pipe_has_no_line_end(run: Any, double: Double) -> None:
    for typed in ("花生过敏\n", "花生过敏\r\n", "花生过敏"):
        run("write", "-", input=typed)
    assert {call.request.memory.content for call in double.of("Write")} == {"花生过敏"}


def test_what_is_named_like_the_verb_is_shown_and_not_forgotten(run: Any, double: Double) -> None:
    run("get", "01890a5d-ac96-774b-bcce-b302099a8057")
    assert [call.method for call in double.calls] == ["Get"]
    assert " get " not in run("--help").stdout


def test_a_file_of_another_system_is_read_and_one_that_cannot_be_written_is_named(
    run: Any, double: Double, tmp_path: Path
) -> None:
    notes = tmp_path / "笔记 notes.txt"
    notes.write_bytes("\ufeff第一行\r\nsecond\r\n".encode())
    run("import", str(notes))
    sent = [request.memory.content for request in double.of("StreamWrite")[0].requests]
    assert sent == ["第一行", "second"]
    refused = run("export", str(tmp_path / "无" / "x.jsonl"))
    assert refused.exit_code == 2
    assert "x.jsonl: No such file" in refused.stderr


def test_it_runs_as_a_program_and_ends_quietly_when_its_reader_goes(double: Double) -> None:
    double.on("List", answer(ms.ListResponse(memories=[memory("花生 " * 2000)] * 50)))
    environment = {**os.environ, "RECALLD_ADDR": f"127.0.0.1:{double.port}", "RECALLD_KEY": KEY}
    environment |= {"PYTHONPATH": str(Path(recalld.__file__).parents[1]), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "recalld", "list", "--json"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("typed", "at", "offered"),
    [
        ("recall re", "1", {"restore", "reflect", "review"}),
        ("recall review --decision ", "3", {"approve", "edit", "reject", "keep_both", "choose"}),
    ],
)
def test_the_shell_completes_commands_and_choices(typed: str, at: str, offered: set[str]) -> None:
    asked = {"_RECALL_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": at}
    shown = CliRunner().invoke(app, [], prog_name="recall", env=asked)
    assert set(shown.stdout.split()) == offered
