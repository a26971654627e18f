"""A look back: what was asked, where it stands, what it made."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from recalld_server.model.common import TimeSpan
from recalld_server.model.filter import Filter
from recalld_server.model.words import Visibility


class ReflectionTarget(enum.IntEnum):
    """What a reflection looks for. Values are those of the contract and of the database."""

    PREFERENCES = 1
    FACTS = 2
    PATTERNS = 3
    LESSONS = 4
    COMPRESS_EPISODES = 5
    EXPIRE_STALE = 6


class ReflectionState(enum.IntEnum):
    """Where a reflection stands."""

    PENDING = 1
    RUNNING = 2
    SUCCEEDED = 3
    FAILED = 4
    CANCELLED = 5

    @property
    def final(self) -> bool:
        return self >= ReflectionState.SUCCEEDED


@dataclass(frozen=True, slots=True)
class ReflectionScope:
    """What a reflection looks back on: one of these. `source_ids` is for what the server asks itself: memories and turns
    that are looked at again because something that was derived from them has ended."""

    session_id: str = ""
    time_range: TimeSpan | None = None
    filter: Filter | None = None
    since_last: bool = False
    source_ids: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class ReflectedInsight:
    """One thing that a reflection made or would make. `content` is that of its memory as it is now; in a dry run it is
    kept with the reflection. `outcome`: created, superseded, merged, review, skipped."""

    category: str
    content: str
    confidence: float
    source_ids: tuple[UUID, ...]
    support: int
    outcome: str
    counterfactual: str = ""
    memory_id: UUID | None = None
    review_id: UUID | None = None
    visibility: Visibility = Visibility.SHARED
    agent_id: str = ""


@dataclass(frozen=True, slots=True)
class Reflection:
    """A look back. `agent_id` is whose private memories it may read; `actor` who started it."""

    reflection_id: UUID
    namespace: str
    state: ReflectionState
    scope: ReflectionScope
    targets: tuple[ReflectionTarget, ...]
    agent_id: str
    actor: str
    create_time: datetime
    dry_run: bool = False
    progress: float = 0.0
    counts: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    insights: tuple[ReflectedInsight, ...] = ()
    error: str = ""
    start_time: datetime | None = None
    end_time: datetime | None = None
