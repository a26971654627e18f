"""Memories that wait to be indexed: each is held by one worker at a time, and by none for longer than its lease."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.store.things import START, Backend, as_agent, draft, make_scope, read, vector, write

from recalld_server.model import IndexState, Scope, State, Visibility
from recalld_server.store.base import IndexJob, NewMemory

LONG = timedelta(minutes=5)
NONE = timedelta(0)


def waiting(scope: Scope, text: str, **fields: Any) -> NewMemory:
    return replace(draft(scope, text, index_state=IndexState.PENDING, **fields), vector=None)


async def queue(store: Backend, scope: Scope, *texts: str) -> list[UUID]:
    return [each.memory_id for each in await write(store, scope, *(waiting(scope, text) for text in texts))]


async def claim(store: Backend, limit: int = 10, lease: timedelta = LONG) -> tuple[IndexJob, ...]:
    return await store.index_jobs().claim(limit, lease)


class Indexing:
    async def test_waiting_memories_of_every_tenant_are_taken_oldest_first(self, store: Backend, scope: Scope) -> None:
        elsewhere = as_agent(await make_scope(store, "别处", tenant="other"), "bob")
        first, second = waiting(scope, "first"), waiting(elsewhere, "第二", visibility=Visibility.PRIVATE)
        await write(store, elsewhere, second)
        await write(store, scope, first, draft(scope, "indexed already"))
        jobs = await claim(store)
        assert jobs == (IndexJob(scope, first.memory.memory_id, 1), IndexJob(elsewhere, second.memory.memory_id, 1))

    async def test_what_is_held_is_not_taken_again_until_its_lease_has_passed(
        self, store: Backend, scope: Scope
    ) -> None:
        await queue(store, scope, "one", "二")
        assert len(await claim(store, 1)) == 1
        assert [job.attempts for job in await claim(store, lease=NONE)] == [1]
        assert [job.attempts for job in await claim(store, lease=NONE)] == [2]

    async def test_of_many_workers_one_gets_each(self, store: Backend, scope: Scope) -> None:
        ids = await queue(store, scope, *(f"记忆 {n}" for n in range(30)))
        taken = await asyncio.gather(*(claim(store, 7) for _ in range(8)))
        held = [job.memory_id for jobs in taken for job in jobs]
        assert len(held) == len(set(held))
        held += [job.memory_id for job in await claim(store, 30)]
        assert sorted(held) == sorted(ids)

    async def test_a_job_rests_and_an_outage_is_no_attempt(self, store: Backend, scope: Scope) -> None:
        await queue(store, scope, "one")
        jobs = store.index_jobs()
        held = await claim(store)
        await jobs.rest(held, LONG)
        assert await claim(store) == ()
        await jobs.rest(held, NONE)
        again = await claim(store)
        assert [job.attempts for job in again] == [2]
        await jobs.rest(held, NONE)
        assert await claim(store) == (), "whoever lost the lease frees nothing"
        await jobs.rest(again, NONE, counted=False)
        assert [job.attempts for job in await claim(store)] == [2]

    async def test_indexing_ends_the_job_and_tells_other_writers(self, store: Backend, scope: Scope) -> None:
        (memory_id,) = await queue(store, scope, "喝茶")
        await claim(store, lease=NONE)
        async with store.unit(scope) as unit:
            sequence = await unit.lock(scope)
            assert await unit.set_index(scope, memory_id, vector=vector("喝茶"), text_vector=None, error="")
            assert await unit.changed_since(scope, sequence) == (memory_id,)
        memory = await read(store, scope, memory_id)
        assert memory is not None
        assert (memory.index_state, memory.revision) == (IndexState.INDEXED, 1)
        assert await claim(store) == ()

    async def test_a_failed_one_is_dead_until_it_is_given_another_round(self, store: Backend, scope: Scope) -> None:
        (memory_id,) = await queue(store, scope, "x")
        await claim(store, lease=NONE)
        async with store.unit(scope) as unit:
            await unit.set_index(scope, memory_id, vector=None, text_vector=None, error="too long")
        assert await claim(store) == ()
        async with store.view([scope]) as view:
            stats = await view.stats([scope], since=START, until=START)
        assert (stats.dead_jobs, stats.queue_depth) == (1, 0)
        assert await store.index_jobs().retry_failed() == 1
        memory = await read(store, scope, memory_id)
        assert memory is not None
        assert (memory.index_state, memory.index_error) == (IndexState.PENDING, "")
        assert [job.attempts for job in await claim(store)] == [1]

    @pytest.mark.parametrize("state", [State.FORGOTTEN, State.ARCHIVED, State.SUPERSEDED])
    async def test_what_ended_waits_no_longer(self, store: Backend, scope: Scope, state: State) -> None:
        (memory_id,) = await queue(store, scope, "x")
        await claim(store, lease=NONE)
        async with store.unit(scope) as unit:
            await unit.set_state(scope, [memory_id], state, actor="ann", action="forget", reason="")
            assert not await unit.set_index(scope, memory_id, vector=vector("x"), text_vector=None, error="")
        assert await claim(store) == ()
        assert await store.index_jobs().sweep() == 1
        assert await store.index_jobs().sweep() == 0

    async def test_erasing_removes_the_job(self, store: Backend, scope: Scope) -> None:
        (memory_id,) = await queue(store, scope, "x")
        await claim(store, lease=NONE)
        async with store.unit(scope) as unit:
            await unit.erase(scope, [memory_id], actor="ann")
        assert await store.index_jobs().sweep() == 0
