"""What goes in and out of Watch."""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from recalld_server.model import Filter, Memory, Principal

Caller: TypeAlias = Callable[[], Awaitable[Principal]]
"""Who calls, authenticated anew; raises InvalidCredential once the credential has ended."""


class EventType(enum.IntEnum):
    """What is told. Values are those of the contract; the first six are those of ChangeType."""

    CREATED = 1
    UPDATED = 2
    SUPERSEDED = 3
    FORGOTTEN = 4
    EXPIRED = 5
    REVIEWED = 6
    CHECKPOINT = 7
    RESET = 8


@dataclass(frozen=True, slots=True)
class WatchQuery:
    """What to tell of, and from where on."""

    namespaces: tuple[str, ...]
    filter: Filter | None = None
    types: frozenset[EventType] = frozenset()
    """Empty: all. RESET is told in any case."""
    resume_token: str = ""
    """Empty: from now on."""

    def wants(self, type: EventType) -> bool:
        return type is EventType.RESET or not self.types or type in self.types


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. `memory` is as it is now; None when it is gone, and for CHECKPOINT and RESET."""

    type: EventType
    create_time: datetime
    resume_token: str
    namespace: str = ""
    memory_id: UUID | None = None
    memory: Memory | None = None
    actor: str = ""


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """How Watch goes about it. Times in seconds."""

    recheck: float = 0.5
    """How long a checked access is good. With the time that keys and namespaces are remembered, the sum is what a
    revocation may take."""
    idle: float = 10.0
    """Silence after which a CHECKPOINT is sent."""
    batch: int = 64
    """Events that are read at once: what a stream holds at most."""
    readers: int = 3
    """Streams of this server that read at a time, so that many watchers leave connections to the others."""
