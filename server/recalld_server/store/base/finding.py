"""What Search asks of the store, and what it gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from recalld_server.model import (
    Filter,
    Kind,
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
    vector_limit: int = 100
    lexical_limit: int = 100
    recent_limit: int = 10
    neighbours: int = 2
    """How many memories of the same session before and after each lexical candidate are added."""
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate: what ranking needs of the memory (get the chosen ones for the rest), and what each arm measured. None:
    that arm did not look at it."""

    memory_id: UUID
    namespace_id: UUID
    kind: Kind
    event_time: datetime
    create_time: datetime
    session_id: str
    user_id: str
    speaker: str
    importance: float
    confidence: float
    use_count: int
    superseded_by: UUID | None
    asks: bool
    """The text ends in a question mark."""
    cosine: float | None
    """Cosine of the stored vector with the query, computed for every candidate that has a vector."""
    centred_cosine: float | None
    """The same after half of the namespace's mean vector was taken from both sides."""
    lexical: float | None
    """BM25 of the memory with the query's terms; 0 when none occurs. Computed for every candidate."""
    terms: frozenset[int]
    words: int
    position: int
    """Place in its session by event_time (ties by id), relative to the other candidates of that session only."""
    arms: frozenset[str]
    """Which arms proposed it: "vector", "lexical", "recency", "identifier", "neighbour"."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the arms proposed. Never fewer rows than min(limit, matching rows)."""

    found: tuple[Found, ...]
    plans: tuple[str, ...]
    """For each scope: "exact" or "hnsw" for the vector arm, "off" when it did not run."""
    lexical_units: Mapping[UUID, float] = field(default_factory=dict)
    """By namespace: the sum of query weight times idf of the query's six rarest terms (by that product)."""
