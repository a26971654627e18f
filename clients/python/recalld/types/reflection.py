"""Looking back."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from recalld.enums import ReflectionState, ReflectionTarget
from recalld.filters import Filter, TimeRange
from recalld.types._show import short


@dataclass(frozen=True, slots=True, repr=False)
class Insight:
    """One thing that a reflection made or would make."""

    memory_id: str
    """Empty in a dry run."""
    category: str
    """"preference", "fact", "pattern", "lesson" or "abstract"."""
    content: str
    confidence: float
    source_ids: tuple[str, ...]
    support: int
    """How many sources say so."""
    counterfactual: str
    outcome: str
    """"created", "superseded", "merged", "review" or "skipped"."""
    review_id: str

    def __repr__(self) -> str:
        return f"<Insight {self.category} {self.confidence:.2f} {self.outcome}: {short(self.content)!r}>"


@dataclass(frozen=True, slots=True)
class ReflectionScope:
    """What a reflection looks back on: one of these."""

    session_id: str | None = None
    time_range: TimeRange | None = None
    filter: Filter | None = None
    since_last: bool = False
    """Everything since the last reflection."""


@dataclass(frozen=True, slots=True, repr=False)
class Reflection:
    """A look back, as it stood when it was read."""

    reflection_id: str
    namespace: str
    state: ReflectionState
    scope: ReflectionScope
    targets: tuple[ReflectionTarget, ...]
    dry_run: bool
    progress: float
    """0 to 1."""
    counts: dict[str, int] = field(hash=False)
    """"read", "created", "superseded", "merged", "review", "skipped", "failed"."""
    insights: tuple[Insight, ...]
    skipped: dict[str, int] = field(hash=False)
    """Why things were skipped, by reason."""
    error: str
    actor: str
    create_time: datetime | None
    start_time: datetime | None
    end_time: datetime | None

    @property
    def done(self) -> bool:
        """Whether it has ended, in whichever way."""
        return self.state in (ReflectionState.SUCCEEDED, ReflectionState.FAILED, ReflectionState.CANCELLED)

    def __repr__(self) -> str:
        return f"<Reflection {self.reflection_id} {self.state} {self.progress:.0%}, {len(self.insights)} insights>"
