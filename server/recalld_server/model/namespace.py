"""A namespace and its rules."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from recalld_server.model.words import Visibility


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
