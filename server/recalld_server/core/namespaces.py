"""Namespaces of a tenant."""

from __future__ import annotations

from recalld_server.core import pages
from recalld_server.core.access import Access
from recalld_server.core.policy import Action, require
from recalld_server.core.types import CallOptions
from recalld_server.errors import NamespaceNotFound
from recalld_server.model import Namespace, Page, Policy, Principal
from recalld_server.store.base import AnswerKnown, Directory


class Namespaces:
    """Makes, reads and lists the namespaces that a principal may see."""

    def __init__(self, directory: Directory, access: Access) -> None:
        self._directory = directory
        self._access = access

    async def create(
        self, principal: Principal, name: str, *, description: str, policy: Policy, call: CallOptions
    ) -> Namespace:
        """Raises NamespaceExists; a retry with the same request gets the namespace."""
        require(principal, Action.ADMINISTER)
        if principal.namespaces and name not in principal.namespaces:
            raise NamespaceNotFound
        try:
            namespace = await self._directory.create_namespace(
                principal.tenant_id,
                name,
                description=description,
                policy=policy,
                request=call.request,
                actor=principal.agent_id,
            )
        except AnswerKnown:
            return await self.get(principal, name)
        self._access.forget(principal.tenant_id, name)
        return namespace

    async def get(self, principal: Principal, name: str) -> Namespace:
        """Raises NamespaceNotFound."""
        require(principal, Action.READ)
        if principal.namespaces and name not in principal.namespaces:
            raise NamespaceNotFound
        namespace = await self._directory.get_namespace(principal.tenant_id, name)
        if namespace is None:
            raise NamespaceNotFound
        return namespace

    async def list(self, principal: Principal, *, parent: str, page_size: int, page_token: str) -> Page[Namespace]:
        """By name, those that the principal may read."""
        require(principal, Action.READ)
        place = pages.decode(page_token, ("namespaces", parent), (str,))
        found = await self._directory.list_namespaces(
            principal.tenant_id,
            parent=parent,
            after=str(place[0]) if place else "",
            limit=page_size + 1,
            only=principal.namespaces or None,
        )
        if len(found) <= page_size:
            return Page(found)
        return Page(found[:page_size], pages.encode([found[page_size - 1].name], ("namespaces", parent)))
