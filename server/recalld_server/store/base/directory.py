"""Tenants, namespaces and keys."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol
from uuid import UUID

from recalld_server.model import (
    Key,
    Namespace,
    Policy,
    Request,
    Role,
)


class Directory(Protocol):
    """Tenants, namespaces and keys. Methods that take a tenant_id see that tenant only."""

    async def ensure_tenant(self, name: str) -> UUID:
        """The tenant's id; makes it on first use."""

    async def create_namespace(
        self,
        tenant_id: UUID,
        name: str,
        *,
        description: str,
        policy: Policy,
        request: Request | None = None,
        actor: str = "",
    ) -> Namespace:
        """Raises NamespaceExists; AnswerKnown or RequestIdReused as `Store.unit` does."""

    async def get_namespace(self, tenant_id: UUID, name: str) -> Namespace | None:
        """By its literal name."""

    async def list_namespaces(
        self, tenant_id: UUID, *, parent: str, after: str, limit: int, only: Sequence[str] | None
    ) -> tuple[Namespace, ...]:
        """By name; `parent` gives itself and what is below it by path segments; `only` restricts to these names."""

    async def create_key(
        self,
        tenant_id: UUID,
        *,
        key_id: str,
        secret_hash: bytes,
        agent_id: str,
        roles: frozenset[Role],
        namespaces: Sequence[str],
        description: str,
        expire_time: datetime | None,
        request: Request | None = None,
        actor: str = "",
    ) -> Key:
        """Stores a key; only the hash of its secret."""

    async def find_key(self, key_id: str) -> tuple[Key, bytes] | None:
        """A key and the hash of its secret, whatever the tenant: the only look-up before a tenant is known."""

    async def list_keys(self, tenant_id: UUID, *, before: tuple[datetime, str] | None, limit: int) -> tuple[Key, ...]:
        """Newest first."""

    async def revoke_key(
        self, tenant_id: UUID, key_id: str, *, request: Request | None = None, actor: str = ""
    ) -> Key | None:
        """Ends a key; None when there is none. Raises AnswerKnown or RequestIdReused as `Store.unit` does."""

    async def key_used(self, key_id: str, when: datetime) -> None:
        """Notes the use of a key."""
