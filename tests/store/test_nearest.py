"""Drafts that are looked up together meet what each would meet alone."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.store.conformance.surroundings import around
from tests.store.things import DIMENSIONS, MODEL, Backend, as_agent, draft, turned, vector, write

from recalld_server.model import Kind, Scope, State, Visibility, utc_now
from recalld_server.store.postgres import PoolOptions, PostgresStore, nearest, vector_set
from recalld_server.store.postgres.maintenance import MaintenanceOptions


def _drafts(scope: Scope, count: int) -> list[object]:
    bases = [vector(n) for n in range(3)]
    return [draft(scope, f"new 新的 {n}", embedding=turned(bases[n % 3], 0.97, ("new", n))) for n in range(count)]


async def _known(store: Backend, scope: Scope) -> None:
    shared = [draft(scope, f"known 已知 {n}", embedding=turned(vector(n % 3), 0.9, ("known", n))) for n in range(30)]
    other = draft(scope, "of Bob 小波的", embedding=vector(0), user_id="bob")
    mine = draft(scope, "mine 我的", embedding=vector(0), visibility=Visibility.PRIVATE)
    await write(store, scope, *shared, other, mine)


async def test_a_batch_meets_what_each_draft_meets_alone(
    store: Backend, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_set, "BLOCK", 8)
    await _known(store, scope)
    drafts = _drafts(scope, 8)
    together = await around(store, scope, *drafts)  # type: ignore[arg-type]
    assert all(len(met.near) == 5 for met in together)
    for one, met in zip(drafts, together, strict=True):
        (alone,) = await around(store, scope, one)  # type: ignore[arg-type]
        assert [near.memory.memory_id for near in met.near] == [near.memory.memory_id for near in alone.near]
        assert [near.cosine for near in met.near] == [pytest.approx(near.cosine, abs=2e-3) for near in alone.near]


async def test_what_is_in_the_index_and_what_is_not_yet_are_both_met(store: PostgresStore, scope: Scope) -> None:
    await _known(store, scope)
    options = MaintenanceOptions(counted_from=1, ann_from=1, ann_chunk=100, fresh_tail=0)
    await store.maintenance(options).refresh_statistics()
    assert await store.maintenance(options).turn_on_ann() > 0
    await write(store, scope, draft(scope, "fresh 新鲜", embedding=vector(0)))
    for count in (1, 8):
        for n, met in enumerate(await around(store, scope, *_drafts(scope, count))):  # type: ignore[arg-type]
            assert len(met.near) == 5
            assert all(near.memory.user_id == "" and near.memory.visibility is Visibility.SHARED for near in met.near)
            assert (met.near[0].memory.content == "fresh 新鲜") == (n % 3 == 0)


async def test_drafts_that_are_worth_it_are_compared_with_all_vectors_of_an_indexed_namespace(
    store: PostgresStore, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many at once, though there is an index; when these vectors are known, also fewer; and both find what an index finds."""
    await _known(store, scope)
    options = MaintenanceOptions(counted_from=1, ann_from=1, ann_chunk=100, fresh_tail=0)
    await store.maintenance(options).refresh_statistics()
    assert await store.maintenance(options).turn_on_ann() > 0
    asked: list[int] = []
    by_index = nearest._by_index

    async def told(*args: Any, **kwargs: Any) -> nearest.Close:
        asked.append(len(args[2]))
        return await by_index(*args, **kwargs)

    monkeypatch.setattr(nearest, "_by_index", told)
    monkeypatch.setattr(nearest, "READ", 8)
    monkeypatch.setattr(nearest, "COMPARED", 16)
    drafts = _drafts(scope, 8)
    few = await around(store, scope, *drafts[:2])  # type: ignore[arg-type]
    assert asked == [2]
    many = await around(store, scope, *drafts)  # type: ignore[arg-type]
    again = await around(store, scope, *drafts[:3])  # type: ignore[arg-type]
    assert asked == [2]
    await write(store, scope, draft(scope, "fresh 新鲜", embedding=vector(0)))
    (fresh,) = await around(store, scope, draft(scope, "new 新的", embedding=vector(0)))
    assert asked == [2, 1]
    fresh, *_ = await around(store, scope, *_drafts(scope, 8))  # type: ignore[arg-type]
    assert asked == [2, 1]
    assert fresh.near[0].memory.content == "fresh 新鲜"
    for one, other in zip([*few, *again], [*many[:2], *many[:3]], strict=True):
        assert [near.memory.memory_id for near in one.near] == [near.memory.memory_id for near in other.near]


Change = Callable[[PostgresStore, Scope, list[UUID], int], Awaitable[object]]


async def _add(store: PostgresStore, scope: Scope, ids: list[UUID], n: int) -> None:
    kind = Kind.EPISODIC if n % 5 == 0 else Kind.SEMANTIC
    new = draft(scope, f"added 新增 {n}", embedding=turned(vector(n % 3), 0.95, ("added", n)), kind=kind)
    ids += [memory.memory_id for memory in await write(store, scope, new)]


async def _reword(store: PostgresStore, scope: Scope, ids: list[UUID], n: int) -> None:
    async with store.unit(scope) as unit:
        memory = (await unit.get(scope, [ids[n % len(ids)]])).get(ids[n % len(ids)])
        if memory is not None and memory.state is State.ACTIVE:
            new = draft(scope, f"reworded 改写 {n}", embedding=turned(vector(n % 3), 0.97, ("reworded", n)))
            changed = replace(memory, content=new.memory.content, update_time=utc_now(), revision=memory.revision + 1)
            await unit.replace(
                scope,
                replace(new, memory=changed),
                expected_revision=memory.revision,
                action="update",
                actor="ann",
                reason="",
            )


async def _end(store: PostgresStore, scope: Scope, ids: list[UUID], n: int) -> None:
    async with store.unit(scope) as unit:
        state = State.FORGOTTEN if n % 2 else State.ACTIVE
        await unit.set_state(scope, [ids[n % len(ids)]], state, actor="ann", action="forget", reason="")


async def _erase(store: PostgresStore, scope: Scope, ids: list[UUID], n: int) -> None:
    if len(ids) > 5:
        async with store.unit(scope) as unit:
            await unit.erase(scope, [ids.pop(n % len(ids))], actor="ann")


async def test_vectors_that_were_read_before_are_as_good_as_those_of_the_database(
    store: PostgresStore, scope: Scope, database: str
) -> None:
    """One store reads after each change, which others make; a store that never read anything must meet the same."""
    others = PostgresStore(database, PoolOptions(size=2))
    await others.start()
    await others.embedding_model(MODEL, DIMENSIONS)
    try:
        await _known(others, scope)
        ids: list[UUID] = []
        await _add(others, scope, ids, 1)
        chance, changes = random.Random(11), (_add, _add, _reword, _end, _erase)
        bob = as_agent(scope, "bob")
        for n in range(60):
            await chance.choice(changes)(others, scope if n % 4 else bob, ids, n)
            seen = [await around(store, agent, *_drafts(agent, 3), near=40) for agent in (scope, bob)]  # type: ignore[arg-type]
            new = PostgresStore(database, PoolOptions(size=1))
            await new.start()
            await new.embedding_model(MODEL, DIMENSIONS)
            true = [await around(new, agent, *_drafts(agent, 3), near=40) for agent in (scope, bob)]  # type: ignore[arg-type]
            await new.close()
            for one, other in zip(sum(seen, ()), sum(true, ()), strict=True):
                assert {near.memory.memory_id for near in one.near} == {near.memory.memory_id for near in other.near}
                assert [near.cosine for near in one.near] == pytest.approx([near.cosine for near in other.near])
    finally:
        await others.close()


async def test_one_that_has_expired_is_not_met_though_its_vector_was_read(store: PostgresStore, scope: Scope) -> None:
    soon = utc_now() + timedelta(milliseconds=300)
    new = draft(scope, "gone soon 很快过期", embedding=vector(0), expire_time=soon)
    await write(store, scope, new)
    (met,) = await around(store, scope, draft(scope, "new 新的", embedding=vector(0)))
    assert [near.memory.memory_id for near in met.near] == [new.memory.memory_id]
    while utc_now() <= soon:
        (met,) = await around(store, scope, draft(scope, "new 新的", embedding=vector(0)))
    (met,) = await around(store, scope, draft(scope, "new 新的", embedding=vector(0)))
    assert met.near == ()
