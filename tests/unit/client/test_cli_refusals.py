"""What the command line says where something is not as it should be, and what it does not let through."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2

from recalld.cli.output import safe
from recalld.v1 import memory_service_pb2 as ms

from .conftest import Double, status

REFUSED = error_details_pb2.ErrorInfo(reason="NAMESPACE_NOT_FOUND", domain="recalld.dev")


async def absent(call: Any, context: Any, requests: Any = None) -> Any:
    await context.abort(*status(grpc.StatusCode.NOT_FOUND, "there is no such namespace", REFUSED))


async def absent_stream(call: Any, context: Any, requests: Any = None) -> Any:
    await absent(call, context)
    yield


def test_a_namespace_that_is_not_there_comes_with_the_commands_that_help(run: Any, double: Double) -> None:
    double.on("Search", absent)
    result = run("search", "茶 tea", "-n", "nosuch")
    assert result.exit_code == 4
    assert "recall namespaces list" in result.stderr
    assert "recall namespaces create" in result.stderr


def test_an_import_that_was_refused_as_a_whole_is_not_to_be_gone_on_with(
    run: Any, double: Double, tmp_path: Path
) -> None:
    double.on("Import", absent_stream)
    file = tmp_path / "team.jsonl"
    file.write_text('{"version": 1, "memory": {"content": "喝茶 tea"}}\n')
    result = run("import", str(file))
    assert result.exit_code == 4
    assert "--import-id" not in result.stderr


def test_texts_for_a_namespace_that_is_not_there_are_refused_once_and_not_each(
    run: Any, double: Double, tmp_path: Path
) -> None:
    async def refused(call: Any, context: Any, requests: Any) -> Any:
        number = 0
        async for _ in requests:
            failed = status_pb2.Status(code=grpc.StatusCode.NOT_FOUND.value[0], message="there is no such namespace")
            failed.details.add().Pack(REFUSED)
            yield ms.StreamWriteResponse(sequence=number, item=ms.BatchWriteItem(error=failed))
            number += 1

    double.on("StreamWrite", refused)
    file = tmp_path / "notes.txt"
    file.write_text("喝茶\n" * 200 + "tea\n")
    result = run("import", str(file), "-n", "nosuch")
    assert result.exit_code == 4
    assert result.stderr.count("no such namespace") == 1
    assert "recall namespaces create" in result.stderr


@pytest.mark.parametrize("piped", [b"caf\xe9", "喝茶".encode("gb18030"), b"half \xed\xa0\x80"])
@pytest.mark.parametrize("command", [["write", "-"], ["import", "-"]])
def test_what_is_piped_in_and_is_no_utf_8_is_said_to_be_that(
    run: Any, double: Double, command: list[str], piped: bytes
) -> None:
    result = run(*command, input=piped)
    assert (result.exit_code, "not UTF-8" in result.stderr) == (2, True)
    assert double.of("Write") == []


@pytest.mark.parametrize("mark", "\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029")
def test_a_memory_cannot_turn_the_rest_of_its_row_around(mark: str) -> None:
    assert safe(f"茶{mark}abc").plain == "茶�abc"


def test_a_text_in_a_script_from_right_to_left_is_shown_as_it_is() -> None:
    assert safe("مرحبا 你好 hello").plain == "مرحبا 你好 hello"


@pytest.mark.parametrize("value", ["nan", "高", "half"])
def test_a_rule_that_takes_a_number_says_so_of_a_text(run: Any, value: str) -> None:
    result = run("namespaces", "update", "team", "--set", f"importance_threshold={value}")
    assert (result.exit_code, result.stderr) == (2, "recall: policy.importance_threshold: does not take a text\n")
