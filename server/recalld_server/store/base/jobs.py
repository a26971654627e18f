"""The queue of what waits to be indexed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol
from uuid import UUID

from recalld_server.model import (
    Scope,
)


@dataclass(frozen=True, slots=True)
class IndexJob:
    """A memory that waits to be indexed, held until the lease ends. `scope` is that of the agent who wrote it."""

    scope: Scope
    memory_id: UUID
    attempts: int
    """This one included."""
    traceparent: str = ""
    """The span of the call that caused it; empty when nobody traces it."""


class IndexJobs(Protocol):
    """The queue of memories with index_state PENDING, of all tenants. Storing such a memory queues it; `Unit.set_index`
    ends its job, and so does whatever else ends the memory. One that is held by a worker that died is free again when the
    lease has passed."""

    async def claim(self, limit: int, lease: timedelta) -> tuple[IndexJob, ...]:
        """Takes the oldest that are free. Lease and pauses are shorter than an hour: what seems to be held for longer was
        put off before the clock was set back, and is free."""

    async def rest(self, jobs: Sequence[IndexJob], pause: timedelta, *, counted: bool = True) -> None:
        """Frees jobs after a pause; with `counted` False the attempt is none. Jobs whose lease was lost are left alone."""

    async def sweep(self) -> int:
        """Drops what is kept of jobs whose memory no longer waits; how many."""

    async def retry_failed(self) -> int:
        """Makes every memory with index_state FAILED wait again; how many."""
