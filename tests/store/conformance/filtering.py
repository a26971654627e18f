"""Filters: every part holds, typed, and none can be talked out of it."""

from __future__ import annotations

import string
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.store.things import EVERYTHING, START, Backend, draft, listed, make_scope, write

from recalld_server.model import (
    Filter,
    IndexState,
    Kind,
    Memory,
    MetadataCondition,
    NumberSpan,
    Operator,
    Scope,
    State,
    TimeSpan,
    Visibility,
    new_id,
)

MISSING = object()


def where(path: tuple[str, ...] | str, operator: Operator, value: Any = None) -> Filter:
    return Filter(metadata=(MetadataCondition((path,) if isinstance(path, str) else path, operator, value),))


async def names(store: Backend, scope: Scope, filter: Filter) -> set[str]:
    async with store.view([scope]) as view:
        return {m.content for m in await view.list(scope, filter, limit=1000)}


async def write_metadata(store: Backend, scope: Scope, **rows: Any) -> None:
    await write(store, scope, *(draft(scope, name, metadata=value) for name, value in rows.items()))


def typed(value: Any) -> tuple[str, Any]:
    """A JSON value with its type, so that 1 is not True and 10 is not "10"."""
    if isinstance(value, bool):
        return "boolean", value
    if isinstance(value, (int, float)):
        return "number", value
    return type(value).__name__, value


def holds(condition: MetadataCondition, metadata: Any) -> bool:
    """The meaning of a metadata condition, as the contract says it."""
    found: Any = metadata
    for step in condition.path:
        found = found.get(step, MISSING) if isinstance(found, dict) else MISSING
    operator, value = condition.operator, cast(Any, condition.value)
    if operator is Operator.MISSING:
        return found is MISSING
    if found is MISSING:
        return False
    kind = typed(found)[0]
    if operator is Operator.EXISTS:
        return True
    if operator is Operator.IS_NULL:
        return found is None
    if operator is Operator.EQ:
        return typed(found) == typed(value)
    if operator is Operator.NE:
        return typed(found) != typed(value)
    if operator is Operator.IN:
        return any(typed(found) == typed(each) for each in value)
    if operator is Operator.CONTAINS:
        return isinstance(found, list) and any(typed(each) == typed(value) for each in found)
    if kind != typed(value)[0] or kind not in ("number", "str"):
        return False
    left, right = (found.encode(), value.encode()) if kind == "str" else (found, value)
    return bool(
        {
            Operator.LT: left < right,
            Operator.LE: left <= right,
            Operator.GT: left > right,
            Operator.GE: left >= right,
        }[operator]
    )


def matches(filter: Filter, m: Memory) -> bool:
    """The meaning of a filter."""

    def within(value: Any, span: Any) -> bool:
        if isinstance(span, NumberSpan):
            return (span.low is None or value >= span.low) and (span.high is None or value <= span.high)
        return (span.start is None or value >= span.start) and (span.end is None or value < span.end)

    return all(
        (
            m.state in (filter.states or (State.ACTIVE,)),
            not filter.kinds or m.kind in filter.kinds,
            set(filter.all_tags) <= set(m.tags),
            not filter.any_tags or bool(set(filter.any_tags) & set(m.tags)),
            not filter.user_ids or m.user_id in filter.user_ids,
            not filter.session_ids or m.session_id in filter.session_ids,
            not filter.agent_ids or m.agent_id in filter.agent_ids,
            not filter.any_entities or bool(set(filter.any_entities) & set(m.entities)),
            not filter.any_source_ids or bool(set(filter.any_source_ids) & set(m.source_ids)),
            not filter.index_states or m.index_state in filter.index_states,
            filter.visibility in (None, m.visibility),
            within(m.confidence, filter.confidence),
            within(m.importance, filter.importance),
            within(m.event_time, filter.event_time),
            within(m.create_time, filter.create_time),
            all(holds(each, m.metadata) for each in filter.metadata),
        )
    )


WORDS = ("tea", "茶", "O'Hara", "a.b", "%", "")
SCALARS: st.SearchStrategy[Any] = st.sampled_from(
    (1, 2, 9, 10, 10.5, -3, "10", "9", "茶", "Z", "a", True, False, None, "true", 9007199254740993)
)
VALUES = st.one_of(
    SCALARS, st.lists(SCALARS, max_size=3), st.dictionaries(st.sampled_from(("b", "0")), SCALARS, max_size=2)
)
METADATA = st.dictionaries(st.sampled_from(("rank", "a.b", "a", "类别", "$x")), VALUES, max_size=3)
SOURCES = tuple(UUID(int=n) for n in range(1, 4))
SOME = st.lists(st.sampled_from(WORDS), max_size=2, unique=True).map(tuple)
NUMBERS = st.sampled_from((0.0, 0.25, 0.5, 1.0))
TIMES = st.integers(0, 5).map(lambda hours: START - timedelta(days=30_000, hours=hours))
SHAPES = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(Kind),
        "state": st.sampled_from((State.ACTIVE, State.ACTIVE, State.SUPERSEDED, State.ARCHIVED)),
        "visibility": st.sampled_from(Visibility),
        "tags": SOME,
        "entities": SOME,
        "source_ids": st.lists(st.sampled_from(SOURCES), max_size=2, unique=True).map(tuple),
        "user_id": st.sampled_from(WORDS),
        "session_id": st.sampled_from(WORDS),
        "confidence": NUMBERS,
        "importance": NUMBERS,
        "event_time": TIMES,
        "create_time": TIMES,
        "index_state": st.sampled_from(IndexState),
        "metadata": METADATA,
    }
)


@st.composite
def conditions(draw: st.DrawFn) -> MetadataCondition:
    operator = draw(st.sampled_from(Operator))
    path = draw(st.sampled_from((("rank",), ("a.b",), ("a",), ("a", "b"), ("a", "0"), ("类别",), ("$x",), ("nope",))))
    if operator is Operator.IN:
        return MetadataCondition(path, operator, draw(st.lists(SCALARS, max_size=3)))
    plain = operator in (Operator.EXISTS, Operator.MISSING, Operator.IS_NULL)
    return MetadataCondition(path, operator, None if plain else draw(SCALARS))


def several(values: Any) -> st.SearchStrategy[Any]:
    return st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple)


FILTERS = st.builds(
    Filter,
    kinds=several(Kind),
    all_tags=SOME,
    any_tags=SOME,
    user_ids=SOME,
    session_ids=SOME,
    any_entities=SOME,
    any_source_ids=several(SOURCES),
    states=several(State),
    index_states=several(IndexState),
    visibility=st.sampled_from((None, None, Visibility.SHARED)),
    confidence=st.builds(NumberSpan, st.none() | NUMBERS, st.none() | NUMBERS),
    importance=st.builds(NumberSpan, st.none() | NUMBERS, st.none() | NUMBERS),
    event_time=st.builds(TimeSpan, st.none() | TIMES, st.none() | TIMES),
    create_time=st.builds(TimeSpan, st.none() | TIMES, st.none() | TIMES),
    metadata=st.lists(conditions(), max_size=2).map(tuple),
)
FIELDS = [name for name in Filter.__dataclass_fields__ if name != "states"]


class Filtering:
    @settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    async def test_a_filter_means_what_it_says(self, store: Backend, data: st.DataObject) -> None:
        scope = await make_scope(store, f"space-{new_id()}")
        shapes = data.draw(st.lists(SHAPES, min_size=10, max_size=25))
        news = [draft(scope, f"过滤 {n}", **shape) for n, shape in enumerate(shapes)]
        await write(store, scope, *news)
        for _ in range(15):
            whole = data.draw(FILTERS)
            # a part or two at a time, else nothing ever matches
            kept = set(data.draw(st.lists(st.sampled_from(FIELDS), min_size=1, max_size=2)))
            filter = replace(Filter(states=whole.states), **{name: getattr(whole, name) for name in kept})
            expected = {new.memory.memory_id for new in news if matches(filter, new.memory)}
            assert set(await listed(store, scope, filter)) == expected, filter
            async with store.view([scope]) as view:
                rows = await view.list(scope, filter, limit=1000)
                assert await view.count(scope, filter) == len(rows)

    async def test_numbers_booleans_and_texts_are_told_apart(self, store: Backend, scope: Scope) -> None:
        await write_metadata(
            store,
            scope,
            nine={"rank": 9},
            ten={"rank": 10},
            text={"rank": "10"},
            yes={"rank": True},
            word={"rank": "true"},
            null={"rank": None},
            none={},
        )
        assert await names(store, scope, where("rank", Operator.GT, 9)) == {"ten"}
        assert await names(store, scope, where("rank", Operator.EQ, 10)) == {"ten"}
        assert await names(store, scope, where("rank", Operator.EQ, 10.0)) == {"ten"}
        assert await names(store, scope, where("rank", Operator.EQ, "10")) == {"text"}
        assert await names(store, scope, where("rank", Operator.IN, [10])) == {"ten"}
        assert await names(store, scope, where("rank", Operator.EQ, True)) == {"yes"}
        assert await names(store, scope, where("rank", Operator.EQ, 1)) == set()
        assert await names(store, scope, where("rank", Operator.IS_NULL)) == {"null"}
        assert await names(store, scope, where("rank", Operator.MISSING)) == {"none"}
        assert len(await names(store, scope, where("rank", Operator.EXISTS))) == 6
        assert await names(store, scope, where("rank", Operator.NE, 10)) == {"nine", "text", "yes", "word", "null"}

    async def test_big_integers_are_exact(self, store: Backend, scope: Scope) -> None:
        await write_metadata(store, scope, big={"id": 9007199254740993}, near={"id": 9007199254740992})
        assert await names(store, scope, where("id", Operator.EQ, 9007199254740993)) == {"big"}
        assert await names(store, scope, where("id", Operator.GT, 9007199254740992)) == {"big"}

    @pytest.mark.parametrize(
        "key",
        ["source.file", "content-type", "my key", "类别", "$x", "a/b", "0", "k" * 300, 'q"u', "o'c", "{a}", "a,b"],
    )
    async def test_any_key_finds_exactly_its_row(self, store: Backend, scope: Scope, key: str) -> None:
        await write_metadata(store, scope, row={key: "v"}, other={"other": "v"}, nested={"a": {"b": "v"}})
        assert await names(store, scope, where(key, Operator.EQ, "v")) == {"row"}
        assert await names(store, scope, where(key, Operator.EXISTS)) == {"row"}

    async def test_a_dotted_key_is_not_a_path(self, store: Backend, scope: Scope) -> None:
        await write_metadata(store, scope, path={"a": {"b": 1}}, key={"a.b": 1}, items={"a": [1, 2]})
        assert await names(store, scope, where(("a", "b"), Operator.EQ, 1)) == {"path"}
        assert await names(store, scope, where("a.b", Operator.EQ, 1)) == {"key"}
        assert await names(store, scope, where(("a", "0"), Operator.EXISTS)) == set()
        assert await names(store, scope, where("a", Operator.CONTAINS, 2)) == {"items"}

    async def test_hostile_values_are_values(self, store: Backend, scope: Scope) -> None:
        await write_metadata(store, scope, hara={"name": "O'Hara"}, plain={"name": "q7k"})
        assert await names(store, scope, where("name", Operator.IN, ["O'Hara"])) == {"hara"}
        assert await names(store, scope, where("name", Operator.IN, "q7k")) == {"plain"}
        assert await names(store, scope, where("name", Operator.IN, [])) == set()
        for hostile in ("zz') OR true --", "' OR 1=1; --", "$1", "\\", "%", "}{", '","'):
            for filter in (
                where("name", Operator.EQ, hostile),
                where(hostile, Operator.EXISTS),
                Filter(any_tags=(hostile,)),
                Filter(user_ids=(hostile,)),
                Filter(any_entities=(hostile,)),
                Filter(session_ids=(hostile,)),
            ):
                assert await names(store, scope, filter) == set(), filter

    async def test_more_conditions_never_find_more(self, store: Backend, scope: Scope) -> None:
        rows = [draft(scope, f"计划 {n}", tags=("a",) * (n % 2), user_id=str(n % 3)) for n in range(30)]
        await write(store, scope, *rows)
        a, both = Filter(any_tags=("a",)), Filter(any_tags=("a",), user_ids=("1",))
        assert await names(store, scope, both) < await names(store, scope, a) < await names(store, scope, EVERYTHING)

    async def test_ends_of_spans(self, store: Backend, scope: Scope) -> None:
        new = draft(scope, "端点 ends", importance=0.5, event_time=START)
        await write(store, scope, new)
        here: list[UUID] = [new.memory.memory_id]
        second = timedelta(seconds=1)
        assert await listed(store, scope, Filter(importance=NumberSpan(0.5, 0.5))) == here
        assert await listed(store, scope, Filter(event_time=TimeSpan(START, START + second))) == here
        assert await listed(store, scope, Filter(event_time=TimeSpan(START - second, START))) == []

    async def test_texts_are_ordered_by_code_point(self, store: Backend, scope: Scope) -> None:
        letters = [*string.ascii_letters[24:28], "é", "中", "文"]
        await write(store, scope, *(draft(scope, f"字 {each}", metadata={"w": each}) for each in letters))
        for pivot in letters:
            expected = {f"字 {each}" for each in letters if each > pivot}
            assert await names(store, scope, where("w", Operator.GT, pivot)) == expected
