"""Memories, as they are given and as they are stored, and what becomes of a write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, overload

from recalld._duration import Duration
from recalld._json import Json
from recalld.enums import (
    IndexState,
    Kind,
    KindLike,
    Outcome,
    State,
    ToolStatus,
    ToolStatusLike,
    Visibility,
    VisibilityLike,
)
from recalld.errors import RecalldError
from recalld.types._show import short


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that was called in what a memory or a turn tells of."""

    tool: str
    status: ToolStatusLike = ToolStatus.UNSPECIFIED
    arguments: str = ""
    """A summary, without secrets."""
    error: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Memory:
    """A memory as it is stored."""

    memory_id: str
    namespace: str
    content: str
    kind: Kind
    state: State
    visibility: Visibility
    agent_id: str
    """The agent that wrote it, from its key."""
    user_id: str
    """The person it is about; empty when there is none."""
    session_id: str
    speaker: str
    tags: tuple[str, ...]
    entities: tuple[str, ...]
    tool_calls: tuple[ToolCall, ...]
    importance: float
    confidence: float
    metadata: dict[str, Json] = field(hash=False)
    counterfactual: str
    source_ids: tuple[str, ...]
    """The memories it was derived from."""
    superseded_by: str
    supersedes: tuple[str, ...]
    conflicts_with: tuple[str, ...]
    revision: int
    etag: str
    create_time: datetime | None
    update_time: datetime | None
    event_time: datetime | None
    """When what it tells of happened."""
    expire_time: datetime | None
    valid_from: datetime | None
    valid_until: datetime | None
    use_count: int
    last_use_time: datetime | None
    index_state: IndexState
    index_error: str

    def __repr__(self) -> str:
        about = f" user={self.user_id}" if self.user_id else ""
        return f"<Memory {self.memory_id} {self.kind} {self.state}{about} r{self.revision}: {short(self.content)!r}>"

    def __str__(self) -> str:
        return self.content


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryInput:
    """What a caller says when it writes a memory; the fields of `write`, for batches and streams."""

    content: str = field(kw_only=False)
    """The text, up to 32 KiB of UTF-8 unless the server says otherwise."""
    kind: KindLike | None = None
    """None: SEMANTIC."""
    visibility: VisibilityLike | None = None
    """None: the namespace's default."""
    user_id: str | None = None
    session_id: str | None = None
    speaker: str | None = None
    tags: Sequence[str] = ()
    entities: Sequence[str] = ()
    """Empty: extracted by rules."""
    tool_calls: Sequence[ToolCall] = ()
    importance: float | None = None
    """0 to 1; None: scored by rules."""
    confidence: float | None = None
    """0 to 1; None: 1."""
    metadata: Mapping[str, Any] | None = field(default=None, hash=False)
    """JSON values: NaN, infinities and integers beyond ±(2^53 − 1) are refused."""
    counterfactual: str | None = None
    source_ids: Sequence[str] = ()
    event_time: datetime | None = None
    """None: now."""
    expire_time: datetime | None = None
    ttl: Duration | None = None
    """How long it is found; give this or `expire_time`."""
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    memory_id: str | None = None
    """A UUID of your own choosing; None: the server makes one."""


@dataclass(frozen=True, slots=True)
class RelatedMemory:
    """A memory that a write met."""

    memory_id: str
    similarity: float
    """Calibrated cosine: 1 is the same."""


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What became of one written memory."""

    outcome: Outcome
    memory_id: str
    """The memory that now holds what was said; empty when nothing was stored."""
    related: tuple[RelatedMemory, ...]
    """The memories that it duplicates, replaces or contradicts."""
    reason: str
    importance: float
    importance_threshold: float
    """When the outcome is BELOW_THRESHOLD."""
    review_id: str
    """When the outcome is CONFLICT."""
    index_state: IndexState
    revision: int
    etag: str

    def __repr__(self) -> str:
        related = f" related={[each.memory_id for each in self.related]}" if self.related else ""
        reason = f" ({self.reason})" if self.reason else ""
        return f"<WriteResult {self.outcome} {self.memory_id or '-'}{reason}{related}>"

    @property
    def stored(self) -> bool:
        """Whether a new memory was stored."""
        return self.outcome in (Outcome.CREATED, Outcome.SUPERSEDED, Outcome.CONFLICT, Outcome.ACCEPTED)


@dataclass(frozen=True, slots=True)
class BatchItem:
    """What became of one item of a batch or a stream: a result, or an error that touched no other item."""

    sequence: int
    """Its place in what was given, from 0."""
    result: WriteResult | None
    error: RecalldError | None

    def unwrap(self) -> WriteResult:
        """The result; raises the error when there is one."""
        if self.result is None:
            raise self.error or RecalldError("the server gave neither a result nor an error for this item")
        return self.result


@dataclass(frozen=True, slots=True)
class BatchResult(Sequence[BatchItem]):
    """What became of each item, in the order given."""

    items: tuple[BatchItem, ...]

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, index: int) -> BatchItem: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[BatchItem, ...]: ...
    def __getitem__(self, index: int | slice) -> BatchItem | tuple[BatchItem, ...]:
        return self.items[index]

    def __iter__(self) -> Iterator[BatchItem]:
        return iter(self.items)

    def __repr__(self) -> str:
        return f"<BatchResult {len(self.items)} items, {len(self.failures)} failed>"

    @property
    def failures(self) -> tuple[BatchItem, ...]:
        """The items that were not handled."""
        return tuple(item for item in self.items if item.error is not None)

    def unwrap(self) -> tuple[WriteResult, ...]:
        """All results; raises the first error when there is one."""
        return tuple(item.unwrap() for item in self.items)


@dataclass(frozen=True, slots=True)
class MemoryRevision:
    """One change of a memory."""

    memory: Memory
    """As it was after this change."""
    action: str
    """"write", "update", "supersede", "restore", "archive", "forget", "review", "reflect" or "index"."""
    actor: str
    reason: str
    create_time: datetime | None


@dataclass(frozen=True, slots=True)
class ErasureReceipt:
    """What an erasure removed, without text."""

    receipt_id: str
    create_time: datetime | None
    counts: dict[str, int] = field(hash=False)
    """Removed things by kind."""


@dataclass(frozen=True, slots=True)
class ForgetResult:
    """What was forgotten, or would be."""

    count: int
    memory_ids: tuple[str, ...]
    """Some of the ids; all of them when they were given."""
    skipped_ids: tuple[str, ...]
    """Ids that were not there, not readable, or already so."""
    digest: str
    """Names the set that a filter meant."""
    receipt: ErasureReceipt | None
    """When the mode was ERASE and it was carried out."""

    def __repr__(self) -> str:
        skipped = f", {len(self.skipped_ids)} skipped" if self.skipped_ids else ""
        return f"<ForgetResult {self.count} memories{skipped}>"


@dataclass(frozen=True, slots=True)
class KindCount:
    """How many memories of one kind and state there are."""

    kind: Kind
    state: State
    count: int


@dataclass(frozen=True, slots=True)
class DayCount:
    """What happened on one day (UTC)."""

    day: datetime | None
    created: int
    searches: int


@dataclass(frozen=True, slots=True)
class Stats:
    """Figures. `total` is what `list` returns without a filter."""

    total: int
    counts: tuple[KindCount, ...]
    mean_confidence: float
    days: tuple[DayCount, ...]
    """The last days, oldest first."""
    duplicates_skipped: int
    conflicts_open: int
    reviews_waiting: int
    searches: int
    hit_rate: float
    """Share of searches with a hit that was marked as used."""
    never_found: int
    queue_depth: int
    queue_age_seconds: float
    dead_jobs: int
    content_bytes: int
    search_p50_milliseconds: float
    namespaces: int
    model_tokens: int
    embedding_model: str
