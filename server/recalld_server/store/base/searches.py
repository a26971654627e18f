"""What is kept of searches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Searched:
    """What is kept of a search: never its text."""

    tenant_id: UUID
    agent_id: str
    search_id: UUID
    namespace_ids: tuple[UUID, ...]
    found: tuple[tuple[UUID, UUID], ...]
    """Namespace and id of each memory that was returned, best first."""
    milliseconds: float
    create_time: datetime


@dataclass(frozen=True, slots=True)
class PastSearch:
    """A search as MarkUsed finds it: the names of the namespaces that still exist."""

    namespaces: tuple[str, ...]
    memory_ids: tuple[UUID, ...]


class SearchRecords(Protocol):
    """What is kept of searches."""

    async def log_searches(self, searches: Sequence[Searched]) -> None:
        """Stores them; one that is stored already is left as it is."""

    async def find_search(self, tenant_id: UUID, agent_id: str, search_id: UUID) -> PastSearch | None:
        """A search of this agent."""
