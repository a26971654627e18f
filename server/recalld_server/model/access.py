"""Who calls, where, and with which request."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from recalld_server.model.words import Role

EVERY_AGENT = "*"
"""Agent id of a scope that reads private memories of every agent: for the server's own jobs, never for a caller."""
SYSTEM = "system"
"""The actor of what the server does by itself, on nobody's decision."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does something, as the audit log names it."""

    agent_id: str = ""
    key_id: str = ""
    action: str = ""
    """Name of the RPC that is carried out; empty: the server's own doing, which is not audited."""


NOBODY = Actor()
"""Of what nobody asked for."""


@dataclass(frozen=True, slots=True)
class Principal:
    """The holder of a credential."""

    tenant_id: UUID
    tenant: str
    agent_id: str
    roles: frozenset[Role]
    key_id: str
    namespaces: tuple[str, ...] = ()
    """Where its roles apply; empty: in every namespace of the tenant."""
    confined: bool = False
    """Whether grants add nothing beyond `namespaces`: the credential was made by one that reaches no further either."""
    method: str = field(default="", compare=False)
    """Name of the RPC that is carried out."""

    @property
    def actor(self) -> Actor:
        return Actor(self.agent_id, self.key_id, self.method)


@dataclass(frozen=True, slots=True)
class Scope:
    """Checked access of one agent to one namespace. Every store method needs one; only `core.access` makes them."""

    tenant_id: UUID
    namespace_id: UUID
    namespace: str
    """The name by which the caller knows it: TENANT/NAME for one that another tenant shares."""
    agent_id: str
    """TENANT/AGENT for one of another tenant than the namespace's; no agent of the tenant itself has such a name."""
    key_id: str = field(default="", compare=False)
    method: str = field(default="", compare=False)
    """Name of the RPC that is carried out; empty: the server's own doing."""

    @property
    def actor(self) -> Actor:
        return Actor(self.agent_id, self.key_id, self.method)


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
    confined: bool = False
    """Whether grants add nothing beyond `namespaces`: it was made with a key that reaches no further either."""


class Grantee(enum.IntEnum):
    """Whom a grant is for."""

    AGENT = 1
    ROLE = 2
    TENANT = 3


@dataclass(frozen=True, slots=True)
class Grant:
    """Lets someone use a namespace."""

    grant_id: UUID
    namespace: str
    grantee: Grantee
    name: str
    """The agent's id, the name of the role, or the tenant's name."""
    role: Role
    recursive: bool
    """Also for the namespaces below it."""
    create_time: datetime
    expire_time: datetime | None = None


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """Something that was done. `target_ids` are ids, never texts; `outcome` is the name of a gRPC code."""

    event_id: UUID
    create_time: datetime
    actor: Actor
    namespace: str
    target_ids: tuple[str, ...]
    outcome: str
