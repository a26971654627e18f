"""What goes in and out of ranking. All values are per query; nothing here reads a store or a clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from recalld_server.model import Kind, TimeSpan


@dataclass(frozen=True, slots=True)
class QueryFeatures:
    """What is known of the query."""

    text: str
    time_range: TimeSpan | None = None
    """The time that its words speak of, or None."""
    lexical_units: Mapping[UUID, float] = field(default_factory=dict)
    """By namespace: the lexical score of a memory of average length that holds each of the query's rarest terms once.
    Absent or 0: the best lexical score among the candidates of the namespace."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each signal counts. The defaults were measured: see the decision page on ranking."""

    lexical: float = 0.35
    """Times the lexical score, neighbours included, in units of the query (1: its rarest terms, each once)."""
    vector: float = 0.65
    """Times the cosine."""
    session: float = 0.6
    """Times the best lexical and the best vector share in the same session, which may be those of two memories. The sum is
    divided by 1 + session, so that scores stay comparable."""
    speaker: float = 0.015
    """Added when the query names the one who spoke."""
    time: float = 0.15
    """Added inside the range that the query's words name."""
    told_later: float = 0.6
    """Share of that in the two weeks after the range, when people tell of it."""
    exact: float = 0.2
    """Added when an identifier of the query is held exactly."""
    question: float = 0.03
    """Taken off a memory that only asks."""
    brevity: float = 0.12
    """Taken off a turn of a conversation for its brevity: "Wow, congrats!" is near to much and tells little."""
    recency: float = 0.05
    """Largest share by which a fresh memory gains."""
    importance: float = 0.02
    """Share gained at importance 1 and lost at 0, halved: 0.5 is neutral."""
    confidence: float = 0.2
    """Share lost at confidence 0; 1 is neutral."""
    use: float = 0.05
    """Largest share gained by use; half of it at about nine uses."""
    half_life_days: Mapping[Kind, float] = field(
        default_factory=lambda: {Kind.WORKING: 1.0, Kind.EPISODIC: 30.0, Kind.SEMANTIC: 365.0, Kind.PROCEDURAL: 365.0}
    )
    """Days after which recency counts half, by kind; a kind that is missing does not age."""
    newest_first: bool = True
    """Among near-identical statements of about the same score, the newest comes first."""
    fold: bool = True
    """Memories that say the same in the same words become one."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One signal's part in a score."""

    raw: float
    """What was measured (cosine, BM25, days of age, …)."""
    rank: int
    """Place among the candidates by this signal, from 1; 0: it says nothing of this one."""
    normalised: float
    """What was weighed."""
    contribution: float
    """What it adds to the score. The contributions sum up to the score before it is held within 0 and 1."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A place in the answer."""

    memory_id: UUID
    namespace_id: UUID
    score: float
    """0 to 1, on one scale for all queries of one embedding model: about 0 is unrelated, 1 a full match in words and
    meaning with every boost."""
    arms: Mapping[str, Arm]
    folded_ids: tuple[UUID, ...] = ()
    """Older memories with the same words that were folded into this one."""
