from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.rpc.tenancy.worlds import World, world

NAMES = ("orion", "orion-labs", "orion/sub", "orion/sub/deep", "ori", "home", "a_b", "axb")


@pytest.fixture
async def there(database: str) -> AsyncIterator[World]:
    """Tenants acme (with NAMES) and beta (with home)."""
    async with world(database) as made:
        await made.tenant("acme", *NAMES)
        await made.tenant("beta", "home")
        yield made
