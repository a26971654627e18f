"""A Valkey of its own for these tests."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from recalld_server.embedded import start_valkey, stop_valkey
from recalld_server.store.redis import RedisClient


@pytest.fixture(scope="session")
def valkey() -> Iterator[str]:
    """The URL of a running Valkey."""
    folder = Path(tempfile.mkdtemp(prefix="recalld-tests-"))
    try:
        yield start_valkey(folder).url
    finally:
        stop_valkey(folder)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
async def client(valkey: str) -> AsyncIterator[RedisClient]:
    """A connected client on an empty Valkey."""
    client = RedisClient(valkey)
    await client.start()
    await client.run(lambda redis: redis.flushdb())
    yield client
    await client.close()
