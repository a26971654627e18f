"""What goes in and out of the rules beyond the words of the domain."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from recalld_server.model import Durability, Filter, ForgetMode, Memory, Request, ReviewDecision, TimeMode, TimeSpan


@dataclass(frozen=True, slots=True)
class CallOptions:
    """What every mutation may carry. `timeout`: seconds left of the caller's deadline; None: none was set."""

    request: Request | None = None
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """How a write is carried out."""

    durability: Durability = Durability.INDEXED
    validate_only: bool = False
    call: CallOptions = CallOptions()


@dataclass(frozen=True, slots=True)
class Precondition:
    """Optimistic concurrency: empty and None are no condition."""

    etag: str = ""
    revision: int | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """How the arms are weighed; None: as the namespace's policy says."""

    lexical_weight: float | None = None
    vector_weight: float | None = None
    recency_weight: float | None = None
    half_life_days: float | None = None
    importance_weight: float | None = None
    skip_reranker: bool = False
    keep_near_duplicates: bool = False


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What to find, and where."""

    namespaces: tuple[str, ...]
    text: str
    filter: Filter = Filter()
    top_k: int = 5
    min_score: float | None = None
    ranking: Ranking = Ranking()
    time_zone: str = "UTC"
    time_mode: TimeMode = TimeMode.BOOST
    reference_time: datetime | None = None
    as_of: datetime | None = None
    max_tokens: int | None = None
    explain: bool = False
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class ArmScore:
    """One arm's part in a hit: what it measured, the hit's place in it (0: not found by it), what it adds to the score."""

    arm: str
    raw: float
    rank: int
    contribution: float


@dataclass(frozen=True, slots=True)
class Hit:
    memory: Memory
    score: float
    arms: tuple[ArmScore, ...] = ()
    folded_ids: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a search was carried out. `timings`: milliseconds by stage."""

    plans: tuple[str, ...] = ()
    timings: tuple[tuple[str, float], ...] = ()
    candidates: tuple[tuple[str, int], ...] = ()
    weights: tuple[tuple[str, float], ...] = ()
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """What was found. `understood_phrase` is empty when no words for a time were seen."""

    hits: tuple[Hit, ...]
    search_id: UUID
    understood_phrase: str = ""
    understood_range: TimeSpan = TimeSpan()
    degraded_stages: tuple[str, ...] = ()
    min_score: float = 0.0
    explanation: Explanation | None = None
    omitted_by_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ForgetOrder:
    """Which memories to forget, and how. Ids or a filter, never both."""

    memory_ids: tuple[UUID, ...] = ()
    filter: Filter | None = None
    mode: ForgetMode = ForgetMode.FORGET
    dry_run: bool = False
    digest: str = ""
    precondition: Precondition = Precondition()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an erasure removed."""

    receipt_id: UUID
    create_time: datetime
    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, or would be."""

    count: int
    memory_ids: tuple[UUID, ...]
    digest: str = ""
    skipped_ids: tuple[UUID, ...] = ()
    receipt: Receipt | None = None


@dataclass(frozen=True, slots=True)
class ContextQuery:
    """What a prompt is about, and how long its context may be."""

    namespaces: tuple[str, ...]
    text: str
    filter: Filter = Filter()
    max_tokens: int = 1000
    session_id: str = ""
    language: str = ""
    """"en" or "zh", of the headings; empty: that of the text."""
    time_zone: str = "UTC"
    include_counterfactuals: bool = False
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A labelled part of a context, and the memories it was made of."""

    heading: str
    text: str
    memory_ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """The text for a prompt."""

    text: str
    sections: tuple[Section, ...]
    token_count: int
    search_id: UUID
    degraded_stages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person decides in a review. `content` goes with EDIT, `chosen_id` with CHOOSE."""

    decision: ReviewDecision
    content: str = ""
    chosen_id: UUID | None = None
    reason: str = ""
