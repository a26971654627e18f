"""Orders to forget, which are carried out in pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from recalld_server.model import Filter, ForgetMode, Scope, State


@dataclass(frozen=True, slots=True)
class Mark:
    """A memory that a filter means, as far as forgetting it goes."""

    memory_id: UUID
    revision: int
    state: State


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be forgotten, and how far that has come."""

    order_id: UUID
    mode: ForgetMode
    actor: str
    reason: str = ""
    user_ids: tuple[str, ...] = ()
    """Whose sessions are erased with it."""
    session_ids: tuple[str, ...] = ()
    """Sessions that are erased with it."""
    changed: int = 0
    """Memories that were changed so far."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """What an erasure has removed so far, by kind."""
    create_time: datetime | None = None
    finish_time: datetime | None = None


class OrderReads(Protocol):
    """Reads of orders."""

    async def marks(self, scope: Scope, filter: Filter) -> tuple[Mark, ...]:
        """All memories that the filter means, newest first by (create_time, memory_id)."""

    async def order(self, scope: Scope, order_id: UUID) -> Order | None:
        """An order of this namespace."""


class OrderWrites(OrderReads, Protocol):
    """Changes of orders. Lock the namespace first."""

    async def open_order(self, scope: Scope, order: Order, memory_ids: Sequence[UUID], *, lease: timedelta) -> None:
        """Stores an order; it is this server's to carry out until the lease ends."""

    async def next_items(self, scope: Scope, order_id: UUID, limit: int) -> tuple[UUID, ...]:
        """Takes memories off the order; they are to be handled in this unit."""

    async def note_order(
        self, scope: Scope, order_id: UUID, *, changed: int, counts: Mapping[str, int], finished: bool, lease: timedelta
    ) -> None:
        """Adds to what was done, and renews the lease. A finished order forgets whose it was."""


class ForgetOrders(Protocol):
    """Orders of every tenant that nobody works on any more."""

    async def claim(self, limit: int, lease: timedelta) -> tuple[tuple[Scope, UUID], ...]:
        """Takes them, in the scopes of who gave them. The lease is shorter than an hour, as in IndexJobs."""

    async def sweep(self, older: timedelta) -> int:
        """Drops finished ones but the receipts of erasures; how many."""
