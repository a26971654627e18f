"""What is found does not depend on the plan that the database chooses."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from tests.store.things import DIMENSIONS, MODEL, draft, listed, make_scope, query_terms, vector, write

from recalld_server.model import Filter, Kind, MetadataCondition, NumberSpan, Operator, State, Visibility
from recalld_server.store.base import CandidateQuery
from recalld_server.store.postgres import MaintenanceOptions, PoolOptions, PostgresStore, SearchOptions

ALL = 200
FILTERS: list[dict[str, Any]] = [
    {"any_tags": ("茶", "tea")},
    {"kinds": (Kind.EPISODIC,)},
    {"importance": NumberSpan(0.5, None)},
    {"metadata": (MetadataCondition(("rank",), Operator.GT, 5),)},
    {"user_ids": ("林乔",)},
    {"all_tags": ("tea", "x")},
    {"any_entities": ("Falcon", "阿里")},
]
STATES = {"states": (State.FORGOTTEN, State.ACTIVE)}
SETTINGS = [
    {},
    {"enable_seqscan": "off"},
    {"enable_indexscan": "off", "enable_bitmapscan": "off", "enable_indexonlyscan": "off"},
]


async def opened(dsn: str, options: SearchOptions | None = None) -> PostgresStore:
    store = PostgresStore(dsn, PoolOptions(size=2), options)
    await store.start()
    await store.embedding_model(MODEL, DIMENSIONS)
    return store


async def filled(store: PostgresStore) -> None:
    scope = await make_scope(store)
    news = [
        draft(
            scope,
            f"记录 record {n} of {'茶' if n % 3 else 'coffee'}",
            kind=Kind.EPISODIC if n % 4 == 0 else Kind.SEMANTIC,
            tags=("茶",) if n % 5 == 0 else ("tea", "x") if n % 7 == 0 else (),
            importance=n % 10 / 10,
            metadata={"rank": n % 12},
            user_id="林乔" if n % 2 else "",
            entities=("阿里",) if n % 6 == 0 else ("Falcon", "茶") if n % 11 == 0 else (),
            visibility=Visibility.PRIVATE if n % 13 == 0 else Visibility.SHARED,
        )
        for n in range(ALL)
    ]
    stored = await write(store, scope, *news)
    async with store.unit(scope) as unit:
        await unit.lock(scope)
        ids = [memory.memory_id for memory in stored[::9]]
        await unit.set_state(scope, ids, State.FORGOTTEN, actor="ada", action="forget", reason="")


async def answers(store: PostgresStore, *more: dict[str, Any]) -> dict[str, tuple[set[UUID], set[UUID], int]]:
    """By filter: what the arms propose, what List gives, and what Count says."""
    scope = await make_scope(store)
    result = {}
    for size in (1, 2):
        for parts in itertools.combinations([*FILTERS, *more], size):
            filter = replace(Filter(), **{name: value for part in parts for name, value in part.items()})
            query = CandidateQuery(
                filter,
                vector("record"),
                query_terms("茶 record"),
                vector_limit=ALL,
                lexical_limit=ALL,
                recent_limit=ALL,
            )
            async with store.view([scope]) as view:
                found = {each.memory_id for each in (await view.candidates([scope], query)).found}
                count = await view.count(scope, filter)
            names = "+".join(sorted(name for part in parts for name in part))
            result[names] = found, set(await listed(store, scope, filter)), count
    return result


@pytest.mark.parametrize("indexed", [False, True], ids=["exact", "hnsw"])
async def test_a_second_condition_never_finds_more_whatever_the_plan(database: str, indexed: bool) -> None:
    store = await opened(database)
    await filled(store)
    if indexed:
        maintenance = store.maintenance(MaintenanceOptions(counted_from=1, ann_from=100, fresh_tail=0))
        await maintenance.refresh_statistics()
        while await maintenance.turn_on_ann():
            pass
    await store.close()
    connection = await asyncpg.connect(database)
    seen = []
    for analysed, settings in itertools.product((False, True), SETTINGS):
        name = await connection.fetchval("SELECT current_database()")
        await connection.execute(f"ALTER DATABASE {name} RESET ALL")
        for setting, value in settings.items():
            await connection.execute(f"ALTER DATABASE {name} SET {setting} = {value}")
        if analysed:
            await connection.execute("ANALYZE")
        store = await opened(database)
        seen.append(await answers(store))
        await store.close()
    await connection.close()
    assert all(each == seen[0] for each in seen[1:])
    assert sum(count > 0 for _, _, count in seen[0].values()) > 10
    for names, (found, of_list, count) in seen[0].items():
        assert found == of_list
        assert len(found) == count
        for part in names.split("+"):
            assert found <= seen[0][part][0]


async def test_looking_few_up_finds_what_reading_all_finds(database: str) -> None:
    everywhere, nowhere = SearchOptions(small=1, selective=0), SearchOptions(small=1, selective=10**9)
    store = await opened(database)
    await filled(store)
    await store.close()
    seen = []
    for options in (everywhere, nowhere):
        store = await opened(database, options)
        seen.append(await answers(store, STATES))
        await store.close()
    assert seen[0] == seen[1]
