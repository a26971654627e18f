"""Changing what is stored: nothing is overwritten, and counters, revisions and events go along."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.store.things import Backend, as_agent, draft, listed, read, vector, write, write_texts

from recalld_server.errors import EtagMismatch, MemoryExists, MemoryNotFound, RecalldError
from recalld_server.model import ChangeType, Filter, Request, Scope, State, Visibility, new_id, utc_now
from recalld_server.store.base import CandidateQuery, NewMemory

LATER = datetime(2030, 1, 1, tzinfo=UTC)


def next_of(new: NewMemory, **fields: object) -> NewMemory:
    memory = replace(new.memory, revision=new.memory.revision + 1, update_time=utc_now(), **fields)  # type: ignore[arg-type]
    return replace(new, memory=memory)


class Changing:
    async def test_touch_counts_uses_and_is_no_revision(self, store: Backend, scope: Scope) -> None:
        (memory_id,) = await write_texts(store, scope, "常用 often used")
        for _ in range(3):
            async with store.unit(scope) as unit:
                await unit.touch(scope, [memory_id, new_id()])
        memory = await read(store, scope, memory_id)
        assert memory is not None
        assert (memory.use_count, memory.revision) == (3, 1)
        assert memory.last_use_time is not None
        async with store.view([scope]) as view:
            assert len(await view.changes(scope, after=0, limit=10)) == 1
            assert len(await view.revisions(scope, memory_id, limit=10)) == 1

    async def test_touches_in_any_order_do_not_block_each_other(self, store: Backend, scope: Scope) -> None:
        ids = await write_texts(store, scope, *(f"记忆 {n}" for n in range(6)))

        async def touch(order: list[object]) -> None:
            async with store.unit(scope) as unit:
                for each in order:
                    await unit.touch(scope, [each])  # type: ignore[list-item]

        await asyncio.wait_for(asyncio.gather(*(touch(list(o)) for o in (ids, ids[::-1]) * 4)), 30)
        assert {(await read(store, scope, each)).use_count for each in ids} == {8}  # type: ignore[union-attr]

    async def test_superseding_ends_the_old_and_keeps_both(self, store: Backend, scope: Scope) -> None:
        old, new = await write_texts(store, scope, "我住在杭州 in Hangzhou", "我住在上海 in Shanghai")
        async with store.unit(scope) as unit:
            assert await unit.supersede(scope, [old, new_id()], new, actor="ann", reason="moved", when=LATER) == (old,)
            assert await unit.supersede(scope, [old], new, actor="ann", reason="again", when=LATER) == ()
        was, now = await read(store, scope, old), await read(store, scope, new)
        assert was is not None
        assert now is not None
        assert (was.state, was.superseded_by, was.valid_until, was.revision) == (State.SUPERSEDED, new, LATER, 2)
        assert (now.state, now.supersedes, now.revision) == (State.ACTIVE, (old,), 1)
        assert await listed(store, scope) == [new]
        async with store.view([scope]) as view:
            revisions = await view.revisions(scope, old, limit=10)
            changes = await view.changes(scope, after=2, limit=10)
            latest = (await view.revisions(scope, new, limit=10))[0]
        assert [(r.action, r.reason, r.actor, r.memory.revision) for r in revisions] == [
            ("supersede", "moved", "ann", 2),
            ("write", "", "ann", 1),
        ]
        assert revisions[0].memory == was
        assert [(c.type, c.memory_id, c.sequence) for c in changes] == [(ChangeType.SUPERSEDED, old, 3)]
        assert latest.memory.supersedes == (old,)

    async def test_a_conflict_links_both_and_opens_a_review(self, store: Backend, scope: Scope) -> None:
        one, two, three = await write_texts(store, scope, "the sky is green", "天是蓝的", "天是红的")
        async with store.unit(scope) as unit:
            first = await unit.link_conflict(scope, one, [two, three, one], expire_time=LATER)
            second = await unit.link_conflict(scope, two, [one], expire_time=LATER)
        assert first != second
        memories = [await read(store, scope, each) for each in (one, two, three)]
        assert [set(m.conflicts_with) for m in memories if m] == [{two, three}, {one}, {one}]
        assert {m.revision for m in memories if m} == {1}
        async with store.view([scope]) as view:
            stats = await view.stats([scope], since=utc_now() - timedelta(days=1), until=LATER)
            assert set((await view.revisions(scope, one, limit=1))[0].memory.conflicts_with) == {two, three}
        assert (stats.conflicts_open, stats.reviews_waiting) == (2, 2)

    async def test_replacing_stores_the_next_revision(self, store: Backend, scope: Scope) -> None:
        new = draft(scope, "first text", tags=("a",), metadata={"k": 1})
        memory_id = new.memory.memory_id
        await write(store, scope, new)
        changed = next_of(draft(scope, "第二 second text", memory_id=memory_id, create_time=new.memory.create_time))
        async with store.unit(scope) as unit:
            result = await unit.replace(
                scope, changed, expected_revision=1, action="update", actor="bob", reason="because"
            )
        assert result.revision == 2
        assert (result.content, result.tags, result.metadata) == ("第二 second text", (), {})
        assert await read(store, scope, memory_id) == result
        async with store.view([scope]) as view:
            revisions = await view.revisions(scope, memory_id, limit=10)
            found = await view.candidates([scope], CandidateQuery(Filter(), changed.vector, {}))
        assert [(r.action, r.actor, r.reason, r.memory.content) for r in revisions] == [
            ("update", "bob", "because", "第二 second text"),
            ("write", "ann", "", "first text"),
        ]
        assert found.found[0].cosine == pytest.approx(1.0, abs=1e-3)
        # the old text is free again
        assert len(await write_texts(store, scope, "first text")) == 1
        assert len(await listed(store, scope)) == 2

    async def test_replacing_without_a_vector_keeps_the_one_it_has(self, store: Backend, scope: Scope) -> None:
        new = draft(scope, "标签 tagged")
        await write(store, scope, new)
        changed = replace(next_of(new, tags=("x",)), vector=None)
        async with store.unit(scope) as unit:
            await unit.replace(scope, changed, expected_revision=1, action="update", actor="a", reason="")
        async with store.view([scope]) as view:
            found = await view.candidates([scope], CandidateQuery(Filter(all_tags=("x",)), new.vector, {}))
        assert [each.cosine for each in found.found] == [pytest.approx(1.0, abs=1e-3)]

    async def test_replacing_is_refused_with_the_reason(self, store: Backend, scope: Scope) -> None:
        new, other = draft(scope, "mine 我的"), draft(scope, "other 别的")
        await write(store, scope, new, other)

        async def replaced(form: NewMemory, revision: int) -> None:
            async with store.unit(scope) as unit:
                await unit.replace(scope, form, expected_revision=revision, action="update", actor="a", reason="")

        with pytest.raises(EtagMismatch) as mismatch:
            await replaced(next_of(new), 7)
        assert mismatch.value.metadata == {"current_revision": "1", "current_etag": new.memory.etag}
        with pytest.raises(MemoryNotFound):
            await replaced(next_of(draft(scope, "nobody's 无主")), 1)
        with pytest.raises(MemoryExists):
            await replaced(next_of(draft(scope, "other 别的", memory_id=new.memory.memory_id)), 1)
        assert await read(store, scope, new.memory.memory_id) == new.memory

    async def test_one_of_two_replacements_at_once_wins(self, store: Backend, scope: Scope) -> None:
        new = draft(scope, "起点 start")
        await write(store, scope, new)

        async def replaced(text: str) -> str:
            form = next_of(draft(scope, text, memory_id=new.memory.memory_id))
            async with store.unit(scope) as unit:
                await unit.replace(scope, form, expected_revision=1, action="update", actor="a", reason="")
            return text

        results = await asyncio.gather(*(replaced(f"text {n}") for n in range(5)), return_exceptions=True)
        won = [each for each in results if isinstance(each, str)]
        assert len(won) == 1
        assert sum(isinstance(each, EtagMismatch) for each in results) == 4
        assert (await read(store, scope, new.memory.memory_id)).content == won[0]  # type: ignore[union-attr]

    async def test_states_move_with_revision_and_event(self, store: Backend, scope: Scope) -> None:
        ids = await write_texts(store, scope, "甲 one", "乙 two")
        async with store.unit(scope) as unit:
            moved = await unit.set_state(
                scope, [*ids, new_id()], State.ARCHIVED, actor="x", action="archive", reason="old"
            )
            assert set(moved) == set(ids)
            assert await unit.set_state(scope, ids, State.ARCHIVED, actor="x", action="archive", reason="") == ()
        assert await listed(store, scope) == []
        assert set(await listed(store, scope, Filter(states=(State.ARCHIVED,)))) == set(ids)
        async with store.unit(scope) as unit:
            assert await unit.set_state(scope, ids[:1], State.ACTIVE, actor="x", action="restore", reason="") == (
                ids[0],
            )
        async with store.view([scope]) as view:
            stats = await view.stats([scope], since=utc_now(), until=LATER)
            changes = await view.changes(scope, after=2, limit=10)
            revisions = await view.revisions(scope, ids[0], limit=10)
        assert stats.total == 1
        assert {(c.state, c.count) for c in stats.counts} == {(State.ACTIVE, 1), (State.ARCHIVED, 1)}
        assert [c.type for c in changes] == [ChangeType.FORGOTTEN, ChangeType.FORGOTTEN, ChangeType.UPDATED]
        assert [r.action for r in revisions] == ["restore", "archive", "write"]

    async def test_reviving_a_text_that_lives_elsewhere_is_refused(self, store: Backend, scope: Scope) -> None:
        (old,) = await write_texts(store, scope, "重复 twice")
        async with store.unit(scope) as unit:
            await unit.set_state(scope, [old], State.FORGOTTEN, actor="x", action="forget", reason="")
        (new,) = await write_texts(store, scope, "重复 twice")
        with pytest.raises(MemoryExists):
            async with store.unit(scope) as unit:
                await unit.set_state(scope, [old], State.ACTIVE, actor="x", action="restore", reason="")
        assert await listed(store, scope) == [new]

    async def test_private_memories_of_others_cannot_be_changed(self, store: Backend, scope: Scope) -> None:
        (mine,) = await write_texts(store, scope, "秘密 secret", visibility=Visibility.PRIVATE)
        bob = as_agent(scope, "bob")
        async with store.unit(bob) as unit:
            assert await unit.set_state(bob, [mine], State.FORGOTTEN, actor="bob", action="forget", reason="") == ()
            assert await unit.supersede(bob, [mine], new_id(), actor="bob", reason="", when=LATER) == ()
            assert (await unit.erase(bob, [mine], actor="bob"))["memories"] == 0
            await unit.touch(bob, [mine])
            assert await unit.changed_since(bob, 0) == ()
        form = next_of(draft(bob, "taken over", memory_id=mine))
        with pytest.raises(MemoryNotFound):
            async with store.unit(bob) as unit:
                await unit.replace(bob, form, expected_revision=1, action="update", actor="bob", reason="")
        memory = await read(store, scope, mine)
        assert memory is not None
        assert (memory.content, memory.use_count, memory.revision) == ("秘密 secret", 0, 1)

    async def test_erasing_leaves_only_events_without_text(self, store: Backend, scope: Scope) -> None:
        request = Request("Write", "r-1", b"f")
        new, other = draft(scope, "抹掉我 erase me"), draft(scope, "derived 推导")
        async with store.unit(scope, request) as unit:
            await unit.insert(scope, [new], actor="ann")
            await unit.remember_answer({"answer": "x"})
        memory_id = new.memory.memory_id
        other = replace(other, memory=replace(other.memory, source_ids=(memory_id,)))
        await write(store, scope, other)
        async with store.unit(scope) as unit:
            await unit.link_conflict(scope, other.memory.memory_id, [memory_id], expire_time=LATER)
        async with store.unit(scope) as unit:
            receipt = await unit.erase(scope, [memory_id, new_id()], actor="ann")
        assert {name: receipt[name] for name in ("memories", "revisions", "vectors", "requests")} == {
            "memories": 1,
            "revisions": 1,
            "vectors": 1,
            "requests": 1,
        }
        assert await store.known_answer(scope, request) is None
        left = await read(store, scope, other.memory.memory_id)
        assert left is not None
        assert (left.conflicts_with, left.source_ids) == ((), ())
        async with store.view([scope]) as view:
            assert await view.revisions(scope, memory_id, limit=10) == ()
            changes = await view.changes(scope, after=0, limit=10)
            stats = await view.stats([scope], since=utc_now(), until=LATER)
        assert [(c.type, c.memory) for c in changes if c.memory_id == memory_id] == [
            (ChangeType.CREATED, None),
            (ChangeType.FORGOTTEN, None),
        ]
        assert (stats.total, stats.content_bytes) == (1, len("derived 推导".encode()))

    async def test_figures_agree_with_the_list_whatever_happened(self, store: Backend, scope: Scope) -> None:
        bob = as_agent(scope, "bob")
        ids = await write_texts(store, scope, *(f"事实 {n}" for n in range(6)), confidence=0.5)
        await write_texts(store, bob, "bob's own", visibility=Visibility.PRIVATE)
        await write_texts(store, scope, "past 过期", expire_time=utc_now() - timedelta(seconds=1))
        async with store.unit(scope) as unit:
            await unit.supersede(scope, ids[:1], ids[1], actor="a", reason="", when=LATER)
            await unit.set_state(scope, ids[2:3], State.FORGOTTEN, actor="a", action="forget", reason="")
            await unit.erase(scope, ids[3:4], actor="a")
            form = next_of(draft(scope, "改 changed", memory_id=ids[4], confidence=1.0, embedding=vector("c")))
            await unit.replace(scope, form, expected_revision=1, action="update", actor="a", reason="")
        for agent, total in ((scope, 3), (bob, 4)):
            async with store.view([agent]) as view:
                stats = await view.stats([agent], since=utc_now() - timedelta(days=1), until=LATER)
                live = await view.list(agent, Filter(), limit=100)
                assert stats.total == len(live) == total == await view.count(agent, Filter())
                assert stats.mean_confidence == pytest.approx(sum(m.confidence for m in live) / total)
                for state in State:
                    counted = sum(each.count for each in stats.counts if each.state == state)
                    assert counted == await view.count(agent, Filter(states=(state,))), state

    async def test_errors_name_no_text(self, store: Backend, scope: Scope) -> None:
        first = draft(scope, "不可说 unspeakable")
        await write(store, scope, first)
        with pytest.raises(RecalldError) as caught:
            await write(store, scope, draft(scope, "hidden 隐藏", memory_id=first.memory.memory_id))
        assert "hidden" not in str(caught.value)
        assert "unspeakable" not in str(caught.value)
