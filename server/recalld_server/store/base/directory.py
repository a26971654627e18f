"""Tenants, namespaces and keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from recalld_server.model import NOBODY, Actor, Key, Namespace, Policy, Request, Role


@dataclass(frozen=True, slots=True)
class Held:
    """What a grant gives."""

    role: Role
    recursive: bool
    expire_time: datetime | None


@dataclass(frozen=True, slots=True)
class Reach:
    """What a name means to a tenant: a namespace, whose it is, and the grants on it for the one who asks. They may have
    ended since."""

    tenant_id: UUID
    namespace: Namespace
    """With its name in its own tenant."""
    grants: tuple[Held, ...]


@dataclass(frozen=True, slots=True)
class Asker:
    """For whom grants are looked up. `only`: where the asker's own roles apply; None: in all of the tenant."""

    tenant_id: UUID
    agent_id: str = ""
    roles: frozenset[Role] = frozenset()
    only: tuple[str, ...] | None = None


class Directory(Protocol):
    """Tenants, namespaces and keys. Methods that take a tenant_id see that tenant only, an Asker's also what other tenants
    share with it. Whatever has an `actor` with an action is written to the audit log in the same transaction. With a
    `request`: raises AnswerKnown or RequestIdReused as `Store.unit` does."""

    async def ensure_tenant(self, name: str) -> UUID:
        """The tenant's id; makes it on first use."""

    async def find_tenant(self, name: str) -> UUID | None:
        """The tenant's id."""

    async def list_tenants(self) -> tuple[str, ...]:
        """The names of all, in order: for operators."""

    async def create_namespace(
        self,
        tenant_id: UUID,
        name: str,
        *,
        description: str,
        policy: Policy,
        request: Request | None = None,
        actor: Actor = NOBODY,
    ) -> Namespace:
        """Raises NamespaceExists."""

    async def get_namespace(self, tenant_id: UUID, name: str) -> Namespace | None:
        """By its literal name."""

    async def find_namespace(self, asker: Asker, name: str) -> Reach | None:
        """What the name means to the asker's tenant: its own namespace, else TENANT/NAME of another tenant that shares
        it. One of its own is found whether or not the asker may use it."""

    async def list_namespaces(
        self, asker: Asker, *, parent: str = "", after: str = "", limit: int, own: bool = False
    ) -> tuple[Namespace, ...]:
        """Those that the asker may read, by the name that it knows them by; `parent` gives itself and what is below it by
        path segments. `own`: without those that other tenants share with it."""

    async def update_namespace(
        self,
        tenant_id: UUID,
        namespace_id: UUID,
        change: Callable[[Namespace], tuple[str, Policy]],
        *,
        request: Request | None = None,
        actor: Actor = NOBODY,
    ) -> Namespace | None:
        """Stores the description and policy that `change` makes of the present ones, as one step; what it raises leaves
        everything as it was. None: the namespace is gone."""

    async def delete_namespace(
        self, tenant_id: UUID, namespace_id: UUID, *, request: Request | None = None, actor: Actor = NOBODY
    ) -> Mapping[str, int] | None:
        """Erases a namespace and all that it holds; how many of each kind. None: it is gone already."""

    async def answered(self, tenant_id: UUID, agent_id: str, request: Request) -> Mapping[str, object] | None:
        """The answer to a request that was handled before. Raises RequestIdReused."""

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
        confined: bool = False,
        request: Request | None = None,
        actor: Actor = NOBODY,
    ) -> Key:
        """Stores a key; only the hash of its secret."""

    async def find_key(self, key_id: str) -> tuple[Key, bytes] | None:
        """A key and the hash of its secret, whatever the tenant: the only look-up before a tenant is known."""

    async def list_keys(
        self, tenant_id: UUID, *, before: tuple[datetime, str] | None, limit: int, within: Sequence[str] | None = None
    ) -> tuple[Key, ...]:
        """Newest first; `within`: only those that are good in no other namespaces than these."""

    async def revoke_key(
        self,
        tenant_id: UUID,
        key_id: str,
        *,
        within: Sequence[str] | None = None,
        request: Request | None = None,
        actor: Actor = NOBODY,
    ) -> Key | None:
        """Ends a key; None when there is none (`within` as for `list_keys`)."""

    async def key_used(self, key_id: str, when: datetime) -> None:
        """Notes the use of a key."""
