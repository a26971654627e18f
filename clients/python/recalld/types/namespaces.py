"""Namespaces and their policies, grants, keys, the audit log and what moves in and out."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from recalld.enums import ModelDownPolicyLike, Role, VisibilityLike
from recalld.types.memories import Memory, MemoryRevision


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The rules of a namespace. As input, None leaves a rule as it is, at first at the default that is named."""

    importance_threshold: float | None = None
    """Writes with a lower importance are not stored; 0 is off. Default: 0."""
    default_visibility: VisibilityLike | None = None
    """Visibility of a write that names none. Default: SHARED."""
    when_model_is_down: ModelDownPolicyLike | None = None
    """While the embedding model is down. Default: REFUSE."""
    episodic_retention_days: int | None = None
    """Days until an EPISODIC memory is archived; 0: never. Default: 30."""
    low_confidence_retention_days: int | None = None
    """Days until an unconfirmed memory of low confidence is archived; 0: never. Default: 7."""
    episodic_cap_per_user: int | None = None
    """EPISODIC memories of one user at most; 0: no cap. Default: 1,000."""
    session_ttl_seconds: int | None = None
    """Seconds until an idle session ends. Default: 7,200."""
    reflect_every_turns: int | None = None
    """Turns after which a session is looked back on; 0: only at its end. Default: 5."""
    reflection_schedule: str | None = None
    """Cron line of the scheduled reflection; empty: none. Default: none."""
    time_zone: str | None = None
    """IANA zone of the schedule. Default: UTC."""
    forget_window_days: int | None = None
    """Days for which a forgotten memory can be restored. Default: 30."""
    review_window_days: int | None = None
    """Days after which an open review expires. Default: 7."""
    review_threshold: float | None = None
    """Insights with a lower confidence go to review. Default: 0.6."""
    keep_query_text: bool | None = None
    """Keep the texts of queries in the search log. Default: no."""
    lexical_weight: float | None = None
    """Weight of the lexical arm. Default: 0.35."""
    vector_weight: float | None = None
    """Weight of the vector arm. Default: 0.65."""
    recency_weight: float | None = None
    """Weight of recency. Default: the server's."""
    half_life_days: float | None = None
    """Days after which recency counts half. Default: 30."""


@dataclass(frozen=True, slots=True)
class Namespace:
    """A named space in a tenant."""

    name: str
    description: str
    policy: Policy
    """With the defaults filled in."""
    etag: str
    create_time: datetime | None
    update_time: datetime | None
    memory_count: int
    """Live memories in it."""

    def __repr__(self) -> str:
        return f"<Namespace {self.name}, {self.memory_count} memories>"


@dataclass(frozen=True, slots=True)
class Grant:
    """Lets someone use a namespace: one of `agent_id`, `grantee_role` and `tenant` is set."""

    grant_id: str
    namespace: str
    agent_id: str
    grantee_role: Role | None
    tenant: str
    role: Role
    recursive: bool
    """Also for the namespaces below it."""
    expire_time: datetime | None
    create_time: datetime | None


@dataclass(frozen=True, slots=True)
class Key:
    """A key, without its secret."""

    key_id: str
    agent_id: str
    roles: tuple[Role, ...]
    namespaces: tuple[str, ...]
    """Empty: every namespace of the tenant."""
    description: str
    expire_time: datetime | None
    create_time: datetime | None
    last_use_time: datetime | None
    revoke_time: datetime | None
    """None: it was not revoked."""


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made. Its secret is here and nowhere else: the server keeps only a hash."""

    key: Key
    secret: str = field(repr=False)
    """The whole key, `rk_<id>_<secret>`."""


@dataclass(frozen=True, slots=True)
class ExportRecord:
    """One memory of an export."""

    memory: Memory
    vector: tuple[float, ...] = field(default=(), repr=False)
    """When asked for."""
    embedding_model: str = ""
    revisions: tuple[MemoryRevision, ...] = field(default=(), repr=False)
    """Oldest first, when asked for."""
    version: int = 1
    """The version of this shape."""
    text_vector: tuple[float, ...] = field(default=(), repr=False)
    """Of the text alone, where `vector` also carries the turn before it."""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What became of one record that was taken in."""

    sequence: int
    """Its place in what was given, from 0."""
    memory_id: str
    outcome: str
    """"created", "duplicate" or "failed"."""
    error: str


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """Something that was done."""

    event_id: str
    create_time: datetime | None
    key_id: str
    agent_id: str
    action: str
    """The RPC's name."""
    namespace: str
    target_ids: tuple[str, ...]
    outcome: str
    """A gRPC code's name."""
