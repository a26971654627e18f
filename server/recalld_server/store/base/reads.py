"""Reads that a copy of the store may answer, which is a little behind it."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol


@dataclass(slots=True)
class ReadAfter:
    """How new the reads of a call must be, and how long a copy may take. Times in seconds."""

    position: int
    """A copy that has come this far has all that the caller knows of; see `Positions`."""
    wait: float
    """How long the call may wait for a copy to come so far."""
    patience: float
    """How long a copy may take to answer, before the store is asked instead."""
    from_store: bool = False
    """Whether the store itself answered; set by what answers."""


READ_AFTER: ContextVar[ReadAfter | None] = ContextVar("read_after", default=None)
"""Set around a call whose caller has told how new its reads must be. None: as new as the store itself."""


class Positions(Protocol):
    """How far the store has come, as a number that only grows."""

    async def position(self) -> int:
        """All that was acknowledged before this was asked is at this position or before it. Raises StoreUnavailable."""
