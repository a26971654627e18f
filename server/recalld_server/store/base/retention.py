"""What the rules of retention ask of the store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from recalld_server.model import Kind, Policy, Scope


@dataclass(frozen=True, slots=True)
class Aged:
    """A memory that a rule may mean."""

    memory_id: UUID
    kind: Kind
    user_id: str
    create_time: datetime
    update_time: datetime
    confidence: float
    strength: float = 0.0
    """As `core.decay.strength`, where it was asked for."""


class RetentionReads(Protocol):
    """Reads for the rules; in a scope of every agent."""

    async def written_before(self, scope: Scope, kind: Kind, before: datetime, *, limit: int) -> tuple[Aged, ...]:
        """Live memories of a kind, oldest first."""

    async def doubtful_before(
        self, scope: Scope, confidence: float, before: datetime, *, limit: int
    ) -> tuple[Aged, ...]:
        """Live memories of a lower confidence that nobody has used, oldest first; WORKING ones are not among them."""

    async def idle_before(self, scope: Scope, before: datetime, *, limit: int) -> tuple[Aged, ...]:
        """Live WORKING memories that were neither changed nor used since, and whose session is not running."""

    async def weakest(self, scope: Scope, cap: int, *, half_life_days: float, limit: int) -> tuple[Aged, ...]:
        """For each person, the live EPISODIC memories beyond the `cap` strongest, weakest first."""

    async def forgotten_before(self, scope: Scope, before: datetime, *, limit: int) -> tuple[UUID, ...]:
        """Memories that were forgotten before then."""


class Retained(Protocol):
    """Namespaces of every tenant whose rules are due, in scopes of every agent."""

    async def claim(self, every: timedelta, limit: int) -> tuple[tuple[Scope, Policy], ...]:
        """Takes namespaces whose rules were not applied at this tick, by the clock of the database: for each tick, one
        server is given a namespace."""

    async def with_forgotten(self, days: int, limit: int) -> tuple[tuple[Scope, Policy], ...]:
        """Those with memories that were forgotten longer ago than their policy keeps them; `days` where it is silent."""
