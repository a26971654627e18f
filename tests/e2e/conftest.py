"""A real server in a process of its own, shared by the tests that do not break it."""

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from uuid import uuid4

import pytest
from tests.e2e import beside
from tests.e2e.inside import serving
from tests.e2e.life import AGENTS
from tests.e2e.watched import SOON, World

from recalld import AsyncClient, Client
from recalld_server.demo import process
from recalld_server.demo.receiver import receiving

FAST = {"RECALLD_EMBEDDER": "hash"}
"""The embedder of these tests: they are about the service, not about meaning."""


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[process.Running]:
    """The shared server."""
    with process.serving(tmp_path_factory.mktemp("server"), FAST) as server:
        yield server


@pytest.fixture
def root(running: process.Running) -> Iterator[Client]:
    """A client with every right, bound to a fresh namespace."""
    name = f"e2e/{uuid4().hex}"
    with Client(running.address, key=running.root_key, namespace=name) as client:
        client.namespaces.create(name)
        yield client


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A server that is watched, shared by the tests of what an operator sees."""
    with receiving() as receiver:
        port = process.free_port()
        environment = FAST | SOON
        environment |= {"RECALLD_OTLP_ENDPOINT": receiver.endpoint, "RECALLD_METRICS_LISTEN": str(port)}
        environment |= {"RECALLD_LOG_FORMAT": "json"}
        with process.serving(tmp_path_factory.mktemp("watched"), environment) as running:
            yield World(running, receiver, port)


@pytest.fixture
async def client(database: str) -> AsyncIterator[AsyncClient]:
    """A client of a server in this process, on a database of its own."""
    async with serving(database) as client:
        yield client


@pytest.fixture
async def inside(client: AsyncClient, database: str) -> AsyncIterator[beside.Inside]:
    """The rules beside that server, and its database."""
    async with beside.beside(database) as inside:
        yield inside


@pytest.fixture
def clients(running: process.Running) -> Iterator[dict[str, Client]]:
    """By agent; each may write everywhere."""
    with ExitStack() as stack:
        root = stack.enter_context(Client(running.address, key=running.root_key))
        opened = {"root": root}
        for agent in AGENTS:
            key = root.keys.create(agent, "writer").secret
            opened[agent] = stack.enter_context(Client(running.address, key=key))
        yield opened
