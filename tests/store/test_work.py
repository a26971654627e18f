"""What the database does for a call grows no faster than the namespace, before anybody has counted its tables too."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import asyncpg
import pytest
from tests.store.things import DIMENSIONS, MODEL, START, draft, make_scope, query_terms, turned, vector, write

from recalld_server.model import Filter, Scope, TimeSpan, Visibility, new_id, utc_now
from recalld_server.store.base import CandidateQuery, DraftProbe
from recalld_server.store.postgres import MaintenanceOptions, PoolOptions, PostgresStore, SearchOptions
from recalld_server.store.postgres.transaction import Transaction
from recalld_server.text.clean import content_hash

SMALL, LARGE = 150, 1_200
LINEAR = 2.0 * LARGE / SMALL
"""Quadratic would be LARGE / SMALL times as much again."""

ORIGINALS: dict[str, Any] = {"fetch": Transaction.fetch, "row": Transaction.row, "value": Transaction.value}
Call = Callable[[PostgresStore, Scope], Awaitable[object]]


def _rows(plan: dict[str, Any], by: str = "") -> float:
    """Rows that a plan's nodes looked at; those alone whose table or index has such a name, where one is given."""
    removed = sum(value for name, value in plan.items() if name.startswith("Rows Removed"))
    own = (plan.get("Actual Rows", 0) + removed) * max(1, plan.get("Actual Loops", 1))
    name = plan.get("Index Name", plan.get("Relation Name", ""))
    return float(own * bool(re.match(by, name)) + sum(_rows(part, by) for part in plan.get("Plans", ())))


async def explained(database: str) -> None:
    """Lets the database tell every plan that it carries out, as a notice to the client."""
    connection = await asyncpg.connect(database)
    name = await connection.fetchval("SELECT current_database()")
    settings = {"log_min_duration": "0", "log_analyze": "on", "log_nested_statements": "on", "log_timing": "off"}
    settings |= {"log_format": "json", "log_level": "notice"}
    await connection.execute("LOAD 'auto_explain'")
    await connection.execute(f"ALTER DATABASE {name} SET session_preload_libraries = 'auto_explain'")
    for setting, value in settings.items():
        await connection.execute(f"ALTER DATABASE {name} SET auto_explain.{setting} = '{value}'")
    await connection.close()


async def work(store: PostgresStore, scope: Scope, call: Call, monkeypatch: pytest.MonkeyPatch, by: str = "") -> float:
    """Rows that the database looks at for a call, by the plans that it really used; `by`: see `_rows`."""
    plans: list[str] = []

    def told(_: object, message: Any) -> None:
        if "plan:" in message.message:
            plans.append(message.message.partition("plan:")[2])

    async def listened(self: Transaction, kind: str, sql: str, args: tuple[object, ...]) -> Any:
        self.connection.add_log_listener(told)
        try:
            found = await ORIGINALS[kind](self, sql, *args)
            # the plan of a statement is told when the next one comes
            await ORIGINALS["value"](self, "SELECT 1")
            return found
        finally:
            await asyncio.sleep(0)  # notices are handed on by the loop
            self.connection.remove_log_listener(told)

    with monkeypatch.context() as patched:
        patched.setattr(Transaction, "fetch", lambda self, sql, *args: listened(self, "fetch", sql, args))
        patched.setattr(Transaction, "row", lambda self, sql, *args: listened(self, "row", sql, args))
        patched.setattr(Transaction, "value", lambda self, sql, *args: listened(self, "value", sql, args))
        await call(store, scope)
    return sum(_rows(json.loads(plan)["Plan"], by) for plan in plans)


async def search(store: PostgresStore, scope: Scope) -> None:
    query = CandidateQuery(Filter(), vector("tea 茶"), query_terms("tea 茶 7"), ("PAY-7",))
    async with store.view([scope]) as view:
        assert (await view.candidates([scope], query)).found


async def filtered(store: PostgresStore, scope: Scope) -> None:
    query = CandidateQuery(Filter(any_tags=("tea",)), vector("tea 茶"), query_terms("tea 茶 7"))
    async with store.view([scope]) as view:
        await view.candidates([scope], query)


async def look_around(store: PostgresStore, scope: Scope) -> None:
    probes = [
        DraftProbe(content_hash(f"text 文字 {n}"), turned(vector(n), 0.9), False, "", Visibility.SHARED)
        for n in range(8)
    ]
    async with store.view([scope]) as view:
        await view.surroundings(scope, probes, near=10, floor=0.2)


async def look_anew(store: PostgresStore, scope: Scope) -> None:
    """What the first write after a start does."""
    store._known.clear()
    await look_around(store, scope)


async def look_again(store: PostgresStore, scope: Scope) -> None:
    """What every write does but the first: the vectors are known, and one memory has come since."""
    await write(store, scope, draft(scope, "one more 又一条"))
    await look_around(store, scope)


async def statistics(store: PostgresStore, scope: Scope) -> None:
    async with store.view([scope]) as view:
        live = await view.count(scope, Filter())
    more = [draft(scope, f"text 文字 {live + n} of coffee 咖啡") for n in range(live // 5)]
    await write(store, scope, *more)
    assert await store.maintenance(MaintenanceOptions(counted_from=1)).refresh_statistics()


async def figures(store: PostgresStore, scope: Scope) -> None:
    """However much there is: they are counted already."""
    async with store.view([scope]) as view:
        stats = await view.stats([scope], since=START, until=utc_now())
    assert stats.total in (SMALL, LARGE)


@pytest.mark.parametrize("analysed", [False, True], ids=["never counted", "counted"])
@pytest.mark.parametrize(
    ("call", "most"),
    [
        (search, LINEAR),
        (filtered, LINEAR),
        (look_anew, LINEAR),
        (statistics, LINEAR),
        (look_again, 2.0),
        (figures, 1.5),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
async def test_work_grows_no_faster_than_what_there_is(
    database: str, monkeypatch: pytest.MonkeyPatch, call: Call, most: float, analysed: bool
) -> None:
    await explained(database)
    store = PostgresStore(database, PoolOptions(size=2))
    await store.start()
    await store.embedding_model(MODEL, DIMENSIONS)
    try:
        done = {}
        for size in (SMALL, LARGE):
            scope = await make_scope(store, f"space-{size}")
            news = [draft(scope, f"text 文字 {n} of tea 茶", tags=("tea",) if n % 2 else ()) for n in range(size)]
            await write(store, scope, *news)
            if analysed:
                await _analyse_among_many(database, store)
            await call(store, scope)  # what is planned once and kept in mind is there then
            done[size] = await work(store, scope, call, monkeypatch)
    finally:
        await store.close()
    assert 0 < done[LARGE] <= most * done[SMALL]


async def test_of_the_vectors_outside_the_index_only_the_nearest_memories_are_read(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nearest(store: PostgresStore, scope: Scope) -> None:
        async with store.view([scope]) as view:
            candidates = await view.candidates([scope], CandidateQuery(Filter(), vector("tea 茶"), {}))
        assert candidates.plans == ("hnsw",)

    await explained(database)
    store = PostgresStore(database, PoolOptions(size=2))
    await store.start()
    await store.embedding_model(MODEL, DIMENSIONS)
    maintenance = store.maintenance(MaintenanceOptions(counted_from=1, ann_from=1))
    try:
        done = {}
        for size in (SMALL, SMALL * 5):
            scope = await make_scope(store, f"space-{size}")
            await write(store, scope, *[draft(scope, f"text 文字 {n} of tea 茶") for n in range(size)])
            assert await maintenance.refresh_statistics()
            await maintenance.turn_on_ann()
            await _analyse_among_many(database, store)
            done[size] = await work(store, scope, nearest, monkeypatch, r"memories_\d+_pkey")
    finally:
        await store.close()
    assert 0 < done[SMALL * 5] <= 1.5 * done[SMALL]


@pytest.mark.parametrize("analysed", [False, True], ids=["never counted", "counted"])
async def test_a_search_of_a_large_namespace_goes_by_its_indexes(
    database: str, monkeypatch: pytest.MonkeyPatch, analysed: bool
) -> None:
    async def search(store: PostgresStore, scope: Scope) -> None:
        span = TimeSpan(START, START + timedelta(minutes=1))
        query = CandidateQuery(Filter(), vector("tea 茶"), query_terms("number 号码 77"), span=span)
        async with store.view([scope]) as view:
            assert (await view.candidates([scope], query)).found

    await explained(database)
    store = PostgresStore(database, PoolOptions(size=2), SearchOptions(small=SMALL))
    await store.start()
    await store.embedding_model(MODEL, DIMENSIONS)
    try:
        scope = await make_scope(store)
        await write(store, scope, *[draft(scope, f"text 文字 {n} of tea 茶") for n in range(LARGE)])
        assert await store.maintenance(MaintenanceOptions(counted_from=1)).refresh_statistics()
        if analysed:
            await _analyse_among_many(database, store)
        assert 0 < await work(store, scope, search, monkeypatch, "memories_") < LARGE / 2
    finally:
        await store.close()


@pytest.mark.parametrize("analysed", [False, True], ids=["never counted", "counted"])
@pytest.mark.parametrize("name", ["all_tags", "any_tags", "any_entities", "any_source_ids"])
async def test_a_filter_that_means_few_reads_few(
    database: str, monkeypatch: pytest.MonkeyPatch, analysed: bool, name: str
) -> None:
    source = new_id()
    rarely = source if name == "any_source_ids" else "rare 罕见"
    stored = "source_ids" if name == "any_source_ids" else name.removeprefix("all_").removeprefix("any_")

    async def rare(store: PostgresStore, scope: Scope) -> None:
        wanted: dict[str, Any] = {name: (rarely,)}
        query = CandidateQuery(replace(Filter(), **wanted), vector("tea 茶"), query_terms("tea 茶"))
        async with store.view([scope]) as view:
            assert len((await view.candidates([scope], query)).found) == 3

    await explained(database)
    store = PostgresStore(database, PoolOptions(size=2), SearchOptions(small=SMALL))
    await store.start()
    await store.embedding_model(MODEL, DIMENSIONS)
    try:
        scope = await make_scope(store)
        news = [
            draft(scope, f"text 文字 {n} of tea 茶", **({stored: (rarely,)} if n < 3 else {"tags": ("tea",)}))
            for n in range(LARGE)
        ]
        await write(store, scope, *news)
        assert await store.maintenance(MaintenanceOptions(counted_from=1)).refresh_statistics()
        if analysed:
            await _analyse_among_many(database, store)
        # which index of terms or namespaces is the shorter way, the planner knows once it has counted
        by = "embeddings_|memories_" if analysed else "embeddings_"
        assert 0 < await work(store, scope, rare, monkeypatch, by) < 60
    finally:
        await store.close()


async def _analyse_among_many(database: str, store: PostgresStore) -> None:
    """Counts the tables while most namespaces are small, so that a usual one has few rows."""
    for number in range(40):
        scope = await make_scope(store, f"others/{number}")
        await write(store, scope, draft(scope, f"only one 只有一条 {number}"))
    connection = await asyncpg.connect(database)
    await connection.execute("ANALYZE")
    await connection.close()


async def test_the_planner_expects_large_namespaces_in_every_table(database: str) -> None:
    connection = await asyncpg.connect(database)
    told = await connection.fetch(
        "SELECT c.relname, a.attoptions FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'namespace_id'"
        " WHERE c.relnamespace = 'recalld'::regnamespace AND c.relkind IN ('r', 'p') AND NOT a.attisdropped"
    )
    await connection.close()
    assert len(told) > 20
    assert [table for table, options in told if "n_distinct=8" not in (options or ())] == []
