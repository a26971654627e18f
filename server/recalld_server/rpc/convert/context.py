"""Contexts: what a prompt is about, and the text for it."""

from __future__ import annotations

from recalld.v1 import memory_service_pb2
from recalld_server.core.types import Context, ContextQuery
from recalld_server.rpc import calls
from recalld_server.rpc.convert.filter import filter_of
from recalld_server.rpc.convert.values import time_zone

DEFAULT_MAX_TOKENS = 1000


def context_query(request: memory_service_pb2.BuildContextRequest, context: calls.Context) -> ContextQuery:
    """Raises InvalidField."""
    return ContextQuery(
        namespaces=tuple(request.namespaces),
        text=request.query,
        filter=filter_of(request.filter),
        max_tokens=request.max_tokens if request.HasField("max_tokens") else DEFAULT_MAX_TOKENS,
        session_id=request.session_id,
        language=request.language,
        time_zone=time_zone(request.time_zone, "time_zone"),
        include_counterfactuals=request.include_counterfactuals,
        timeout=context.time_remaining(),
    )


def context_response(value: Context) -> memory_service_pb2.BuildContextResponse:
    """The text, as it is sent."""
    return memory_service_pb2.BuildContextResponse(
        text=value.text,
        sections=[
            memory_service_pb2.ContextSection(
                heading=each.heading, text=each.text, memory_ids=[str(memory_id) for memory_id in each.memory_ids]
            )
            for each in value.sections
        ],
        token_count=value.token_count,
        search_id=str(value.search_id),
        degraded_stages=value.degraded_stages,
    )
