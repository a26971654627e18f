"""The words of the domain as frozen dataclasses. Imports nothing of ours."""

from __future__ import annotations

import enum
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Generic, TypeVar
from uuid import UUID

from typing_extensions import TypeAliasType

T = TypeVar("T")

Json = TypeAliasType("Json", "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None")

EVERY_AGENT = "*"
"""Agent id of a scope that reads private memories of every agent: for the server's own jobs, never for a caller."""


class Kind(enum.IntEnum):
    """What a memory is about. Values are those of the contract and of the database."""

    WORKING = 1
    EPISODIC = 2
    SEMANTIC = 3
    PROCEDURAL = 4


class Visibility(enum.IntEnum):
    """Who may read a memory inside its namespace."""

    PRIVATE = 1
    SHARED = 2


class State(enum.IntEnum):
    """Where a memory stands in its life. EXPIRED is never stored before the sweep: an ACTIVE row past its time reads as EXPIRED."""

    ACTIVE = 1
    SUPERSEDED = 2
    PENDING_REVIEW = 3
    ARCHIVED = 4
    FORGOTTEN = 5
    EXPIRED = 6
    REJECTED = 7


class IndexState(enum.IntEnum):
    """Whether Search can find a memory by meaning yet."""

    PENDING = 1
    INDEXED = 2
    FAILED = 3


class ToolStatus(enum.IntEnum):
    """How a tool call ended."""

    OK = 1
    ERROR = 2
    TIMEOUT = 3
    CANCELLED = 4


class Role(enum.IntEnum):
    """What a principal may do."""

    READER = 1
    WRITER = 2
    REFLECTOR = 3
    ADMIN = 4


class Outcome(enum.IntEnum):
    """What became of a write."""

    CREATED = 1
    DUPLICATE = 2
    SUPERSEDED = 3
    CONFLICT = 4
    BELOW_THRESHOLD = 5
    ACCEPTED = 6


class Durability(enum.IntEnum):
    """When a write is answered."""

    INDEXED = 1
    ACCEPTED = 2


class ForgetMode(enum.IntEnum):
    """How memories are forgotten."""

    ARCHIVE = 1
    FORGET = 2
    ERASE = 3


class TimeMode(enum.IntEnum):
    """How the words for a time in a query are used."""

    BOOST = 1
    FILTER = 2
    IGNORE = 3


class Operator(enum.IntEnum):
    """How one metadata value is compared."""

    EQ = 1
    NE = 2
    LT = 3
    LE = 4
    GT = 5
    GE = 6
    IN = 7
    EXISTS = 8
    MISSING = 9
    IS_NULL = 10
    CONTAINS = 11


class ChangeType(enum.IntEnum):
    """What a change event tells of."""

    CREATED = 1
    UPDATED = 2
    SUPERSEDED = 3
    FORGOTTEN = 4
    EXPIRED = 5
    REVIEWED = 6


@dataclass(frozen=True, slots=True)
class Principal:
    """The holder of a credential."""

    tenant_id: UUID
    tenant: str
    agent_id: str
    roles: frozenset[Role]
    key_id: str
    namespaces: tuple[str, ...] = ()
    """Where the credential is good; empty: in every namespace of the tenant."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Checked access of one agent to one namespace. Every store method needs one; only `core.access` makes them."""

    tenant_id: UUID
    namespace_id: UUID
    namespace: str
    agent_id: str


@dataclass(frozen=True, slots=True)
class Request:
    """Names a mutation for idempotency, within tenant and agent."""

    method: str
    request_id: str
    fingerprint: bytes
    """Digest of the request's body without its request_id; another one under the same id is refused."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    tool: str
    status: ToolStatus | None = None
    arguments: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """Half-open: start <= t < end. None is open. Both aware."""

    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True)
class NumberSpan:
    """Both ends included. None is open."""

    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class MetadataCondition:
    path: tuple[str, ...]
    operator: Operator
    value: Json = None
    """For IN: the list of values."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories are meant: every part must hold, an empty part does not restrict. Empty `states`: ACTIVE only."""

    kinds: tuple[Kind, ...] = ()
    all_tags: tuple[str, ...] = ()
    any_tags: tuple[str, ...] = ()
    user_ids: tuple[str, ...] = ()
    session_ids: tuple[str, ...] = ()
    agent_ids: tuple[str, ...] = ()
    any_entities: tuple[str, ...] = ()
    states: tuple[State, ...] = ()
    index_states: tuple[IndexState, ...] = ()
    visibility: Visibility | None = None
    confidence: NumberSpan = NumberSpan()
    importance: NumberSpan = NumberSpan()
    event_time: TimeSpan = TimeSpan()
    create_time: TimeSpan = TimeSpan()
    metadata: tuple[MetadataCondition, ...] = ()


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


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A page of a list; `next_token` is empty on the last."""

    items: tuple[T, ...]
    next_token: str = ""


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of a namespace. None means the default that the contract names."""

    importance_threshold: float | None = None
    default_visibility: Visibility | None = None
    accept_when_model_is_down: bool | None = None
    episodic_retention_days: int | None = None
    low_confidence_retention_days: int | None = None
    episodic_cap_per_user: int | None = None
    session_ttl_seconds: int | None = None
    reflect_every_turns: int | None = None
    reflection_schedule: str | None = None
    time_zone: str | None = None
    forget_window_days: int | None = None
    review_window_days: int | None = None
    review_threshold: float | None = None
    keep_query_text: bool | None = None
    lexical_weight: float | None = None
    vector_weight: float | None = None
    recency_weight: float | None = None
    half_life_days: float | None = None


@dataclass(frozen=True, slots=True)
class Namespace:
    """A named space in a tenant."""

    namespace_id: UUID
    name: str
    description: str
    policy: Policy
    revision: int
    create_time: datetime
    update_time: datetime
    memory_count: int = 0

    @property
    def etag(self) -> str:
        return f'"{self.revision:x}-{self.namespace_id.hex[-8:]}"'


@dataclass(frozen=True, slots=True)
class Key:
    """A key, without its secret."""

    key_id: str
    tenant_id: UUID
    tenant: str
    agent_id: str
    roles: frozenset[Role]
    namespaces: tuple[str, ...]
    description: str
    create_time: datetime
    expire_time: datetime | None = None
    last_use_time: datetime | None = None
    revoke_time: datetime | None = None


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


def utc_now() -> datetime:
    """Now, aware, UTC."""
    return datetime.now(UTC)


def new_id() -> UUID:
    """A UUIDv7 (RFC 9562): 48 bits of Unix milliseconds, then random bits, so that ids sort by time."""
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds << 80) | secrets.randbits(80)
    value = (value & ~(0xF << 76)) | (0x7 << 76)
    value = (value & ~(0x3 << 62)) | (0x2 << 62)
    return UUID(int=value)
