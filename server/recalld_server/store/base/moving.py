"""What a memory is when it leaves the store and comes back."""

from __future__ import annotations

from dataclasses import dataclass

from recalld_server.model import Memory, Request, Revision
from recalld_server.store.base.rows import NewMemory, Vector


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory with what was asked for of the rest that the store holds of it."""

    memory: Memory
    revisions: tuple[Revision, ...] = ()
    """Oldest first."""
    vector: Vector | None = None
    text_vector: Vector | None = None


@dataclass(frozen=True, slots=True)
class Adopted:
    """A memory that comes from elsewhere: stored as it is, whatever its state, with its own history."""

    new: NewMemory
    revisions: tuple[Revision, ...]
    """Oldest first; the last is the memory as it is now."""
    request: Request | None = None
    """By which its answer is remembered."""
