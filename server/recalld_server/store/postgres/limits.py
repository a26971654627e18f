"""What tenants may use, and what they keep."""

from __future__ import annotations

import json
from dataclasses import asdict
from uuid import UUID

from recalld_server.model import EVERY_AGENT, Limits, Used
from recalld_server.store.postgres.pool import Pool


class PostgresQuotas:
    """Quotas over a pool. Made by `PostgresStore.quotas`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def own_limits(self, tenant_id: UUID) -> Limits:
        async with self._pool.transaction(tenant_id, (), EVERY_AGENT, write=False) as transaction:
            found = await transaction.value("SELECT limits FROM tenants WHERE tenant_id = $1", tenant_id)
        return Limits(**json.loads(found)) if found else Limits()

    async def set_limits(self, tenant: str, limits: Limits) -> bool:
        given = {name: value for name, value in asdict(limits).items() if value is not None}
        async with self._pool.transaction(None, (), EVERY_AGENT, write=True) as transaction:
            return bool(await transaction.value("SELECT set_tenant_limits($1, $2::jsonb)", tenant, json.dumps(given)))

    async def limits_of(self, tenant: str) -> Limits | None:
        async with self._pool.transaction(None, (), EVERY_AGENT, write=False) as transaction:
            found = await transaction.value("SELECT tenant_limits($1)", tenant)
        return None if found is None else Limits(**json.loads(found))

    async def used(self, tenant_id: UUID) -> Used:
        async with self._pool.transaction(tenant_id, (), EVERY_AGENT, write=False) as transaction:
            row = await transaction.row("SELECT * FROM tenant_stock()")
        return Used(row["memories"], row["stored_bytes"]) if row else Used(0, 0)
