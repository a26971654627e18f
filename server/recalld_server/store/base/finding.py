"""What Search asks of the store, and what it gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from recalld_server.model import (
    Filter,
    Kind,
    TimeSpan,
)
from recalld_server.store.base.rows import Vector


@dataclass(frozen=True, slots=True)
class CandidateQuery:
    """What Search asks of the arms, for each of its scopes."""

    filter: Filter
    vector: Vector | None
    """L2-normalised query embedding; None: the vector arm is off."""
    terms: Mapping[int, float]
    """Term id -> query weight without idf (the store knows the document frequencies); empty: the lexical arm is off."""
    identifiers: tuple[str, ...] = ()
    """Rare identifiers of the query, matched exactly in `entities`; and memory ids."""
    vector_limit: int = 60
    lexical_limit: int = 60
    recent_limit: int = 10
    span: TimeSpan | None = None
    """The time that the query's words name; None: the arm by time is off."""
    span_limit: int = 20
    neighbours: int = 2
    """How many memories of the same session before and after each of the best lexical candidates are added."""
    neighbours_of: int = 40
    """How many of the best lexical candidates bring their neighbours."""
    as_of: datetime | None = None


class Found(NamedTuple):
    """A candidate: what ranking needs of the memory (get the chosen ones for the rest), and what each arm measured. None:
    that arm did not look at it. A tuple, since there are hundreds in every search."""

    memory_id: UUID
    namespace_id: UUID
    kind: Kind
    event_time: datetime
    """Aware. When it happened: neighbours, time words, recency and newest-first go by it."""
    create_time: datetime
    """Aware. Settles ties of event_time."""
    session_id: str = ""
    """Empty: the memory stands alone."""
    user_id: str = ""
    speaker: str = ""
    importance: float = 0.5
    confidence: float = 1.0
    use_count: int = 0
    superseded_by: UUID | None = None
    asks: bool = False
    """The text ends in a question mark."""
    words: int = 0
    """Length in words (a run of CJK characters counts a third of its unigrams and bigrams)."""
    cosine: float | None = None
    """Cosine of query and stored vector, both centred on half of the namespace's mean. A stored vector that is shorter
    than 1 (a blend of views that disagree) counts by its length. Computed for every candidate that has a vector."""
    lexical: float | None = None
    """BM25 of the memory with the query's terms: the sum of query weight x idf x stored weight; 0 when none occurs.
    Computed for every candidate."""
    terms: frozenset[int] = frozenset()
    """Term ids of the text, to tell near-duplicates."""
    position: int = 0
    """Place in its session by event_time (ties by id), relative to the other candidates of that session only."""
    arms: frozenset[str] = frozenset()
    """Which arms proposed it: "vector", "lexical", "recency", "identifier", "neighbour", "time"."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the arms proposed. Never fewer rows than min(limit, matching rows)."""

    found: tuple[Found, ...]
    plans: tuple[str, ...]
    """For each scope: "exact" or "hnsw" for the vector arm, "off" when it did not run."""
    lexical_units: Mapping[UUID, float] = field(default_factory=dict)
    """By namespace: the lexical score of a memory of average length that holds each of the query's rarest terms once."""
