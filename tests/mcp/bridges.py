"""Bridges as clients start them: over stdio as an IDE does, and over HTTP on a port of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.server import MCPServer
from mcp.types import CallToolResult, ContentBlock, ElicitRequestParams, ElicitResult, TextContent

from mcp import Client, StdioServerParameters
from recalld_mcp.bridge import Bridge, ConfiguredConnection, Defaults
from recalld_mcp.server import make_server
from recalld_server.demo.process import Running, free_port


def stdio(*arguments: str, **environment: str) -> StdioServerParameters:
    """A bridge as an IDE starts it: with this environment and no other."""
    return StdioServerParameters(
        command=sys.executable, args=["-m", "recalld_mcp", *arguments], env=python_environment() | environment
    )


def in_memory(running: Running, namespace: str, user_id: str | None = None) -> MCPServer[Bridge]:
    """A bridge in this process, for tests that are not about a transport."""
    connection = ConfiguredConnection(running.address, str(running.data_dir / "root.key"))
    return make_server(Bridge(connection, Defaults(namespace, user_id)))


def python_environment() -> dict[str, str]:
    """What Python needs to find this checkout, where it is not installed."""
    return {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def text(result: CallToolResult) -> str:
    """The text of a tool's answer."""
    return "".join(said(block) for block in result.content)


def said(block: ContentBlock) -> str:
    """The text of a block that is one."""
    assert isinstance(block, TextContent)
    return block.text


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A bridge over HTTP."""

    url: str
    process: subprocess.Popen[bytes]


@asynccontextmanager
async def http_client(url: str, key: str, mode: str = "auto", **options: Any) -> AsyncIterator[Client]:
    """The official client over streamable HTTP with a bearer key."""
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode, **options) as client,
    ):
        yield client


class BridgeOverHttp:
    """A bridge over HTTP for the length of a with block."""

    def __init__(self, address: str, *arguments: str) -> None:
        port = free_port()
        self._url = f"http://127.0.0.1:{port}/mcp"
        self._process = subprocess.Popen(
            [sys.executable, "-m", "recalld_mcp", "--transport", "http", "--port", str(port), *arguments],
            env=python_environment() | {"RECALLD_ADDR": address},
        )

    def __enter__(self) -> Endpoint:
        until = time.monotonic() + 30
        while time.monotonic() < until:
            try:
                httpx2.get(self._url)
            except httpx2.ConnectError:
                assert self._process.poll() is None, "the bridge ended"
                continue
            return Endpoint(self._url, self._process)
        raise TimeoutError("the bridge does not answer")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(20)


class Person:
    """Somebody at the client who answers questions, and remembers them."""

    def __init__(self, *, agrees: bool) -> None:
        self.agrees = agrees
        self.asked: list[str] = []

    async def __call__(self, context: object, params: ElicitRequestParams) -> ElicitResult:
        self.asked.append(params.message)
        return ElicitResult(action="accept", content={"forget": self.agrees})
