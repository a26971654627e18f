"""Standard output carries JSON-RPC and nothing else, in UTF-8, whatever the surroundings; the end is clean."""

from __future__ import annotations

import json
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.bridges import python_environment

import recalld
from recalld_server.demo.process import Running

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
NOISY = """
import atexit, logging, os, sys, warnings
print("a library speaks while it is imported")
os.write(1, b"and one writes to the descriptor\\n")
logging.basicConfig(level=logging.DEBUG, stream=sys.stdout)
warnings.simplefilter("always")
atexit.register(print, "a library says goodbye")
"""


class Bridge:
    """A bridge with its pipes, driven by hand so that every byte is seen."""

    def __init__(self, *arguments: str, env: dict[str, str], cwd: str = "/", code: str | None = None) -> None:
        command = [sys.executable, "-m", "recalld_mcp"] if code is None else [sys.executable, "-c", code]
        self.process = subprocess.Popen(
            [*command, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            cwd=cwd,
        )
        self.lines: list[bytes] = []
        self._next = 0

    def send(self, method: str, params: dict[str, Any] | None = None, *, notify: bool = False) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if not notify:
            self._next += 1
            message["id"] = self._next
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self.send(method, params)
        assert self.process.stdout
        while True:
            line = self.process.stdout.readline()
            assert line, self.process.communicate()[1].decode(errors="replace")
            self.lines.append(line)
            answer = json.loads(line)
            if answer.get("id") == self._next:
                found: dict[str, Any] = answer
                return found

    def hello(self) -> None:
        self.ask("initialize", HELLO)
        self.send("notifications/initialized", notify=True)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result: dict[str, Any] = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        return result

    def close(self) -> tuple[int, bytes]:
        """Closes its input as a client does; returns the exit code and what it said on standard error."""
        out, err = self.process.communicate(timeout=60)
        self.lines += out.splitlines(keepends=True)
        return self.process.returncode, err

    def __enter__(self) -> Bridge:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()

    def assert_clean(self) -> None:
        """Every line that was written is one JSON-RPC message in UTF-8, and ends in a bare newline."""
        assert self.lines
        for line in self.lines:
            assert line.endswith(b"\n")
            assert b"\r" not in line
            assert json.loads(line.decode("utf-8"))["jsonrpc"] == "2.0"


def surroundings(running: Running, namespace: str, **more: str) -> dict[str, str]:
    base = {"RECALLD_ADDR": running.address, "RECALLD_KEY": running.root_key, "RECALLD_NAMESPACE": namespace}
    return python_environment() | base | more


@pytest.mark.parametrize("encoding", ["gbk", "cp950", "cp1252", "ascii"])
def test_every_locale_speaks_utf8(running: Running, root: recalld.Client, encoding: str) -> None:
    said = "★ 上海 😀 \u00a0 é"
    env = surroundings(running, root.name, PYTHONIOENCODING=encoding, LANG="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    with Bridge(env=env) as bridge:
        bridge.hello()
        written = bridge.call("memory_write", content=said)
        read = bridge.call("memory_get", memory_id=written["structuredContent"]["memory_id"])
        assert read["structuredContent"]["memory"]["content"] == said
        assert bridge.call("memory_search", query=said)["structuredContent"]["hits"][0]["content"] == said
        code, _ = bridge.close()
        assert code == 0
        bridge.assert_clean()
    assert next(iter(root.list())).content == said


@pytest.mark.parametrize("library", ["quiet", "noisy"])
def test_nothing_but_json_rpc_reaches_standard_output(running: Running, root: recalld.Client, library: str) -> None:
    # What a library that is imported with the bridge may do, and what an exporter may do during a call and at the end.
    noise = NOISY if library == "noisy" else ""
    code = (
        "from recalld_mcp import cli, options, stdio\n"
        "real = stdio.Wire.__init__\n"
        f"def wired(self):\n    real(self)\n    exec({noise!r}, {{}})\n"
        "stdio.Wire.__init__ = wired\n"
        "import sys\ncli.main(sys.argv[1:])\n"
    )
    env = surroundings(
        running, root.name, PYTHONWARNINGS="always", OTEL_TRACES_EXPORTER="console", GRPC_VERBOSITY="DEBUG"
    )
    with Bridge("--log-level", "debug", env=env, code=code) as bridge:
        bridge.hello()
        for turn in range(20):
            bridge.call("memory_write", content=f"Line {turn * 7919} of the log.")
        code_, err = bridge.close()
        assert code_ == 0
        bridge.assert_clean()
        if library == "noisy":
            for words in (b"while it is imported", b"writes to the descriptor", b"says goodbye"):
                assert words in err
        assert running.root_key.encode() not in err
        assert b"Line 7919" not in err


def test_a_bare_environment_is_enough(running: Running, root: recalld.Client) -> None:
    env = {
        name: value
        for name, value in surroundings(running, root.name).items()
        if name.startswith(("RECALLD", "PYTHONPATH"))
    }
    with Bridge(env=env) as bridge:
        bridge.hello()
        assert bridge.call("memory_stats")["structuredContent"]["total"] == 0
        assert bridge.close()[0] == 0
        bridge.assert_clean()


def test_a_megabyte_on_one_line_is_answered(running: Running, root: recalld.Client) -> None:
    with Bridge(env=surroundings(running, root.name)) as bridge:
        bridge.hello()
        for size in (12, 20):
            assert not bridge.call("memory_write", content=f"{size} " + "字k" * (size * 256)).get("isError")
        for size in (200, 1024, 3072):
            refused = bridge.call("memory_write", content="x" * (size << 10))
            assert refused["isError"]
            assert "32768" in refused["content"][0]["text"] or "32 KiB" in refused["content"][0]["text"]
        assert bridge.call("memory_stats")["structuredContent"]["total"] == 2
        bridge.assert_clean()


@pytest.mark.parametrize(
    ("arguments", "env", "said"),
    [
        ([], {}, "no key is set"),
        ([], {"RECALLD_KEY": "rk_not\x07good"}, "key"),
        ([], {"RECALLD_KEY": "k" * 20, "RECALLD_ADDR": "memory.example.com:50051"}, "TLS"),
        ([], {"RECALLD_KEY": "k" * 20, "RECALLD_ADDR": "127.0.0.1:1"}, "does not answer"),
        ([], {"RECALLD_KEY_FILE": "/no/such/file"}, "/no/such/file"),
        (["--namespace", "${workspaceFolder}"], {"RECALLD_KEY": "k" * 20}, "does not fill in ${workspaceFolder}"),
        (["--workspace", "${workspaceFolder}"], {"RECALLD_KEY": "k" * 20}, "does not fill in ${workspaceFolder}"),
        (["--agent", "x"], {"RECALLD_KEY": "k" * 20}, "goes with --embedded"),
        (["--embedded", "--data-dir", "/proc/nowhere"], {}, "--data-dir"),
    ],
)
def test_what_is_missing_is_the_answer_of_every_tool(
    arguments: list[str], env: dict[str, str], said: str, tmp_path: Path
) -> None:
    bare = python_environment() | {"XDG_CONFIG_HOME": str(tmp_path)} | env
    with Bridge(*arguments, env=bare) as bridge:
        bridge.hello()
        assert len(bridge.ask("tools/list")["result"]["tools"]) == 10
        for tool, sent in (("memory_search", {"query": "x"}), ("memory_write", {"content": "x"}), ("memory_stats", {})):
            result = bridge.call(tool, **sent)
            assert result["isError"]
            assert said in result["content"][0]["text"]
        assert bridge.close()[0] == 0
        bridge.assert_clean()


def test_a_key_that_comes_later_needs_no_restart(running: Running, root: recalld.Client, tmp_path: Path) -> None:
    key_file = tmp_path / "key"
    env = python_environment() | {"RECALLD_ADDR": running.address, "RECALLD_NAMESPACE": root.name}
    with Bridge("--key-file", str(key_file), env=env) as bridge:
        bridge.hello()
        assert bridge.call("memory_stats")["isError"]
        key_file.write_text(running.root_key)
        assert not bridge.call("memory_stats").get("isError")


def test_garbage_on_the_wire_ends_nothing(running: Running, root: recalld.Client) -> None:
    with Bridge(env=surroundings(running, root.name)) as bridge:
        bridge.hello()
        assert bridge.process.stdin
        for garbage in (b"\n", b"not json\n", b"\xff\xfe\n", b'{"jsonrpc": "2.0"}\n', b"[1, 2]\n"):
            bridge.process.stdin.write(garbage)
        assert not bridge.call("memory_stats").get("isError")
        bridge.assert_clean()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it(running: Running, root: recalld.Client, number: int) -> None:
    # a shell starts background jobs with SIGINT ignored, and children inherit that
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with Bridge(env=surroundings(running, root.name)) as bridge:
        bridge.hello()
        bridge.process.send_signal(number)
        bridge.process.wait(30)
        assert b"Traceback" not in (bridge.process.stderr.read() if bridge.process.stderr else b"")


def test_a_client_that_is_gone_is_no_crash(running: Running, root: recalld.Client) -> None:
    with Bridge(env=surroundings(running, root.name)) as bridge:
        bridge.hello()
        process = bridge.process
        assert process.stdout
        assert process.stdin
        assert process.stderr
        process.stdout.close()
        bridge.send("tools/call", {"name": "memory_stats", "arguments": {}})
        process.stdin.close()
        process.wait(30)
        assert b"Traceback" not in process.stderr.read()


def test_unknown_options_say_so_on_standard_error() -> None:
    with Bridge("--tool-set", "tiny", env=python_environment()) as bridge:
        assert bridge.process.stderr is not None
        ready, _, _ = select.select([bridge.process.stderr], [], [], 60)
        assert ready
        out, err = bridge.process.communicate(timeout=60)
        assert out == b""
        assert b"usage" in err
        assert bridge.process.returncode == 2
