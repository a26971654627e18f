"""A client on an empty Valkey."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.valkeys import PATIENT
from tests.valkeys import valkey as valkey

from recalld_server.store.redis import RedisClient


@pytest.fixture
async def client(valkey: str) -> AsyncIterator[RedisClient]:
    """A connected client on an empty Valkey."""
    client = RedisClient(valkey, PATIENT)
    await client.start()
    await client.run(lambda redis: redis.flushdb())
    yield client
    await client.close()
