"""Filters as SQL: the only place that builds conditions. Every value is bound; only names of columns are text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from recalld_server.model import Filter, Json, MetadataCondition, NumberSpan, Operator, State, TimeSpan
from recalld_server.store.postgres.rows import facet, to_json


class Parameters:
    """Collects bound values and names their places."""

    def __init__(self, *values: object) -> None:
        self.values: list[object] = list(values)

    def add(self, value: object, cast: str) -> str:
        """The placeholder of a new value."""
        self.values.append(value)
        return f"${len(self.values)}::{cast}"


_COMPARISON = {Operator.LT: "<", Operator.LE: "<=", Operator.GT: ">", Operator.GE: ">="}


def condition(filter: Filter, parameters: Parameters, now: datetime | None = None) -> str:
    """The condition on alias `m` (memories, or revisions). `now`: the moment at which expiry is judged; None: the
    transaction's."""
    moment = "now()" if now is None else parameters.add(now, "timestamptz")
    parts = [_states(filter.states, parameters, moment)]

    def one_of(column: str, values: Sequence[object], cast: str) -> None:
        if values:
            parts.append(f"m.{column} = ANY ({parameters.add(list(values), cast)})")

    one_of("kind", [int(kind) for kind in filter.kinds], "smallint[]")
    one_of("user_id", filter.user_ids, "text[]")
    one_of("session_id", filter.session_ids, "text[]")
    one_of("agent_id", filter.agent_ids, "text[]")
    one_of("index_state", [int(state) for state in filter.index_states], "smallint[]")
    if filter.all_tags:
        parts.append(f"m.tags @> {parameters.add(list(filter.all_tags), 'text[]')}")
    if filter.any_tags:
        parts.append(f"m.tags && {parameters.add(list(filter.any_tags), 'text[]')}")
    if filter.any_entities:
        parts.append(f"m.entities && {parameters.add(list(filter.any_entities), 'text[]')}")
    if filter.any_source_ids:
        parts.append(f"m.source_ids && {parameters.add(list(filter.any_source_ids), 'uuid[]')}")
    if filter.visibility is not None:
        parts.append(f"m.visibility = {parameters.add(int(filter.visibility), 'smallint')}")
    parts += _numbers("confidence", filter.confidence, parameters)
    parts += _numbers("importance", filter.importance, parameters)
    parts += times("event_time", filter.event_time, parameters)
    parts += times("create_time", filter.create_time, parameters)
    parts += [_metadata(each, parameters) for each in filter.metadata]
    return " AND ".join(parts)


def facets(filter: Filter) -> list[int]:
    """Facets of which each memory that the filter means has one at least; none where the filter names no such thing."""
    named = {"source": filter.any_source_ids, "entity": filter.any_entities, "tag": filter.any_tags or filter.all_tags}
    return next(([facet(kind, value) for value in values] for kind, values in named.items() if values), [])


def is_plain(filter: Filter) -> bool:
    """Whether the filter means every live memory."""
    return filter == Filter() or filter == Filter(states=(State.ACTIVE,))


def _states(states: Sequence[State], parameters: Parameters, moment: str) -> str:
    wanted = set(states) or {State.ACTIVE}
    live = f"(m.state = 1 AND (m.expire_time IS NULL OR m.expire_time > {moment}))"
    parts = [live] if State.ACTIVE in wanted else []
    if State.EXPIRED in wanted:
        parts.append(f"(m.state = 1 AND m.expire_time <= {moment})")
    stored = sorted(int(state) for state in wanted - {State.ACTIVE})
    if stored:
        parts.append(f"m.state = ANY ({parameters.add(stored, 'smallint[]')})")
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"


def _numbers(column: str, span: NumberSpan, parameters: Parameters) -> list[str]:
    parts = []
    if span.low is not None:
        parts.append(f"m.{column} >= {parameters.add(float(span.low), 'double precision')}")
    if span.high is not None:
        parts.append(f"m.{column} <= {parameters.add(float(span.high), 'double precision')}")
    return parts


def times(column: str, span: TimeSpan, parameters: Parameters) -> list[str]:
    """The conditions that a column of alias `m` lies in a span; none for an open one."""
    parts = []
    if span.start is not None:
        parts.append(f"m.{column} >= {parameters.add(span.start, 'timestamptz')}")
    if span.end is not None:
        parts.append(f"m.{column} < {parameters.add(span.end, 'timestamptz')}")
    return parts


def _metadata(each: MetadataCondition, parameters: Parameters) -> str:
    # Step by step: `#>` would take "0" for a place in a list, `->` with a text takes keys only.
    found = "m.metadata" + "".join(f" -> {parameters.add(step, 'text')}" for step in each.path)
    found = f"({found})"
    match each.operator:
        case Operator.EXISTS:
            return f"{found} IS NOT NULL"
        case Operator.MISSING:
            return f"{found} IS NULL"
        case Operator.IS_NULL:
            return f"{found} = 'null'::jsonb"
        case Operator.IN:
            options = each.value if isinstance(each.value, (list, tuple)) else [each.value]
            return f"{found} = ANY ({parameters.add([to_json(option) for option in options], 'jsonb[]')})"
        case Operator.CONTAINS:
            value = parameters.add(to_json(each.value), "jsonb")
            items = f"(SELECT FROM jsonb_array_elements({found}) AS item WHERE item = {value})"
            return f"CASE WHEN jsonb_typeof({found}) = 'array' THEN EXISTS {items} ELSE false END"
        case Operator.EQ:
            return f"{found} = {parameters.add(to_json(each.value), 'jsonb')}"
        case Operator.NE:
            return f"{found} <> {parameters.add(to_json(each.value), 'jsonb')}"
        case _:
            return _ordered(found, _COMPARISON[each.operator], each.value, parameters)


def _ordered(found: str, comparison: str, value: Json, parameters: Parameters) -> str:
    if isinstance(value, str):
        # the database's own collation would make the order depend on how it was set up
        text = f"({found} #>> '{{}}') COLLATE \"C\" {comparison} {parameters.add(value, 'text')}"
        return f"(jsonb_typeof({found}) = 'string' AND {text})"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"(jsonb_typeof({found}) = 'number' AND {found} {comparison} {parameters.add(to_json(value), 'jsonb')})"
    # neither numbers nor texts have an order; a bound value must occur in the statement
    return f"({found} IS NULL AND false)"
