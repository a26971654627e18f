"""The only place that makes scopes: may this principal do this in that namespace?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from recalld_server.core.policy import LEAST, Action, actions_of, require
from recalld_server.errors import NamespaceNotFound, RoleRequired
from recalld_server.model import Namespace, Policy, Principal, Role, Scope, utc_now
from recalld_server.store.base import Asker, Directory, Reach

CACHE_SECONDS = 2.0
"""How long another server's change of a namespace, or the end of a grant there, may go unnoticed."""
CACHE_ENTRIES = 10_000
PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Room:
    """A namespace that was opened for a principal."""

    scope: Scope
    policy: Policy
    namespace: Namespace
    """With its name in its own tenant."""
    foreign: bool
    """Whether it is another tenant's."""
    below: bool
    """Whether the principal may administer the namespaces below it as well."""


def asker(principal: Principal) -> Asker:
    """For whom the store looks up grants. A confined credential has none."""
    only = principal.namespaces or None
    if principal.confined:
        return Asker(principal.tenant_id, only=only)
    return Asker(principal.tenant_id, principal.agent_id, principal.roles, only)


class Access:
    """Opens namespaces for principals.

    A principal's own roles apply in every namespace of its tenant, or in those that its credential names. Grants to its
    agent or to its roles add to them; in another tenant's namespace it may do what that tenant granted and its own roles
    allow. A namespace that is not there and one that is denied give the same error after the same work.
    """

    def __init__(self, directory: Directory, clock: Callable[[], float] = time.monotonic) -> None:
        self._directory = directory
        self._clock = clock
        self._cache: dict[tuple[Asker, str], tuple[float, Reach]] = {}

    async def open(self, principal: Principal, name: str, action: Action) -> Room:
        """Raises RoleRequired where the principal may use the namespace, but not for this, or where its roles do not
        allow this anywhere; else NamespaceNotFound."""
        key = asker(principal), name
        cached = self._cache.get(key)
        reach = cached[1] if cached and cached[0] > self._clock() else None
        fresh = reach is None
        if reach is None:
            reach = await self._directory.find_namespace(*key)
        allowed = frozenset[Action]() if reach is None else _allowed(principal, name, reach)
        if reach is None or action not in allowed:
            if allowed or action not in actions_of(principal.roles):
                raise RoleRequired(LEAST[action].name, name)
            raise NamespaceNotFound(name)
        if fresh:
            # what is refused is not remembered: it must take as long as what is not there
            self._remember(key, reach)
        return _room(principal, name, reach)

    async def open_all(self, principal: Principal, names: Sequence[str], action: Action) -> list[Room]:
        """One forbidden or missing name fails them all."""
        return [await self.open(principal, name, action) for name in names]

    async def readable(self, principal: Principal) -> list[Scope]:
        """All namespaces of the principal's own tenant that it may read. Raises RoleRequired."""
        require(principal, Action.READ)
        scopes: list[Scope] = []
        while True:
            after = scopes[-1].namespace if scopes else ""
            page = await self._directory.list_namespaces(asker(principal), after=after, limit=PAGE, own=True)
            scopes += [_scope(principal, principal.tenant_id, each, each.name, principal.agent_id) for each in page]
            if len(page) < PAGE:
                return scopes

    def forget(self) -> None:
        """Drops what is remembered, since this server changed a namespace or a grant."""
        self._cache.clear()

    def _remember(self, key: tuple[Asker, str], reach: Reach) -> None:
        if len(self._cache) >= CACHE_ENTRIES:
            self._cache.clear()
        self._cache[key] = self._clock() + CACHE_SECONDS, reach


def _allowed(principal: Principal, name: str, reach: Reach) -> frozenset[Action]:
    now = utc_now()
    granted = actions_of({each.role for each in reach.grants if each.expire_time is None or each.expire_time > now})
    own = actions_of(principal.roles) if not principal.namespaces or name in principal.namespaces else frozenset()
    return own | granted if reach.tenant_id == principal.tenant_id else own & granted


def _room(principal: Principal, name: str, reach: Reach) -> Room:
    foreign = reach.tenant_id != principal.tenant_id
    agent = f"{principal.tenant}/{principal.agent_id}" if foreign else principal.agent_id
    scope = _scope(principal, reach.tenant_id, reach.namespace, name, agent)
    everywhere = not principal.namespaces and Role.ADMIN in principal.roles
    below = not foreign and (everywhere or any(each.recursive and each.role is Role.ADMIN for each in reach.grants))
    return Room(scope, reach.namespace.policy, reach.namespace, foreign, below)


def _scope(principal: Principal, tenant_id: UUID, namespace: Namespace, name: str, agent_id: str) -> Scope:
    return Scope(tenant_id, namespace.namespace_id, name, agent_id, principal.key_id, principal.method)
