"""The official MCP Inspector, in its command line mode, lists and calls the tools."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.bridges import python_environment

import recalld
from recalld_server.demo.process import Running

PACKAGE = "@modelcontextprotocol/inspector@0.15.0"
"""The last that runs on every Node from 18 on."""


@pytest.fixture(scope="session")
def inspector(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The Inspector's command. Given ready by MCP_INSPECTOR, or installed by npm."""
    if ready := os.environ.get("MCP_INSPECTOR"):
        return ready
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed, and MCP_INSPECTOR does not say where the Inspector is")
    folder = tmp_path_factory.mktemp("inspector")
    try:
        subprocess.run(
            [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", PACKAGE],
            check=True,
            capture_output=True,
            timeout=300,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"npm could not install the Inspector: {type(error).__name__}")
    return str(Path(folder, "node_modules", ".bin", "mcp-inspector"))


def inspect(inspector: str, running: Running, namespace: str, *arguments: str) -> dict[str, Any]:
    bridge = python_environment() | {
        "RECALLD_ADDR": running.address,
        "RECALLD_KEY": running.root_key,
        "RECALLD_NAMESPACE": namespace,
    }
    given = [part for name, value in bridge.items() for part in ("-e", f"{name}={value}")]
    done = subprocess.run(
        [inspector, "--cli", *given, sys.executable, "-m", "recalld_mcp", *arguments],
        capture_output=True,
        timeout=120,
        env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")},
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_the_inspector_lists_and_calls(inspector: str, running: Running, root: recalld.Client) -> None:
    def ask(*arguments: str) -> dict[str, Any]:
        return inspect(inspector, running, root.name, *arguments)

    assert len(ask("--method", "tools/list")["tools"]) == 10
    # Its values are JSON where they can be: a list, a number and a text arrive as a person would type them.
    written = ask(
        *("--method", "tools/call", "--tool-name", "memory_write"),
        *("--tool-arg", "content=发布窗口在周五晚上。", "--tool-arg", "importance=0.8", "--tool-arg", 'tags=["发布"]'),
    )
    assert written["structuredContent"]["outcome"] == "created"
    found = ask(
        *("--method", "tools/call", "--tool-name", "memory_search"),
        *("--tool-arg", "query=什么时候发布？", "--tool-arg", "top_k=3"),
    )
    assert found["structuredContent"]["hits"][0]["content"] == "发布窗口在周五晚上。"
    assert len(ask("--method", "resources/list")["resources"]) == 3
    assert len(ask("--method", "prompts/list")["prompts"]) == 3
