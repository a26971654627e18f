"""What the resolver is asked and what it answers."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID


class Verdict(enum.Enum):
    """What a new statement is to the memories that are close to it."""

    NEW = "new"
    DUPLICATE = "duplicate"
    SUPERSEDES = "supersedes"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Statement:
    """One memory's text with what is known about it.

    `kind` is episodic, semantic, procedural or working; `event_time` is when it happened or held, if known;
    `entities` are names that occur in the text.
    """

    text: str
    event_time: datetime | None
    kind: str
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A live memory near the new statement; `similarity` is the calibrated cosine, -1 to 1."""

    memory_id: UUID
    statement: Statement
    similarity: float


@dataclass(frozen=True, slots=True)
class Lines:
    """The embedding model's calibration: cosine from which a paraphrase is likely, and from which a clash is possible."""

    duplicate: float
    conflict: float


@dataclass(frozen=True, slots=True)
class Resolution:
    """The verdict, the memories it is about (best first; none for NEW), the highest similarity among them, and why.

    `reason` is one of a fixed set of words, never text of a memory.
    """

    verdict: Verdict
    memory_ids: tuple[UUID, ...]
    similarity: float
    reason: str


Case = tuple[Statement, Sequence[Neighbour]]
"""A new statement and its neighbours."""


class Resolver(Protocol):
    """Decides what a new statement is to its neighbours."""

    async def consult(self, cases: Iterable[Case], lines: Lines, *, timeout: float | None = None) -> None:
        """Asks whoever must be asked before `resolve`, which may be called under a lock and asks nobody. Takes a bounded
        time, at most `timeout` seconds, and never raises on any text; neighbours that were not asked about are left to
        rules."""
        ...

    async def resolve(self, new: Statement, neighbours: Sequence[Neighbour], lines: Lines) -> Resolution:
        """Decide for `new` among `neighbours` (any order, live, visible to the writer). Never raises on any text."""
        ...
