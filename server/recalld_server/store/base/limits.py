"""What tenants may use, and what they have used."""

from __future__ import annotations

from typing import Protocol
from uuid import UUID

from recalld_server.model import Limits, Rate, Used


class Quotas(Protocol):
    """Each tenant's own limits and its stock."""

    async def own_limits(self, tenant_id: UUID) -> Limits:
        """The limits that were set for this tenant; None where none was."""

    async def set_limits(self, tenant: str, limits: Limits) -> bool:
        """Sets all limits of a tenant, by its name; False when there is no such tenant."""

    async def limits_of(self, tenant: str) -> Limits | None:
        """The same by the tenant's name; None when there is no such tenant."""

    async def used(self, tenant_id: UUID) -> Used:
        """What the tenant keeps at this moment."""


class Buckets(Protocol):
    """Token buckets, shared by all servers as far as that is possible at the moment. No method raises."""

    async def take(self, tenant_id: UUID, name: str, rate: Rate, cost: float) -> float:
        """Takes `cost` from the bucket. 0: taken; else nothing was, and it may be there after so many seconds. A cost of 0
        asks whether there is anything left."""

    async def charge(self, tenant_id: UUID, name: str, rate: Rate, cost: float) -> None:
        """Takes `cost`, whether it is there or not: what is missing comes off what is yet to come."""
