"""A real server and a real bridge, shared by the tests that do not break them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from tests.mcp.bridges import BridgeOverHttp, Endpoint

import recalld
from recalld_server.demo import process

FAST = {"RECALLD_EMBEDDER": "hash"}
"""The embedder of these tests: they are about the bridge, not about meaning."""


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[process.Running]:
    """The shared server."""
    with process.serving(reachable(tmp_path_factory.mktemp("server")), FAST) as server:
        yield server


def reachable(path: Path) -> Path:
    """The folder, with every folder above it that is ours open to the account that the database runs as."""
    for each in (path, *path.parents):
        if each.stat().st_uid == path.stat().st_uid and each != Path("/"):
            each.chmod(each.stat().st_mode | 0o011)
    return path


@pytest.fixture
def root(running: process.Running) -> Iterator[recalld.Client]:
    """A client with every right, bound to a fresh namespace."""
    name = f"mcp/{uuid4().hex}"
    with recalld.Client(running.address, key=running.root_key, namespace=name) as client:
        client.namespaces.create(name)
        yield client


@pytest.fixture(scope="session")
def endpoint(running: process.Running) -> Iterator[Endpoint]:
    """The shared bridge over HTTP."""
    with BridgeOverHttp(running.address) as served:
        yield served
