"""Grants and the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from recalld_server.model import NOBODY, Actor, AuditEvent, Grant, Grantee, Request, Role, TimeSpan


@dataclass(frozen=True, slots=True)
class NewGrant:
    """What a grant is made of."""

    grantee: Grantee
    name: str
    role: Role
    recursive: bool
    expire_time: datetime | None


class Grants(Protocol):
    """Who else may use a namespace. As in Directory, changes are audited, and a `request` may be answered already."""

    async def create_grant(
        self,
        tenant_id: UUID,
        namespace_id: UUID,
        new: NewGrant,
        *,
        request: Request | None = None,
        actor: Actor = NOBODY,
    ) -> Grant | None:
        """None: the namespace is gone."""

    async def list_grants(
        self, tenant_id: UUID, namespace_id: UUID, *, after: UUID | None, limit: int
    ) -> tuple[Grant, ...]:
        """By id, which is in the order of time; those that have expired too, until they are revoked."""

    async def revoke_grant(
        self,
        tenant_id: UUID,
        namespace_id: UUID,
        grant_id: UUID,
        *,
        request: Request | None = None,
        actor: Actor = NOBODY,
    ) -> bool:
        """Ends a grant; False when there is none."""


@dataclass(frozen=True, slots=True)
class AuditQuery:
    """Which events are asked for. `namespaces` None: of the whole tenant; `agent_id` empty: of anyone."""

    namespaces: tuple[str, ...] | None = None
    agent_id: str = ""
    span: TimeSpan = TimeSpan()


class AuditRecords(Protocol):
    """Who did what. What changes a memory, a namespace, a grant or a key is noted by that change itself."""

    async def note(
        self, tenant_id: UUID, namespace: str, target_ids: Sequence[str], outcome: str, actor: Actor
    ) -> None:
        """Adds an event for what changes nothing, or did not come about."""

    async def list_audit(
        self, tenant_id: UUID, query: AuditQuery, *, before: UUID | None, limit: int
    ) -> tuple[AuditEvent, ...]:
        """Latest first."""
