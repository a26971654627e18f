"""Moving to another embedding model while the old one serves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol
from uuid import UUID

from recalld_server.model import Scope
from recalld_server.store.base.rows import NewMemory

Place = tuple[UUID, UUID]
"""Namespace and memory."""


class Reembedding(Protocol):
    """Vectors of a model that is not in use yet, beside those that are."""

    async def register(self, name: str, dimensions: int) -> None:
        """Makes room for the vectors of a model; nothing to do when there is. Raises WrongState when they have another
        length than those of that name."""

    async def progress(self) -> tuple[int, int]:
        """Memories that are indexed, and vectors that the model has of them."""

    async def without(self, after: Place | None, limit: int) -> Mapping[Scope, Sequence[UUID]]:
        """The next memories without a vector of the model, by namespace, in scopes of every agent."""

    async def put(self, scope: Scope, forms: Sequence[NewMemory]) -> int:
        """Stores their vectors; how many. A memory whose text is another by now is passed over."""

    async def switch(self) -> None:
        """Makes the model the one in use, for servers that start from now on."""

    async def drop_others(self) -> int:
        """Removes the vectors of all other models; how many."""
