"""Looking back."""

from __future__ import annotations

from recalld._convert.build import build, from_enum
from recalld._convert.filters import from_filter, from_time_range, to_filter, to_time_range
from recalld._convert.times import from_timestamp
from recalld.enums import ReflectionState, ReflectionTarget
from recalld.errors import InvalidArgument
from recalld.filters import Filter, TimeRangeLike
from recalld.types import reflection as t
from recalld.v1 import memory_service_pb2 as sv


def to_scope(session_id: str | None, time_range: TimeRangeLike | None, filter: Filter | None) -> sv.ReflectionScope:
    """What to look back on: the one of these that is given, or everything since the last reflection."""
    if sum(each is not None for each in (session_id, time_range, filter)) > 1:
        raise InvalidArgument.of("scope", "give one of session_id, time_range and a filter")
    if session_id is None and time_range is None and filter is None:
        return sv.ReflectionScope(since_last=True)
    return build(
        sv.ReflectionScope,
        "scope",
        session_id=session_id,
        time_range=to_time_range(time_range, "scope.time_range"),
        filter=to_filter(filter, "scope.filter"),
    )


def from_reflection(message: sv.Reflection) -> t.Reflection:
    """A reflection as it stands."""
    return t.Reflection(
        reflection_id=message.reflection_id,
        namespace=message.namespace,
        state=from_enum(sv.ReflectionState, ReflectionState, message.state),
        scope=_from_scope(message.scope),
        targets=tuple(from_enum(sv.ReflectionTarget, ReflectionTarget, each) for each in message.targets),
        dry_run=message.dry_run,
        progress=message.progress,
        counts=dict(message.counts),
        insights=tuple(_from_insight(each) for each in message.insights),
        skipped=dict(message.skipped),
        error=message.error,
        actor=message.actor,
        create_time=from_timestamp(message, "create_time"),
        start_time=from_timestamp(message, "start_time"),
        end_time=from_timestamp(message, "end_time"),
    )


def _from_scope(message: sv.ReflectionScope) -> t.ReflectionScope:
    return t.ReflectionScope(
        session_id=message.session_id if message.HasField("session_id") else None,
        time_range=from_time_range(message, "time_range"),
        filter=from_filter(message.filter) if message.HasField("filter") else None,
        since_last=message.since_last,
    )


def _from_insight(message: sv.Insight) -> t.Insight:
    return t.Insight(
        memory_id=message.memory_id,
        category=message.category,
        content=message.content,
        confidence=message.confidence,
        source_ids=tuple(message.source_ids),
        support=message.support,
        counterfactual=message.counterfactual,
        outcome=message.outcome,
        review_id=message.review_id,
    )
