"""A memory, from the draft to its revisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from recalld_server.model.common import Json
from recalld_server.model.words import IndexState, Kind, Outcome, State, ToolStatus, Visibility


@dataclass(frozen=True, slots=True)
class ToolCall:
    tool: str
    status: ToolStatus | None = None
    arguments: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory as it is stored. Times are aware, UTC."""

    memory_id: UUID
    namespace: str
    content: str
    kind: Kind
    state: State
    visibility: Visibility
    agent_id: str
    create_time: datetime
    update_time: datetime
    event_time: datetime
    revision: int
    user_id: str = ""
    session_id: str = ""
    speaker: str = ""
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    importance: float = 0.5
    confidence: float = 1.0
    metadata: Mapping[str, Json] = field(default_factory=dict)
    counterfactual: str = ""
    source_ids: tuple[UUID, ...] = ()
    superseded_by: UUID | None = None
    supersedes: tuple[UUID, ...] = ()
    conflicts_with: tuple[UUID, ...] = ()
    expire_time: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    use_count: int = 0
    last_use_time: datetime | None = None
    index_state: IndexState = IndexState.INDEXED
    index_error: str = ""

    @property
    def etag(self) -> str:
        """Opaque to callers; changes with every revision."""
        return f'"{self.revision:x}-{self.memory_id.hex[-8:]}"'


@dataclass(frozen=True, slots=True)
class Draft:
    """What a caller wants to write, as checked and cleaned; every default of the contract is filled in by core."""

    content: str
    kind: Kind = Kind.SEMANTIC
    visibility: Visibility | None = None
    user_id: str = ""
    session_id: str = ""
    speaker: str = ""
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    importance: float | None = None
    confidence: float = 1.0
    metadata: Mapping[str, Json] = field(default_factory=dict)
    counterfactual: str = ""
    source_ids: tuple[UUID, ...] = ()
    event_time: datetime | None = None
    expire_time: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    memory_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Related:
    """A memory that a write met, and how alike the two are (calibrated cosine, 1: the same)."""

    memory_id: UUID
    similarity: float


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What became of one written memory."""

    outcome: Outcome
    memory_id: UUID | None
    related: tuple[Related, ...] = ()
    reason: str = ""
    importance: float = 0.0
    importance_threshold: float = 0.0
    review_id: UUID | None = None
    index_state: IndexState = IndexState.INDEXED
    revision: int = 0
    etag: str = ""


@dataclass(frozen=True, slots=True)
class Revision:
    """One change of a memory: the memory after it, and who did what, when and why."""

    memory: Memory
    action: str
    actor: str
    reason: str
    create_time: datetime
