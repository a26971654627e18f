"""Who calls, where, and with which request."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from recalld_server.model.words import Role

EVERY_AGENT = "*"
"""Agent id of a scope that reads private memories of every agent: for the server's own jobs, never for a caller."""


@dataclass(frozen=True, slots=True)
class Principal:
    """The holder of a credential."""

    tenant_id: UUID
    tenant: str
    agent_id: str
    roles: frozenset[Role]
    key_id: str
    namespaces: tuple[str, ...] = ()
    """Where the credential is good; empty: in every namespace of the tenant."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Checked access of one agent to one namespace. Every store method needs one; only `core.access` makes them."""

    tenant_id: UUID
    namespace_id: UUID
    namespace: str
    agent_id: str


@dataclass(frozen=True, slots=True)
class Request:
    """Names a mutation for idempotency, within tenant and agent."""

    method: str
    request_id: str
    fingerprint: bytes
    """Digest of the request's body without its request_id; another one under the same id is refused."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key, without its secret."""

    key_id: str
    tenant_id: UUID
    tenant: str
    agent_id: str
    roles: frozenset[Role]
    namespaces: tuple[str, ...]
    description: str
    create_time: datetime
    expire_time: datetime | None = None
    last_use_time: datetime | None = None
    revoke_time: datetime | None = None
