"""A namespace for each test, and a root of its own for what the stores make."""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from recalld import Client
from recalld_server.demo.process import Running


@pytest.fixture
def client(running: Running) -> Iterator[Client]:
    """A client bound to a fresh namespace, with the right to make others."""
    name = f"apps/{uuid4().hex}"
    with Client(running.address, key=running.root_key, namespace=name) as client:
        client.namespaces.create(name)
        yield client
