"""The only place that makes scopes: may this principal do this in that namespace?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from recalld_server.core.policy import Action, require
from recalld_server.errors import NamespaceNotFound
from recalld_server.model import Namespace, Policy, Principal, Scope
from recalld_server.store.base import Directory

CACHE_SECONDS = 2.0
"""How long another server's change of a namespace may go unnoticed."""
CACHE_ENTRIES = 10_000


@dataclass(frozen=True, slots=True)
class Room:
    """A namespace that was opened for a principal."""

    scope: Scope
    policy: Policy


class Access:
    """Opens namespaces for principals. A namespace that is not there and one that is denied give the same error."""

    def __init__(self, directory: Directory, clock: Callable[[], float] = time.monotonic) -> None:
        self._directory = directory
        self._clock = clock
        self._cache: dict[tuple[UUID, str], tuple[float, Namespace]] = {}

    async def open(self, principal: Principal, name: str, action: Action) -> Room:
        """Raises RoleRequired, NamespaceNotFound."""
        require(principal, action)
        if principal.namespaces and name not in principal.namespaces:
            raise NamespaceNotFound
        namespace = await self._find(principal.tenant_id, name)
        scope = Scope(principal.tenant_id, namespace.namespace_id, namespace.name, principal.agent_id)
        return Room(scope, namespace.policy)

    async def open_all(self, principal: Principal, names: Sequence[str], action: Action) -> list[Room]:
        """One forbidden or missing name fails them all."""
        return [await self.open(principal, name, action) for name in names]

    def forget(self, tenant_id: UUID, name: str) -> None:
        """Drops what is remembered of a namespace that this server changed."""
        self._cache.pop((tenant_id, name), None)

    async def _find(self, tenant_id: UUID, name: str) -> Namespace:
        key, now = (tenant_id, name), self._clock()
        cached = self._cache.get(key)
        if cached and cached[0] > now:
            return cached[1]
        namespace = await self._directory.get_namespace(tenant_id, name)
        if namespace is None:
            self._cache.pop(key, None)
            raise NamespaceNotFound
        if len(self._cache) >= CACHE_ENTRIES:
            self._cache.clear()
        self._cache[key] = (now + CACHE_SECONDS, namespace)
        return namespace
