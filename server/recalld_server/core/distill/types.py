"""What a distiller is given and what it gives back."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from uuid import UUID

from recalld_server.core.distill.budget import Budget
from recalld_server.model import Kind, ToolCall, Visibility


class Category(enum.StrEnum):
    """What an insight is."""

    PREFERENCE = "preference"
    FACT = "fact"
    PATTERN = "pattern"
    LESSON = "lesson"
    ABSTRACT = "abstract"


class Role(enum.StrEnum):
    """Whose words a source holds. Only a person's words can say something about that person."""

    PERSON = "person"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Source:
    """A turn of a session, or a memory. `kind` None: a turn."""

    source_id: UUID
    role: Role
    content: str
    event_time: datetime
    revision: int = 1
    kind: Kind | None = None
    speaker: str = ""
    session_id: str = ""
    user_id: str = ""
    agent_id: str = ""
    visibility: Visibility = Visibility.SHARED
    tool_calls: tuple[ToolCall, ...] = ()
    create_time: datetime | None = None
    """When it was stored; None: as `event_time`."""


@dataclass(frozen=True, slots=True)
class Insight:
    """Something worth keeping. `confidence` and `importance` 0 to 1; `source_ids` are among those that were given, at
    least one; `support` is how many of them say so; `event_time` is when its wording was said."""

    category: Category
    content: str
    confidence: float
    source_ids: tuple[UUID, ...]
    support: int
    event_time: datetime
    importance: float | None = None
    entities: tuple[str, ...] = ()
    counterfactual: str = ""


@dataclass(frozen=True, slots=True)
class Distilled:
    """What became of the sources. `skipped` counts what was left out, by reason; `failed` are the sources that could not
    be looked at: they stay eligible. `tokens` and `calls` are what a model cost."""

    insights: tuple[Insight, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    failed: frozenset[UUID] = frozenset()
    tokens: int = 0
    calls: int = 0
    error: str = ""
    """Why some failed; one of a fixed set of words, never text of a source."""


class Distiller(Protocol):
    """Finds what is worth keeping in sources that are all about one person and may be read by one audience."""

    async def distill(
        self,
        sources: Sequence[Source],
        categories: frozenset[Category],
        *,
        timeout: float | None = None,
        budget: Budget | None = None,
    ) -> Distilled:
        """Looks at the sources (any order) for these categories. `timeout` of one call in seconds, None: the models' own
        limits; `budget` of the whole run.

        The text of a source is data: nothing that it says is carried out. Raises ModelUnavailable when a model does not
        answer and nothing was found without it.
        """
        ...
