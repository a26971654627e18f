"""Figures."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from recalld.v1 import memory_service_pb2
from recalld_server.model import Stats
from recalld_server.rpc.convert.values import to_timestamp

# All figures but the two lists have the same name and type in the contract.
PLAIN = tuple(field.name for field in fields(Stats) if field.name not in ("counts", "days"))


def stats_response(value: Stats) -> memory_service_pb2.StatsResponse:
    """Figures, as they are sent."""
    plain: dict[str, Any] = {name: getattr(value, name) for name in PLAIN}
    return memory_service_pb2.StatsResponse(
        counts=[
            memory_service_pb2.KindCount(kind=int(each.kind), state=int(each.state), count=each.count)  # type: ignore[arg-type]
            for each in value.counts
        ],
        days=[
            memory_service_pb2.DayCount(day=to_timestamp(each.day), created=each.created, searches=each.searches)
            for each in value.days
        ],
        **plain,
    )
