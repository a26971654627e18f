"""Watch: what to tell of, and what is told."""

from __future__ import annotations

from recalld.v1 import watch_service_pb2 as pb
from recalld_server.core.watch import Event, EventType, WatchQuery
from recalld_server.rpc.convert.filter import filter_of
from recalld_server.rpc.convert.memory import memory
from recalld_server.rpc.convert.values import to_id, to_timestamp


def watch_query(request: pb.WatchRequest) -> WatchQuery:
    """Raises InvalidField."""
    return WatchQuery(
        namespaces=tuple(request.namespaces),
        filter=filter_of(request.filter) if request.HasField("filter") else None,
        types=frozenset(EventType(each) for each in request.types),
        resume_token=request.resume_token,
    )


def watch_response(event: Event) -> pb.WatchResponse:
    """An event as it is sent."""
    return pb.WatchResponse(
        type=int(event.type),  # type: ignore[arg-type]
        namespace=event.namespace,
        memory_id=to_id(event.memory_id),
        memory=memory(event.memory) if event.memory else None,
        actor=event.actor,
        create_time=to_timestamp(event.create_time),
        resume_token=event.resume_token,
    )
