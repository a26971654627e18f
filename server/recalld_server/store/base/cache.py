"""A cache beside the store, which may be away at any time."""

from __future__ import annotations

from datetime import timedelta
from typing import Protocol
from uuid import UUID


class Cache(Protocol):
    """Keeps copies of what the store has. No method raises because the cache is away, slow or full: what cannot be read is
    absent, and what was not carried out is answered with False.

    A cache that was away may come back with what was changed or erased meanwhile. So a copy is read back only under the
    `version` that it was kept with: give it something that the store changes with every change (a revision, a count).
    """

    @property
    def available(self) -> bool:
        """Whether it answered last time; while False, calls end at once without asking it."""

    async def get(self, tenant_id: UUID, namespace_id: UUID | None, *parts: str, version: bytes = b"") -> bytes | None:
        """What was kept under these names and this version for this tenant; None: nothing."""

    async def set(
        self,
        tenant_id: UUID,
        namespace_id: UUID | None,
        *parts: str,
        value: bytes,
        ttl: timedelta,
        version: bytes = b"",
    ) -> bool:
        """Keeps a copy for `ttl`, in place of any other version."""

    async def delete(self, tenant_id: UUID, namespace_id: UUID | None, *parts: str) -> bool:
        """Drops a copy, whatever its version. True: it is not there any more."""
