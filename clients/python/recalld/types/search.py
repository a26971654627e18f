"""What is found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

from recalld.filters import TimeRange
from recalld.types._show import short
from recalld.types.memories import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingOptions:
    """How the arms are weighed, 0 to 1 each. None: as the namespace's policy says."""

    lexical_weight: float | None = None
    """0 switches the arm off."""
    vector_weight: float | None = None
    """0 switches the arm off."""
    recency_weight: float | None = None
    half_life_days: float | None = None
    """Days after which recency counts half."""
    importance_weight: float | None = None
    skip_reranker: bool = False
    keep_near_duplicates: bool = False
    """Keep near-duplicates instead of folding them into one hit."""


@dataclass(frozen=True, slots=True)
class ArmScore:
    """One arm's part in a hit."""

    arm: str
    """"vector", "lexical", "recency", "identifier", "session", "speaker", "time", "importance", …"""
    raw: float
    """What the arm measured (cosine, BM25, …)."""
    rank: int
    """Its place in that arm, from 1; 0 when the arm did not find it."""
    contribution: float
    """What it adds to the score."""


@dataclass(frozen=True, slots=True, repr=False)
class SearchHit:
    """A memory that was found."""

    memory: Memory
    score: float
    """How well it fits, 0 to 1."""
    arms: tuple[ArmScore, ...]
    folded_ids: tuple[str, ...]
    """Near-duplicates that were folded into this hit."""

    @property
    def memory_id(self) -> str:
        """The memory's id."""
        return self.memory.memory_id

    @property
    def content(self) -> str:
        """The memory's text."""
        return self.memory.content

    def __repr__(self) -> str:
        return f"<SearchHit {self.score:.2f} {self.memory_id}: {short(self.content)!r}>"


@dataclass(frozen=True, slots=True)
class StageTiming:
    """How long one stage took."""

    stage: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class SearchExplanation:
    """How a search was carried out."""

    plans: tuple[str, ...]
    """For each namespace: "exact" or "hnsw"."""
    timings: tuple[StageTiming, ...]
    candidates: dict[str, int] = field(hash=False)
    """How many candidates each arm gave."""
    weights: dict[str, float] = field(hash=False)
    """The weights that were used, by arm."""
    terms: tuple[str, ...]
    """The words that the lexical arm looked for."""


@dataclass(frozen=True, slots=True)
class UnderstoodTime:
    """The time that a query was understood to speak of."""

    phrase: str
    range: TimeRange


@dataclass(frozen=True, slots=True, repr=False)
class SearchResult(Sequence[SearchHit]):
    """The hits, best first: iterate over it, index it, print it."""

    hits: tuple[SearchHit, ...]
    search_id: str
    """Names this search, for `mark_used`."""
    understood_time: UnderstoodTime | None
    degraded_stages: tuple[str, ...]
    """Stages that a deadline or a model that is down made the server skip. Empty: all ran."""
    min_score: float
    explanation: SearchExplanation | None
    """With `explain=True`."""
    omitted_by_tokens: int
    """Hits that fitted but were left out by `max_tokens`."""

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, index: int) -> SearchHit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[SearchHit, ...]: ...
    def __getitem__(self, index: int | slice) -> SearchHit | tuple[SearchHit, ...]:
        return self.hits[index]

    def __iter__(self) -> Iterator[SearchHit]:
        return iter(self.hits)

    def __repr__(self) -> str:
        degraded = f", without {', '.join(self.degraded_stages)}" if self.degraded_stages else ""
        return f"<SearchResult {len(self.hits)} hits{degraded}>"

    def __str__(self) -> str:
        if not self.hits:
            return "(nothing found)"
        return "\n".join(f"{hit.score:.2f}  {short(hit.content)}" for hit in self.hits)


@dataclass(frozen=True, slots=True)
class ContextSection:
    """One labelled part of a context."""

    heading: str
    text: str
    memory_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Context:
    """The text for a prompt: `str(context)` is `context.text`."""

    text: str
    sections: tuple[ContextSection, ...]
    token_count: int
    search_id: str
    degraded_stages: tuple[str, ...]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Context {self.token_count} tokens in {len(self.sections)} sections>"
