"""The words of the contract that have a fixed set of values.

Each is a `StrEnum`: `Kind.EPISODIC == "episodic"`, and both are accepted wherever one is asked for. `UNSPECIFIED` is
what the server did not say, or said in a word that this version does not know yet; it is never accepted as input.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, TypeAlias


class Kind(StrEnum):
    """What a memory is about, and so how long it lives and how it is ranked."""

    UNSPECIFIED = "unspecified"
    WORKING = "working"
    """Belongs to a running session and ends with it."""
    EPISODIC = "episodic"
    """What happened: when, with which tool, how it ended."""
    SEMANTIC = "semantic"
    """Facts, preferences, rules and lessons, free of time."""
    PROCEDURAL = "procedural"
    """How a thing is done: tool patterns and steps."""


class Visibility(StrEnum):
    """Who may read a memory inside its namespace."""

    UNSPECIFIED = "unspecified"
    PRIVATE = "private"
    """Only the agent that wrote it."""
    SHARED = "shared"
    """Every reader of the namespace."""


class State(StrEnum):
    """Where a memory stands in its life. Reads find ACTIVE only, unless a filter names others."""

    UNSPECIFIED = "unspecified"
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    PENDING_REVIEW = "pending_review"
    ARCHIVED = "archived"
    FORGOTTEN = "forgotten"
    EXPIRED = "expired"
    REJECTED = "rejected"


class IndexState(StrEnum):
    """Whether Search can find a memory by meaning yet."""

    UNSPECIFIED = "unspecified"
    PENDING = "pending"
    INDEXED = "indexed"
    FAILED = "failed"


class ToolStatus(StrEnum):
    """How a tool call ended."""

    UNSPECIFIED = "unspecified"
    OK = "ok"
    ERROR = "error"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"


class Outcome(StrEnum):
    """What became of a write."""

    UNSPECIFIED = "unspecified"
    CREATED = "created"
    """Stored as a new memory."""
    DUPLICATE = "duplicate"
    """A live memory already says this; `memory_id` is that one."""
    SUPERSEDED = "superseded"
    """Stored; the memories in `related` ended and point to it."""
    CONFLICT = "conflict"
    """Stored; it may contradict the memories in `related`. A review is open."""
    BELOW_THRESHOLD = "below_threshold"
    """Not stored: its importance is below the namespace's threshold."""
    ACCEPTED = "accepted"
    """Durable; will be indexed by a job."""


class Durability(StrEnum):
    """When a write is answered."""

    UNSPECIFIED = "unspecified"
    INDEXED = "indexed"
    """Committed and indexed: the very next search finds it."""
    ACCEPTED = "accepted"
    """Committed; embedded, compared and indexed by a job."""


class TimeMode(StrEnum):
    """How the words for a time in a query ("last week", "上周") are used."""

    UNSPECIFIED = "unspecified"
    BOOST = "boost"
    """Memories of that time rank higher."""
    FILTER = "filter"
    """Only memories of that time are found."""
    IGNORE = "ignore"
    """Words for a time are words like others."""


class ForgetMode(StrEnum):
    """How memories are forgotten."""

    UNSPECIFIED = "unspecified"
    ARCHIVE = "archive"
    """Out of search, cold, restorable."""
    FORGET = "forget"
    """Hidden; restorable within the namespace's window, then erased."""
    ERASE = "erase"
    """Gone: revisions, vectors, derived memories and caches too."""


class ReflectionTarget(StrEnum):
    """What a reflection looks for."""

    UNSPECIFIED = "unspecified"
    PREFERENCES = "preferences"
    FACTS = "facts"
    PATTERNS = "patterns"
    LESSONS = "lessons"
    COMPRESS_EPISODES = "compress_episodes"
    EXPIRE_STALE = "expire_stale"


class ReflectionState(StrEnum):
    """Where a reflection stands."""

    UNSPECIFIED = "unspecified"
    PENDING = "pending"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class TurnRole(StrEnum):
    """Whose turn it was."""

    UNSPECIFIED = "unspecified"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


class SessionState(StrEnum):
    """Where a session stands."""

    UNSPECIFIED = "unspecified"
    OPEN = "open"
    ENDED = "ended"


class Role(StrEnum):
    """What a key's holder or a grantee may do."""

    UNSPECIFIED = "unspecified"
    READER = "reader"
    WRITER = "writer"
    REFLECTOR = "reflector"
    ADMIN = "admin"


class ModelDownPolicy(StrEnum):
    """What the server does with an INDEXED write while its embedding model is down."""

    UNSPECIFIED = "unspecified"
    REFUSE = "refuse"
    ACCEPT = "accept"


class ReviewCause(StrEnum):
    """Why a review was opened."""

    UNSPECIFIED = "unspecified"
    LOW_CONFIDENCE = "low_confidence"
    CONFLICT = "conflict"


class ReviewState(StrEnum):
    """Where a review stands."""

    UNSPECIFIED = "unspecified"
    OPEN = "open"
    RESOLVED = "resolved"
    EXPIRED = "expired"


class ReviewDecision(StrEnum):
    """What a person decides."""

    UNSPECIFIED = "unspecified"
    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"
    KEEP_BOTH = "keep_both"
    CHOOSE = "choose"


class WatchEventType(StrEnum):
    """What happened."""

    UNSPECIFIED = "unspecified"
    CREATED = "created"
    UPDATED = "updated"
    SUPERSEDED = "superseded"
    FORGOTTEN = "forgotten"
    EXPIRED = "expired"
    REVIEWED = "reviewed"
    CHECKPOINT = "checkpoint"
    """Nothing happened; the resume token has moved on."""
    RESET = "reset"
    """The token is too old: read everything again, then go on."""


KindLike: TypeAlias = Kind | Literal["working", "episodic", "semantic", "procedural"]
VisibilityLike: TypeAlias = Visibility | Literal["private", "shared"]
StateLike: TypeAlias = (
    State | Literal["active", "superseded", "pending_review", "archived", "forgotten", "expired", "rejected"]
)
IndexStateLike: TypeAlias = IndexState | Literal["pending", "indexed", "failed"]
ToolStatusLike: TypeAlias = ToolStatus | Literal["ok", "error", "timeout", "cancelled"]
DurabilityLike: TypeAlias = Durability | Literal["indexed", "accepted"]
TimeModeLike: TypeAlias = TimeMode | Literal["boost", "filter", "ignore"]
ForgetModeLike: TypeAlias = ForgetMode | Literal["archive", "forget", "erase"]
ReflectionTargetLike: TypeAlias = (
    ReflectionTarget | Literal["preferences", "facts", "patterns", "lessons", "compress_episodes", "expire_stale"]
)
TurnRoleLike: TypeAlias = TurnRole | Literal["user", "assistant", "tool", "system"]
SessionStateLike: TypeAlias = SessionState | Literal["open", "ended"]
RoleLike: TypeAlias = Role | Literal["reader", "writer", "reflector", "admin"]
ModelDownPolicyLike: TypeAlias = ModelDownPolicy | Literal["refuse", "accept"]
ReviewStateLike: TypeAlias = ReviewState | Literal["open", "resolved", "expired"]
ReviewDecisionLike: TypeAlias = ReviewDecision | Literal["approve", "edit", "reject", "keep_both", "choose"]
WatchEventTypeLike: TypeAlias = (
    WatchEventType | Literal["created", "updated", "superseded", "forgotten", "expired", "reviewed"]
)
