"""Figures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recalld_server.model.words import Kind, State


@dataclass(frozen=True, slots=True)
class KindCount:
    kind: Kind
    state: State
    count: int


@dataclass(frozen=True, slots=True)
class DayCount:
    day: datetime
    created: int
    searches: int = 0


@dataclass(frozen=True, slots=True)
class Stats:
    """Figures of a namespace or a tenant; the fields are those of the contract's StatsResponse."""

    total: int = 0
    counts: tuple[KindCount, ...] = ()
    mean_confidence: float = 0.0
    days: tuple[DayCount, ...] = ()
    duplicates_skipped: int = 0
    conflicts_open: int = 0
    reviews_waiting: int = 0
    searches: int = 0
    hit_rate: float = 0.0
    never_found: int = 0
    queue_depth: int = 0
    queue_age_seconds: float = 0.0
    dead_jobs: int = 0
    content_bytes: int = 0
    search_p50_milliseconds: float = 0.0
    namespaces: int = 0
    model_tokens: int = 0
    embedding_model: str = ""
