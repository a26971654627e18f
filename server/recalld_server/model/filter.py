"""Which memories are meant."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from recalld_server.model.common import Json, NumberSpan, TimeSpan
from recalld_server.model.words import IndexState, Kind, Operator, State, Visibility


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
    any_source_ids: tuple[UUID, ...] = ()
    """Derived from at least one of these memories or turns."""
