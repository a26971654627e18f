"""The queue of reflections, each held by one server at a time, and the schedules that put them there."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from tests.store.looking_back import (
    LONG,
    NONE,
    advance,
    cancel,
    claim,
    end,
    find,
    held,
    queue,
    read,
    reflection,
    said,
    turn,
)
from tests.store.things import START, Backend, as_agent, make_scope

from recalld_server.model import EVERY_AGENT, Policy, Reflection, ReflectionState, Scope, Trigger
from recalld_server.store.base import LeaseLost, ReflectionJob, Scheduled, SessionJob, Step

DAY = timedelta(days=1)
NIGHTLY = "0 3 * * *"


class ReflectionQueue:
    async def test_those_of_every_tenant_are_taken_oldest_first(self, store: Backend, scope: Scope) -> None:
        elsewhere = await make_scope(store, "别处", tenant="other", agent="bob")
        first = await queue(store, elsewhere)
        second = await queue(store, scope, agent_id="cleo")
        jobs = await claim(store)
        assert jobs == (ReflectionJob(elsewhere, first, 1), ReflectionJob(as_agent(scope, "cleo"), second, 1))
        running = await read(store, scope, second)
        assert (running.state, running.start_time is not None) == (ReflectionState.RUNNING, True)
        assert await claim(store) == ()

    async def test_one_whose_holder_died_is_given_again_and_the_dead_store_nothing(
        self, store: Backend, scope: Scope
    ) -> None:
        await queue(store, scope)
        (lost,) = await claim(store, lease=NONE)
        began = (await read(store, scope, lost.reflection_id)).start_time
        (now,) = await claim(store)
        assert now == replace(lost, attempts=2)
        with pytest.raises(LeaseLost):
            await advance(store, lost, Step({}, 0.5, {"read": 1}))
        with pytest.raises(LeaseLost):
            await end(store, lost)
        await advance(store, now, Step({}, 0.5, {"read": 1}))
        await end(store, now)
        done = await read(store, scope, now.reflection_id)
        assert (done.counts, done.start_time) == ({"read": 1}, began)
        assert await claim(store, lease=NONE) == ()

    async def test_of_many_workers_one_gets_each(self, store: Backend, scope: Scope) -> None:
        elsewhere = await make_scope(store, tenant="other", agent="bob")
        ids = [await queue(store, elsewhere if n % 3 == 0 else scope) for n in range(24)]
        taken = await asyncio.gather(*(claim(store, 5) for _ in range(8)))
        found = [job.reflection_id for jobs in taken for job in jobs]
        assert len(found) == len(set(found))
        found += [job.reflection_id for job in await claim(store, 24)]
        assert sorted(found) == sorted(ids)

    async def test_a_lease_is_renewed_and_given_back_by_its_holder_alone(self, store: Backend, scope: Scope) -> None:
        await queue(store, scope)
        jobs = store.reflection_jobs()
        (first,) = await claim(store, lease=NONE)
        await jobs.rest(first, LONG)  # renewed
        assert await claim(store) == ()
        await jobs.rest(first, NONE)  # given back
        (second,) = await claim(store)
        await jobs.rest(first, NONE)
        assert await claim(store) == (), "whoever lost the lease frees nothing"
        await end(store, second)
        await jobs.rest(second, NONE)
        assert await claim(store) == (), "what has ended is not due again"

    @pytest.mark.parametrize("running", [False, True])
    async def test_what_is_cancelled_is_given_to_nobody(self, store: Backend, scope: Scope, running: bool) -> None:
        reflection_id = await queue(store, scope)
        jobs = await claim(store, lease=NONE) if running else ()
        assert await cancel(store, scope, reflection_id)
        for job in jobs:
            await store.reflection_jobs().rest(job, NONE)
        assert await claim(store) == ()

    async def test_a_look_back_on_a_session_is_held_with_its_job(self, store: Backend, scope: Scope) -> None:
        await said(store, scope, "s", turn(scope, "记住"))
        async with store.unit(scope) as unit:
            job_id = await unit.ask_reflection(scope, "s", Trigger.CUE, delay=NONE)
        assert job_id is not None
        waits = await read(store, scope, job_id)
        assert (waits.state, waits.scope.session_id, waits.targets) == (ReflectionState.PENDING, "s", ())
        other = await make_scope(store, "space-2")
        assert await find(store, other, job_id) is None
        job = await self._begin(store, lease=NONE)
        assert (job.reflection_id, job.session_job is not None) == (job_id, True)
        assert (await read(store, scope, job_id)).state is ReflectionState.RUNNING
        assert await claim(store) == (), "the session's queue gives it, not this one"
        again = await self._begin(store)
        with pytest.raises(LeaseLost):
            await advance(store, job)
        await store.reflection_jobs().rest(again, NONE)
        last = await self._begin(store)
        assert last.attempts == 3
        async with store.unit(scope) as unit:
            await unit.end_reflection(scope, last, ReflectionState.SUCCEEDED, "")
            assert last.session_job is not None
            await unit.finish_job(scope, last.session_job)
        assert await store.session_jobs().claim(1, NONE) == ()

    async def _begin(self, store: Backend, lease: timedelta = LONG) -> ReflectionJob:
        job: SessionJob
        (job,) = await store.session_jobs().claim(1, lease)
        made = reflection(job.scope, reflection_id=job.job_id, state=ReflectionState.RUNNING)
        return await store.reflection_jobs().begin(job, made)

    async def test_what_models_were_asked_is_counted_by_tenant(self, store: Backend, scope: Scope) -> None:
        second = await make_scope(store, "space-2")
        elsewhere = await make_scope(store, tenant="other")
        for where, tokens in ((scope, 100), (second, 20), (elsewhere, 3)):
            job = await held(store, where)
            await advance(store, job, tokens=tokens, calls=1)
            await advance(store, job, tokens=tokens, calls=1)
            await end(store, job)
        jobs = store.reflection_jobs()
        assert await jobs.tokens(scope.tenant_id, LONG) == 240
        assert await jobs.tokens(elsewhere.tenant_id, LONG) == 6
        assert await jobs.tokens(scope.tenant_id, NONE) == 0

    async def test_records_go_some_time_after_they_ended(self, store: Backend, scope: Scope) -> None:
        jobs, ids = store.reflection_jobs(), []
        for dry in (False, True):
            job = await held(store, scope, dry_run=dry)
            await end(store, job)
            ids.append(job.reflection_id)
        waits = await queue(store, scope)
        assert await jobs.sweep(DAY) == 0
        assert await jobs.sweep(NONE) == 2
        assert [await find(store, scope, each) for each in ids] == [None, None]
        assert (await read(store, scope, waits)).state is ReflectionState.PENDING


async def scheduled(store: Backend) -> dict[str, Scheduled]:
    return {each.scope.namespace: each for each in await store.reflection_schedules().scheduled()}


async def nightly(store: Backend, scope: Scope, name: str = "夜间/nightly", line: str = NIGHTLY) -> Scheduled:
    """A namespace with a schedule, as it is seen first."""
    policy = Policy(reflection_schedule=line, time_zone="Asia/Shanghai")
    await store.create_namespace(scope.tenant_id, name, description="", policy=policy)
    return (await scheduled(store))[name]


def by_everybody(each: Scheduled) -> Reflection:
    return reflection(each.scope, agent_id=EVERY_AGENT, actor="schedule")


class Schedules:
    async def test_those_of_every_tenant_that_have_one_are_seen(self, store: Backend, scope: Scope) -> None:
        elsewhere = await make_scope(store, tenant="other")
        await nightly(store, elsewhere, "theirs")
        mine = await nightly(store, scope)
        assert (mine.line, mine.time_zone, mine.known, mine.tick) == (NIGHTLY, "Asia/Shanghai", False, None)
        assert (mine.scope.tenant_id, mine.scope.agent_id) == (scope.tenant_id, EVERY_AGENT)
        assert set(await scheduled(store)) == {"theirs", mine.scope.namespace}

    async def test_a_tick_is_taken_once_and_starts_its_reflection(self, store: Backend, scope: Scope) -> None:
        each = await nightly(store, scope)
        schedules = store.reflection_schedules()
        assert await schedules.take(each, START, None)
        known = (await scheduled(store))[each.scope.namespace]
        assert (known.known, known.tick) == (True, START)
        assert await claim(store) == ()
        made = by_everybody(known)
        assert await schedules.take(known, START + DAY, made)
        assert not await schedules.take(known, START + DAY, by_everybody(known))
        assert not await schedules.take(known, START, by_everybody(known)), "an earlier one is behind it"
        (job,) = await claim(store)
        assert job == ReflectionJob(each.scope, made.reflection_id, 1)
        assert (await scheduled(store))[each.scope.namespace].tick == START + DAY

    async def test_of_many_servers_one_takes_each_tick(self, store: Backend, scope: Scope) -> None:
        each = await nightly(store, scope)
        schedules = store.reflection_schedules()

        async def look(tick: datetime) -> bool:
            return await schedules.take(each, tick, by_everybody(each))

        for n in range(1, 6):
            taken: Sequence[bool] = await asyncio.gather(*(look(START + n * DAY) for _ in range(8)))
            assert sum(taken) == 1
            assert len(await claim(store)) == 1

    async def test_a_changed_line_is_not_the_known_one(self, store: Backend, scope: Scope) -> None:
        each = await nightly(store, scope)
        assert await store.reflection_schedules().take(each, START, None)
        for policy in (
            Policy(reflection_schedule="30 4 * * *", time_zone="Asia/Shanghai"),
            Policy(reflection_schedule=NIGHTLY, time_zone="Europe/Berlin"),
        ):
            await self._change(store, each, policy)
            now = (await scheduled(store))[each.scope.namespace]
            assert (now.line, now.time_zone, now.known) == (policy.reflection_schedule, policy.time_zone, False)
        await self._change(store, each, Policy())
        assert await scheduled(store) == {}

    async def _change(self, store: Backend, each: Scheduled, policy: Policy) -> None:
        changed = await store.update_namespace(each.scope.tenant_id, each.scope.namespace_id, lambda _: ("", policy))
        assert changed is not None

    async def test_a_tick_of_one_namespace_is_none_of_another(self, store: Backend, scope: Scope) -> None:
        one, two = await nightly(store, scope, "one"), await nightly(store, scope, "二")
        schedules = store.reflection_schedules()
        assert await schedules.take(one, START, by_everybody(one))
        assert await schedules.take(two, START, by_everybody(two))
        assert {job.scope.namespace for job in await claim(store)} == {"one", "二"}
