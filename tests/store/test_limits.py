"""What tenants may use, in the database: set by the operator, out of reach for anybody else."""

from __future__ import annotations

import pytest
from tests.store.things import as_agent, draft, make_scope, write

from recalld_server.model import Limits, Scope, State, Used, Visibility
from recalld_server.store.postgres import PostgresStore

LIMITS = Limits(requests_per_second=2.5, memories=10)


async def test_limits_are_set_read_and_taken_away_by_tenant(store: PostgresStore, scope: Scope) -> None:
    quotas = store.quotas()
    other = await make_scope(store, tenant="acme-labs")
    assert await quotas.set_limits("acme", LIMITS)
    assert await quotas.own_limits(scope.tenant_id) == await quotas.limits_of("acme") == LIMITS
    assert await quotas.own_limits(other.tenant_id) == await quotas.limits_of("acme-labs") == Limits()
    assert await quotas.set_limits("acme", Limits(stored_bytes=0))
    assert await quotas.own_limits(scope.tenant_id) == Limits(stored_bytes=0)


@pytest.mark.parametrize("name", ["", "acm", "ACME", "acme%", "acme ", "茶"])
async def test_a_name_is_literal(store: PostgresStore, scope: Scope, name: str) -> None:
    assert not await store.quotas().set_limits(name, LIMITS)
    assert await store.quotas().limits_of(name) is None
    assert await store.quotas().limits_of("acme") == Limits()


async def test_everything_that_a_tenant_keeps_is_counted_and_nothing_else(store: PostgresStore, scope: Scope) -> None:
    quotas = store.quotas()
    second, foreign = await make_scope(store, "second"), await make_scope(store, tenant="acme-labs")
    texts = ["喝茶不加糖", "tea", "a secret of bob's"]
    await write(store, scope, draft(scope, texts[0]))
    (forgotten,) = await write(store, second, draft(second, texts[1]))
    bob = as_agent(second, "bob")
    await write(store, bob, draft(bob, texts[2], visibility=Visibility.PRIVATE))
    await write(store, foreign, draft(foreign, "not ours"))
    everything = Used(3, sum(len(text.encode()) for text in texts))
    assert await quotas.used(scope.tenant_id) == everything
    async with store.unit(second) as unit:
        await unit.set_state(second, [forgotten.memory_id], State.FORGOTTEN, actor="ann", action="forget", reason="")
    assert await quotas.used(scope.tenant_id) == everything
    async with store.unit(second) as unit:
        await unit.erase(second, [forgotten.memory_id], actor="ann")
    assert await quotas.used(scope.tenant_id) == Used(2, everything.stored_bytes - 3)
    assert await quotas.used(foreign.tenant_id) == Used(1, 8)
