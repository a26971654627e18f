"""Reflections: what is asked, and how they stand."""

from __future__ import annotations

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb
from recalld_server.core.reflect import ReflectOrder, counted
from recalld_server.errors import InvalidField
from recalld_server.model import (
    Filter,
    NumberSpan,
    ReflectedInsight,
    Reflection,
    ReflectionScope,
    ReflectionTarget,
    TimeSpan,
)
from recalld_server.rpc.convert import metadata
from recalld_server.rpc.convert.filter import filter_of
from recalld_server.rpc.convert.values import from_time_span, prose, time_span, to_id, to_timestamp


def reflect_order(request: pb.ReflectRequest) -> ReflectOrder:
    """What to look back on, and for what. Raises InvalidField."""
    targets = tuple(ReflectionTarget(target) for target in request.targets)
    return ReflectOrder(_scope(request.scope), targets, request.dry_run)


def _scope(message: pb.ReflectionScope) -> ReflectionScope:
    which = message.WhichOneof("scope")
    if which == "session_id":
        return ReflectionScope(session_id=message.session_id)
    if which == "time_range":
        return ReflectionScope(time_range=time_span(message.time_range, "scope.time_range"))
    if which == "filter":
        return ReflectionScope(filter=filter_of(message.filter, "scope.filter"))
    if which == "since_last":
        return ReflectionScope(since_last=True)
    raise InvalidField("scope", "is empty: give a session_id, a time_range, a filter or since_last")


def reflection(value: Reflection) -> pb.Reflection:
    """A reflection as it is sent."""
    return pb.Reflection(
        reflection_id=str(value.reflection_id),
        namespace=value.namespace,
        state=int(value.state),  # type: ignore[arg-type]
        scope=_scope_message(value.scope),
        targets=[int(target) for target in value.targets],  # type: ignore[misc]
        dry_run=value.dry_run,
        progress=value.progress,
        counts=counted(value),
        insights=[_insight(each) for each in value.insights],
        skipped=value.skipped,
        error=prose(value.error),
        actor=value.actor,
        create_time=to_timestamp(value.create_time),
        start_time=to_timestamp(value.start_time),
        end_time=to_timestamp(value.end_time),
    )


def _insight(value: ReflectedInsight) -> pb.Insight:
    return pb.Insight(
        memory_id=to_id(value.memory_id),
        category=value.category,
        content=value.content,
        confidence=value.confidence,
        source_ids=map(str, value.source_ids),
        support=value.support,
        counterfactual=value.counterfactual,
        outcome=value.outcome,
        review_id=to_id(value.review_id),
    )


def _scope_message(scope: ReflectionScope) -> pb.ReflectionScope:
    """What the server asked itself (`source_ids`) is none of these and reads as an empty scope."""
    if scope.session_id:
        return pb.ReflectionScope(session_id=scope.session_id)
    if scope.time_range is not None:
        return pb.ReflectionScope(time_range=from_time_span(scope.time_range))
    if scope.filter is not None:
        return pb.ReflectionScope(filter=_filter_message(scope.filter))
    return pb.ReflectionScope(since_last=True) if scope.since_last else pb.ReflectionScope()


def _filter_message(filter: Filter) -> memory_pb2.Filter:
    message = memory_pb2.Filter(
        kinds=[int(each) for each in filter.kinds],  # type: ignore[misc]
        all_tags=filter.all_tags,
        any_tags=filter.any_tags,
        user_ids=filter.user_ids,
        session_ids=filter.session_ids,
        agent_ids=filter.agent_ids,
        any_entities=filter.any_entities,
        any_source_ids=list(map(str, filter.any_source_ids)),
        states=[int(each) for each in filter.states],  # type: ignore[misc]
        index_states=[int(each) for each in filter.index_states],  # type: ignore[misc]
        visibility=int(filter.visibility or 0),  # type: ignore[arg-type]
        confidence=_numbers(filter.confidence),
        importance=_numbers(filter.importance),
        event_time=from_time_span(filter.event_time) if filter.event_time != TimeSpan() else None,
        create_time=from_time_span(filter.create_time) if filter.create_time != TimeSpan() else None,
    )
    for each in filter.metadata:
        condition = message.metadata.add(path=each.path, operator=int(each.operator))
        held = metadata.to_struct({"value": each.value}).fields["value"]
        if isinstance(each.value, list):
            condition.values.CopyFrom(held.list_value)
        elif each.value is not None:
            condition.value.CopyFrom(held)
    return message


def _numbers(span: NumberSpan) -> memory_pb2.DoubleRange | None:
    return None if span == NumberSpan() else memory_pb2.DoubleRange(min=span.low, max=span.high)
