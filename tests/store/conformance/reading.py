"""Reading back: pages, the past, and what does not exist for this reader."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from tests.store.things import EVERYTHING, START, Backend, as_agent, draft, listed, make_scope, read, write, write_texts

from recalld_server.model import Filter, Scope, State, Visibility, new_id, utc_now
from recalld_server.store.base import CandidateQuery


class Reading:
    async def test_pages_hold_everything_once_newest_first(self, store: Backend, scope: Scope) -> None:
        moment = datetime(2025, 5, 5, tzinfo=UTC)
        news = [draft(scope, f"页 {n}", create_time=moment + timedelta(seconds=n // 4)) for n in range(23)]
        await write(store, scope, *news)
        order = sorted(news, key=lambda new: (new.memory.create_time, new.memory.memory_id), reverse=True)
        found: list[UUID] = []
        before = None
        while True:
            async with store.view([scope]) as view:
                page = await view.list(scope, Filter(), limit=5, before=before)
            if not page:
                break
            found += [memory.memory_id for memory in page]
            before = (page[-1].create_time, page[-1].memory_id)
        assert found == [new.memory.memory_id for new in order]

    async def test_get_reads_any_state_and_skips_the_unknown(self, store: Backend, scope: Scope) -> None:
        one, two = await write_texts(store, scope, "一 one", "二 two")
        async with store.unit(scope) as unit:
            await unit.set_state(scope, [two], State.FORGOTTEN, actor="a", action="forget", reason="")
        async with store.view([scope]) as view:
            found = await view.get(scope, [one, two, new_id()])
            assert await view.get(scope, []) == {}
        assert {key: memory.state for key, memory in found.items()} == {one: State.ACTIVE, two: State.FORGOTTEN}

    async def test_what_has_expired_is_not_live_at_once(self, store: Backend, scope: Scope) -> None:
        past, future = utc_now() - timedelta(milliseconds=1), utc_now() + timedelta(hours=1)
        (gone,) = await write_texts(store, scope, "过期 expired", expire_time=past)
        (live,) = await write_texts(store, scope, "还在 alive", expire_time=future)
        assert await listed(store, scope) == [live]
        assert await listed(store, scope, Filter(states=(State.EXPIRED,))) == [gone]
        assert set(await listed(store, scope, EVERYTHING)) == {gone, live}
        assert (await read(store, scope, gone)).state is State.EXPIRED  # type: ignore[union-attr]
        async with store.view([scope]) as view:
            found = await view.candidates([scope], CandidateQuery(Filter(), draft(scope, "过期 expired").vector, {}))
            assert [each.memory_id for each in found.found] == [live]
            assert await view.count(scope, Filter()) == 1

    async def test_the_past_is_as_it_was(self, store: Backend, scope: Scope) -> None:
        old, new = await write_texts(store, scope, "在杭州 Hangzhou", "在上海 Shanghai")
        async with store.view([scope]) as view:
            between = (await view.revisions(scope, new, limit=1))[0].create_time
        async with store.unit(scope) as unit:
            await unit.supersede(scope, [old], new, actor="a", reason="", when=utc_now())
        async with store.view([scope]) as view:
            was = await view.get(scope, [old, new], as_of=between)
            assert (was[old].state, was[old].superseded_by, was[old].revision) == (State.ACTIVE, None, 1)
            assert (await view.get(scope, [old], as_of=utc_now()))[old].state is State.SUPERSEDED
            assert await view.get(scope, [old], as_of=START - timedelta(days=1)) == {}
            query = CandidateQuery(Filter(), draft(scope, "在杭州 Hangzhou").vector, {}, as_of=between)
            found = (await view.candidates([scope], query)).found
            assert {each.memory_id for each in found} == {old, new}
        assert set(await listed(store, scope, as_of=between)) == {old, new}
        assert await listed(store, scope) == [new]
        assert await listed(store, scope, as_of=START - timedelta(days=1)) == []

    async def test_the_forgotten_is_not_found_in_the_past_either(self, store: Backend, scope: Scope) -> None:
        (memory_id,) = await write_texts(store, scope, "忘掉 forgotten")
        moment = utc_now()
        assert await listed(store, scope, as_of=moment) == [memory_id]
        async with store.unit(scope) as unit:
            await unit.set_state(scope, [memory_id], State.FORGOTTEN, actor="a", action="forget", reason="")
        assert await listed(store, scope, as_of=moment) == []

    async def test_revisions_come_in_pages(self, store: Backend, scope: Scope) -> None:
        (memory_id,) = await write_texts(store, scope, "历史 history")
        for number in range(4):
            state = State.ARCHIVED if number % 2 == 0 else State.ACTIVE
            async with store.unit(scope) as unit:
                await unit.set_state(scope, [memory_id], state, actor="a", action=f"step {number}", reason="")
        async with store.view([scope]) as view:
            first = await view.revisions(scope, memory_id, limit=3)
            second = await view.revisions(scope, memory_id, limit=3, before=first[-1].memory.revision)
        assert [r.memory.revision for r in first + second] == [5, 4, 3, 2, 1]
        assert [r.action for r in second] == ["step 0", "write"]
        times = [r.create_time for r in first + second]
        assert times == sorted(times, reverse=True)

    async def test_the_turn_before(self, store: Backend, scope: Scope) -> None:
        turns = [
            draft(scope, f"话 {n}", session_id="s", event_time=START + timedelta(minutes=minute))
            for n, minute in enumerate((0, 10, 10, 20))
        ]
        await write(
            store, scope, *turns, draft(scope, "other", session_id="t", event_time=START + timedelta(minutes=15))
        )
        latest = max(turns[1:3], key=lambda new: new.memory.memory_id).memory
        async with store.view([scope]) as view:
            assert await view.previous_turn(scope, "s", START + timedelta(minutes=15)) == latest
            assert await view.previous_turn(scope, "s", START + timedelta(minutes=20)) == turns[3].memory
            assert await view.previous_turn(scope, "s", START - timedelta(seconds=1)) is None
            assert await view.previous_turn(scope, "", START + timedelta(days=1)) is None

    async def test_average_length(self, store: Backend, scope: Scope) -> None:
        async with store.view([scope]) as view:
            assert await view.average_length(scope) == 20
        news = [draft(scope, "one two three"), draft(scope, "four five six seven eight")]
        await write(store, scope, *news)
        async with store.view([scope]) as view:
            assert await view.average_length(scope) == pytest.approx(sum(n.lexical.length for n in news) / 2)

    async def test_a_view_is_of_one_moment(self, store: Backend, scope: Scope) -> None:
        async with store.view([scope]) as view:
            assert await view.count(scope, Filter()) == 0
            await write_texts(store, scope, "后来 later")
            assert await view.count(scope, Filter()) == 0
        assert len(await listed(store, scope)) == 1

    async def test_other_scopes_do_not_exist(self, store: Backend, scope: Scope) -> None:
        (shared,) = await write_texts(store, scope, "共享 shared")
        (private,) = await write_texts(store, scope, "私有 private", visibility=Visibility.PRIVATE)
        bob = as_agent(scope, "bob")
        other = await make_scope(store, "other")
        foreign = await make_scope(store, tenant="foreign")
        ids = [shared, private]
        for reader, visible in ((scope, set(ids)), (bob, {shared}), (other, set()), (foreign, set())):
            async with store.view([reader]) as view:
                assert set(await view.get(reader, ids)) == visible
                assert set(await view.get(reader, ids, as_of=utc_now())) == visible
                assert {m.memory_id for m in await view.list(reader, EVERYTHING, limit=10)} == visible
                assert {m.memory_id for m in await view.list(reader, EVERYTHING, limit=10, as_of=utc_now())} == visible
                assert await view.count(reader, EVERYTHING) == len(visible)
                assert {c.memory_id for c in await view.changes(reader, after=0, limit=10)} == visible
                query = CandidateQuery(EVERYTHING, draft(scope, "私有 private").vector, {}, (str(private),))
                found = await view.candidates([reader], query)
                assert {each.memory_id for each in found.found} == visible
                assert bool(await view.revisions(reader, private, limit=5)) == (private in visible)
                stats = await view.stats([reader], since=START, until=utc_now())
                assert stats.total == len(visible)

    async def test_a_scope_that_was_not_opened_is_refused(self, store: Backend, scope: Scope) -> None:
        other = await make_scope(store, "other")
        async with store.view([scope]) as view:
            with pytest.raises(ValueError, match="not opened"):
                await view.list(other, Filter(), limit=1)
        with pytest.raises(ValueError, match="one agent"):
            async with store.view([scope, as_agent(other, "bob")]):
                raise AssertionError("opened")

    async def test_figures_by_day(self, store: Backend, scope: Scope) -> None:
        day = datetime(2025, 4, 1, tzinfo=UTC)
        times = (day, day + timedelta(hours=23, minutes=59), day + timedelta(days=2))
        await write(store, scope, *(draft(scope, f"天 {n}", create_time=t) for n, t in enumerate(times)))
        async with store.view([scope]) as view:
            stats = await view.stats([scope], since=day, until=day + timedelta(days=2))
            wider = await view.stats([scope], since=day, until=day + timedelta(days=3))
        assert [(each.day, each.created) for each in stats.days] == [(day, 2)]
        assert [each.created for each in wider.days] == [2, 1]
        assert stats.namespaces == 1
        assert stats.embedding_model == "test-model"
