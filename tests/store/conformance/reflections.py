"""Reflections: a record that moves on step by step and ends once, what was looked at, and lineage in both directions."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.store.looking_back import (
    BOTH,
    FACTS,
    LONG,
    advance,
    cancel,
    end,
    find,
    held,
    insight,
    queue,
    read,
    reflection,
    said,
    turn,
)
from tests.store.things import START, Backend, as_agent, draft, make_scope, write, write_texts

from recalld_server.model import (
    EVERY_AGENT,
    Filter,
    Kind,
    NumberSpan,
    Reflection,
    ReflectionScope,
    ReflectionState,
    ReflectionTarget,
    Scope,
    State,
    TimeSpan,
    Visibility,
    new_id,
)
from recalld_server.store.base import LeaseLost, NewMemory, ReflectionJob, Step

DAY = timedelta(days=1)
SCOPES = [
    ReflectionScope(session_id="会话/1"),
    ReflectionScope(time_range=TimeSpan(START, None)),
    ReflectionScope(filter=Filter(kinds=(Kind.EPISODIC,), any_tags=("标签",), confidence=NumberSpan(0.5, None))),
    ReflectionScope(since_last=True),
    ReflectionScope(source_ids=(new_id(), new_id())),
]


class Crash(Exception):
    """What goes wrong in a unit."""


class Reflecting:
    @pytest.mark.parametrize("asked", SCOPES, ids=["session", "time", "filter", "since", "sources"])
    async def test_what_was_asked_is_kept(self, store: Backend, scope: Scope, asked: ReflectionScope) -> None:
        targets = (ReflectionTarget.COMPRESS_EPISODES, ReflectionTarget.EXPIRE_STALE)
        made = reflection(scope, scope=asked, targets=targets, dry_run=True, actor="cleo")
        async with store.unit(scope) as unit:
            assert await unit.add_reflection(scope, made)
            assert not await unit.add_reflection(scope, replace(made, actor="another"))
        kept = await read(store, scope, made.reflection_id)
        assert kept == replace(made, create_time=kept.create_time)
        assert await find(store, scope, new_id()) is None

    async def test_steps_add_up(self, store: Backend, scope: Scope) -> None:
        job = await held(store, scope)
        first, second = insight("我对花生过敏"), insight("I live in Turin.", outcome="review")
        await advance(store, job, Step({"after": 1}, 0.6, {"read": 2, "created": 1}, {"blank": 1}, (first,)))
        await advance(store, job, Step({"after": "二"}, 0.4, {"read": 3}, {"blank": 2, "chatter": 1}, (second,)))
        now = await read(store, scope, job.reflection_id)
        assert (now.state, now.progress) == (ReflectionState.RUNNING, 0.6)  # it never goes back
        assert (now.counts, now.skipped) == ({"read": 5, "created": 1}, {"blank": 3, "chatter": 1})
        assert now.insights == (first, second)
        async with store.view([scope]) as view:
            assert await view.position(scope, job.reflection_id) == {"after": "二"}

    async def test_a_step_is_stored_whole_or_not_at_all(self, store: Backend, scope: Scope) -> None:
        job = await held(store, scope)
        kept = draft(scope, "用户住在都灵")
        source = (new_id(), 1)
        step = Step({"after": 1}, 0.5, {"read": 1}, {}, (insight("x"),), (source,), FACTS, 100, 1)
        with pytest.raises(Crash):
            await self._crash_behind(store, job, kept, step)
        now = await read(store, scope, job.reflection_id)
        assert (now.counts, now.insights) == ({}, ())
        async with store.view([scope]) as view:
            assert await view.position(scope, job.reflection_id) == {}
            assert await view.looked_at(scope, [source], FACTS) == {}
            assert await view.get(scope, [kept.memory.memory_id]) == {}
        assert await store.reflection_jobs().tokens(scope.tenant_id, LONG) == 0

    async def _crash_behind(self, store: Backend, job: ReflectionJob, kept: NewMemory, step: Step) -> None:
        async with store.unit(job.scope) as unit:
            await unit.insert(job.scope, [kept], actor="ann")
            await unit.advance(job.scope, job, step)
            raise Crash

    async def test_it_ends_once(self, store: Backend, scope: Scope) -> None:
        job = await held(store, scope)
        await end(store, job, ReflectionState.FAILED, "the model answered with HTTP 500")
        done = await read(store, scope, job.reflection_id)
        assert (done.state, done.error) == (ReflectionState.FAILED, "the model answered with HTTP 500")
        assert done.start_time is not None
        assert done.end_time is not None
        with pytest.raises(LeaseLost):
            await end(store, job)
        with pytest.raises(LeaseLost):
            await advance(store, job)
        assert not await cancel(store, scope, job.reflection_id)
        assert await read(store, scope, job.reflection_id) == done

    async def test_one_that_succeeded_is_done_to_the_end(self, store: Backend, scope: Scope) -> None:
        job = await held(store, scope)
        await end(store, job)
        done = await read(store, scope, job.reflection_id)
        assert (done.state, done.progress, done.error) == (ReflectionState.SUCCEEDED, 1.0, "")

    async def test_one_that_is_cancelled_takes_nothing_more(self, store: Backend, scope: Scope) -> None:
        job = await held(store, scope)
        assert await cancel(store, scope, job.reflection_id)
        with pytest.raises(LeaseLost):
            await advance(store, job, Step({}, 0.9, {"created": 1}, {}, (insight("x"),)))
        with pytest.raises(LeaseLost):
            await end(store, job)
        done = await read(store, scope, job.reflection_id)
        assert (done.state, done.counts, done.insights) == (ReflectionState.CANCELLED, {}, ())
        assert done.end_time is not None
        assert not await cancel(store, scope, job.reflection_id)
        assert not await cancel(store, scope, new_id())

    async def test_what_was_looked_at_is_known_by_target_and_revision(self, store: Backend, scope: Scope) -> None:
        job = await held(store, scope)
        one, two = new_id(), new_id()
        await advance(store, job, looked_at=((one, 3), (two, 1)), targets=FACTS)
        await advance(store, job, looked_at=((two, 1),), targets=(ReflectionTarget.PREFERENCES,))
        async with store.view([scope]) as view:
            known = await view.looked_at(scope, [(one, 3), (two, 1)], BOTH)
            assert known == {one: frozenset(FACTS), two: frozenset(BOTH)}
            assert await view.looked_at(scope, [(one, 4), (two, 1)], FACTS) == {two: frozenset(FACTS)}
            assert set(await view.looked_at(scope, [(one, 2)], FACTS)) == {one}
        async with store.unit(scope) as unit:
            await unit.free_sources(scope, [two])
            assert set(await unit.looked_at(scope, [(one, 3), (two, 1)], BOTH)) == {one}

    async def test_new_memories_are_those_that_nobody_looked_at(self, store: Backend, scope: Scope) -> None:
        job = await held(store, scope)
        seen, half, other, gone = await write_texts(store, scope, "看过", "half", "没看过", "忘了")
        await write(store, scope, draft(scope, "derived 推断", source_ids=(seen,)))
        (private,) = await write_texts(store, scope, "私人", visibility=Visibility.PRIVATE)
        async with store.unit(scope) as unit:
            await unit.set_state(scope, [gone], State.FORGOTTEN, actor="ann", action="forget", reason="")
        await advance(store, job, looked_at=((seen, 1), (half, 1)), targets=FACTS)
        await advance(store, job, looked_at=((seen, 1),), targets=(ReflectionTarget.PREFERENCES,))

        async def new(where: Scope, targets: tuple[ReflectionTarget, ...], before: object = None) -> list[object]:
            async with store.view([where]) as view:
                page = await view.new_memories(where, targets, before=before, limit=2)  # type: ignore[arg-type]
            if not page:
                return []
            last = page[-1]
            rest = await new(where, targets, (last.create_time, last.memory_id))
            return [*(each.memory_id for each in page), *rest]

        assert await new(scope, BOTH) == [private, other, half]
        assert await new(as_agent(scope, "bob"), BOTH) == [other, half]
        assert await new(scope, FACTS) == [private, other]

    async def test_one_that_was_changed_since_is_new_again(self, store: Backend, scope: Scope) -> None:
        job = await held(store, scope)
        new = draft(scope, "I live in Turin.")
        (memory,) = await write(store, scope, new)
        await advance(store, job, looked_at=((memory.memory_id, 1),), targets=FACTS)
        async with store.unit(scope) as unit:
            assert await unit.new_memories(scope, FACTS, before=None, limit=9) == ()
            next_ = replace(new, memory=replace(memory, confidence=0.7, revision=2))
            await unit.replace(scope, next_, expected_revision=1, action="update", actor="ann", reason="")
            (found,) = await unit.new_memories(scope, FACTS, before=None, limit=9)
        assert found.revision == 2

    async def test_sessions_are_found_by_when_something_was_said(self, store: Backend, scope: Scope) -> None:
        job = await held(store, scope)
        early = await said(store, scope, "a", turn(scope, "早上好"), user_id="u1")
        late = await said(store, scope, "b", turn(scope, "later", DAY), turn(scope, "again", 2 * DAY))

        async def found(start: timedelta | None, stop: timedelta | None, after: str = "", *unless: ReflectionTarget):  # type: ignore[no-untyped-def]
            span = TimeSpan(*(None if each is None else START + each for each in (start, stop)))
            async with store.view([scope]) as view:
                return await view.sessions_between(scope, span, after=after, unless=unless, limit=9)

        assert await found(None, None) == (("a", "u1"), ("b", ""))
        assert await found(None, None, "a") == (("b", ""),)
        assert await found(DAY, None) == (("b", ""),)
        assert await found(None, DAY) == (("a", "u1"),)  # the end is not within
        await advance(store, job, looked_at=((early[0], 1), (late[0], 1)), targets=FACTS)
        assert await found(None, None, "", *FACTS) == (("b", ""),)
        assert await found(None, None, "", *BOTH) == (("a", "u1"), ("b", ""))

    async def test_lineage_goes_both_ways(self, store: Backend, scope: Scope) -> None:
        bob = as_agent(scope, "bob")
        one, two = await write_texts(store, scope, "我喝茶", "I drink tea")
        (spoken,) = await said(store, scope, "s", turn(scope, "我喝茶"))
        (tea,) = await write(store, scope, draft(scope, "drinks tea 喝茶", source_ids=(one, two, spoken)))
        hidden = draft(bob, "bob's own 私人", source_ids=(one,), visibility=Visibility.PRIVATE)
        await write(store, bob, hidden)
        async with store.unit(scope) as unit:
            await unit.set_state(scope, [tea.memory_id], State.FORGOTTEN, actor="ann", action="forget", reason="")
            assert [each.source_ids for each in await unit.derived(scope, [two])] == [(one, two, spoken)]
            assert [each.memory_id for each in await unit.derived(scope, [spoken])] == [tea.memory_id]
            assert [each.memory_id for each in await unit.derived(scope, [one, two])] == [tea.memory_id]
            async with unit.every_agent(scope):
                reached = {each.memory_id for each in await unit.derived(scope, [one])}
            assert reached == {tea.memory_id, hidden.memory.memory_id}
            assert len(await unit.derived(scope, [one])) == 1
            assert await unit.derived(scope, [tea.memory_id]) == ()

    async def test_agents_with_private_memories_are_known_to_the_server_alone(
        self, store: Backend, scope: Scope
    ) -> None:
        for agent, visibility in (("ann", Visibility.SHARED), ("bob", Visibility.PRIVATE), ("安", Visibility.PRIVATE)):
            await write_texts(store, as_agent(scope, agent), f"of {agent}", visibility=visibility)
        async with store.view([as_agent(scope, EVERY_AGENT)]) as view:
            assert await view.private_agents(as_agent(scope, EVERY_AGENT)) == ("bob", "安")
        async with store.view([scope]) as view:
            assert await view.private_agents(scope) == ()

    async def test_an_insight_is_told_as_its_memory_is_now(self, store: Backend, scope: Scope) -> None:
        job = await held(store, scope)
        new = draft(scope, "I live in Turin.", counterfactual="没有搬家的话")
        (memory,) = await write(store, scope, new)
        kept = insight("I live in Turin.", memory_id=memory.memory_id, counterfactual="没有搬家的话")
        await advance(store, job, Step({}, 0.5, insights=(kept,)))
        edited = replace(new, memory=replace(memory, content="我住在热那亚", revision=2))
        async with store.unit(scope) as unit:
            await unit.replace(scope, edited, expected_revision=1, action="update", actor="ann", reason="")
        (told,) = (await read(store, scope, job.reflection_id)).insights
        assert (told.content, told.counterfactual) == ("我住在热那亚", "没有搬家的话")

    async def test_of_what_is_erased_no_record_tells(self, store: Backend, scope: Scope) -> None:
        job, source = await held(store, scope), new_id()
        (erased,) = await write_texts(store, scope, "忘了我")
        told = insight("what a dry run said 预演", source_ids=(source,))
        other = insight("another 另一个")
        await advance(store, job, Step({}, 0.5, insights=(insight(memory_id=erased), told, other)))
        async with store.unit(scope) as unit:
            await unit.drop_insights(scope, [erased, source])
        assert (await read(store, scope, job.reflection_id)).insights == (other,)

    async def test_an_insight_is_as_private_as_its_memory(self, store: Backend, scope: Scope) -> None:
        job = await held(store, scope)
        mine, shared = insight("我的", visibility=Visibility.PRIVATE), insight("ours")
        await advance(store, job, Step({}, 0.5, insights=(mine, shared)))
        assert (await read(store, scope, job.reflection_id)).insights == (mine, shared)
        assert (await read(store, as_agent(scope, "bob"), job.reflection_id)).insights == (shared,)

    async def test_nothing_of_it_is_there_for_another_namespace_or_tenant(self, store: Backend, scope: Scope) -> None:
        job = await held(store, scope)
        (source,) = await write_texts(store, scope, "我喝茶")
        await write(store, scope, draft(scope, "drinks tea", source_ids=(source,)))
        await said(store, scope, "s", turn(scope, "hello 你好"))
        await advance(store, job, Step({"after": 1}, 0.5, {}, {}, (insight("x"),), ((source, 1),), FACTS))
        before: Reflection = await read(store, scope, job.reflection_id)
        for other in (await make_scope(store, "space-2"), await make_scope(store, tenant="other")):
            assert await find(store, other, job.reflection_id) is None
            assert not await cancel(store, other, job.reflection_id)
            stolen = replace(job, scope=other)
            with pytest.raises(LeaseLost):
                await advance(store, stolen, Step({}, 0.9, {"read": 9}))
            with pytest.raises(LeaseLost):
                await end(store, stolen)
            async with store.unit(other) as unit:
                assert await unit.position(other, job.reflection_id) == {}
                assert await unit.looked_at(other, [(source, 1)], FACTS) == {}
                assert await unit.new_memories(other, FACTS, before=None, limit=9) == ()
                assert await unit.sessions_between(other, TimeSpan(), after="", unless=(), limit=9) == ()
                assert await unit.derived(other, [source]) == ()
                await unit.free_sources(other, [source])
                await unit.drop_insights(other, [source])
            # the id is free elsewhere and does not touch this one
            await queue(store, other, reflection_id=job.reflection_id)
        assert await read(store, scope, job.reflection_id) == before
        async with store.view([scope]) as view:
            assert set(await view.looked_at(scope, [(source, 1)], FACTS)) == {source}
