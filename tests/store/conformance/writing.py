"""Storing new memories: one row for one text, whatever happens at the same time."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from tests.store.things import Backend, as_agent, draft, listed, make_scope, read, write, write_texts

from recalld_server.errors import MemoryExists
from recalld_server.model import (
    ChangeType,
    IndexState,
    Kind,
    Scope,
    State,
    ToolCall,
    ToolStatus,
    Visibility,
    new_id,
    utc_now,
)


class Writing:
    async def test_every_field_comes_back(self, store: Backend, scope: Scope) -> None:
        moment = datetime(2024, 2, 29, 23, 59, 59, 999999, tzinfo=UTC)
        new = draft(
            scope,
            "Alice 喜欢喝绿茶 🍵\n```python\nx = 1\n``` and a lone ``` fence",
            kind=Kind.EPISODIC,
            visibility=Visibility.PRIVATE,
            user_id="alice@example.com",
            session_id="s-1",
            speaker="王芳",
            tags=("tea", "绿茶", 'quo"te', "comma, {brace}"),
            entities=("Alice", "O'Hara"),
            tool_calls=(ToolCall("search", ToolStatus.TIMEOUT, '{"q": 1}', "timed out"), ToolCall("x")),
            importance=0.7,
            confidence=0.1,
            metadata={"big": 9007199254740993, "neg": -9223372036854775808, "f": 0.1, "n": 1, "t": True, "z": None},
            counterfactual="否则会失眠",
            source_ids=(new_id(), new_id()),
            event_time=moment,
            expire_time=datetime(2199, 1, 1, tzinfo=UTC),
            valid_from=moment,
            valid_until=moment + timedelta(days=1),
        )
        stored = await write(store, scope, new)
        assert stored == (new.memory,)
        assert await read(store, scope, new.memory.memory_id) == new.memory
        metadata = (await read(store, scope, new.memory.memory_id)).metadata  # type: ignore[union-attr]
        assert {key: type(value) for key, value in metadata.items()} == {
            key: type(value) for key, value in new.memory.metadata.items()
        }

    @pytest.mark.parametrize(
        "moment",
        [
            datetime(1, 1, 1, tzinfo=UTC),
            datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
            datetime(1969, 12, 31, 23, 59, 59, 500000, tzinfo=UTC),
            datetime(1931, 6, 7, 0, 0, 0, 250000, tzinfo=UTC),
        ],
    )
    async def test_times_come_back_to_the_microsecond(self, store: Backend, scope: Scope, moment: datetime) -> None:
        new = draft(scope, "爷爷出生了 grandfather was born", event_time=moment)
        await write(store, scope, new)
        assert (await read(store, scope, new.memory.memory_id)).event_time == moment  # type: ignore[union-attr]

    async def test_the_same_text_is_stored_once(self, store: Backend, scope: Scope) -> None:
        first, again, other = draft(scope, "我住在上海"), draft(scope, "我住在上海"), draft(scope, "I live in Shanghai")
        assert await write(store, scope, first, again, other) == (first.memory, first.memory, other.memory)
        third = draft(as_agent(scope, "bob"), "我住在上海")
        assert await write(store, as_agent(scope, "bob"), third) == (first.memory,)
        assert len(await listed(store, scope)) == 2

    async def test_group_user_and_audience_keep_texts_apart(self, store: Backend, scope: Scope) -> None:
        bob = as_agent(scope, "bob")
        mine = [
            draft(scope, "likes tea"),
            draft(scope, "likes tea", kind=Kind.EPISODIC),
            draft(scope, "likes tea", user_id="u1"),
            draft(scope, "likes tea", visibility=Visibility.PRIVATE),
        ]
        assert await write(store, scope, *mine) == tuple(new.memory for new in mine)
        his = draft(bob, "likes tea", visibility=Visibility.PRIVATE)
        assert await write(store, bob, his) == (his.memory,)
        # all kinds but EPISODIC are one group
        assert await write(store, scope, draft(scope, "likes tea", kind=Kind.PROCEDURAL)) == (mine[0].memory,)

    async def test_twenty_at_once_give_one_row_and_one_id(self, store: Backend, scope: Scope) -> None:
        async def one(number: int) -> UUID:
            agent = as_agent(scope, f"agent-{number}")
            return (await write(store, agent, draft(agent, "两杯咖啡 two coffees")))[0].memory_id

        ids = set(await asyncio.gather(*(one(number) for number in range(20))))
        assert len(ids) == 1
        assert await listed(store, scope) == list(ids)

    async def test_a_forgotten_text_can_be_written_again_and_again(self, store: Backend, scope: Scope) -> None:
        for _ in range(3):
            new = draft(scope, "忘记我 forget me")
            assert await write(store, scope, new) == (new.memory,)
            async with store.unit(scope) as unit:
                gone = [new.memory.memory_id]
                assert await unit.set_state(
                    scope, gone, State.FORGOTTEN, actor="ann", action="forget", reason=""
                ) == tuple(gone)
        assert await listed(store, scope) == []

    async def test_an_expired_twin_neither_blocks_nor_absorbs(self, store: Backend, scope: Scope) -> None:
        now = utc_now()
        old = draft(scope, "meeting at noon", expire_time=now - timedelta(seconds=1))
        await write(store, scope, old)
        new, twice = draft(scope, "meeting at noon"), draft(scope, "meeting at noon")
        assert await write(store, scope, new, twice) == (new.memory, new.memory)
        assert await listed(store, scope) == [new.memory.memory_id]
        async with store.view([scope]) as view:
            revisions = await view.revisions(scope, old.memory.memory_id, limit=10)
        assert [(r.action, r.actor, r.memory.state) for r in revisions] == [
            ("expire", "system", State.EXPIRED),
            ("write", "ann", State.ACTIVE),
        ]

    async def test_a_chosen_id_is_good_for_one_text(self, store: Backend, scope: Scope) -> None:
        first = draft(scope, "第一 first")
        await write(store, scope, first)
        again = draft(scope, "第一 first", memory_id=first.memory.memory_id)
        assert await write(store, scope, again) == (first.memory,)
        with pytest.raises(MemoryExists):
            await write(store, scope, draft(scope, "第二 second", memory_id=first.memory.memory_id))
        assert len(await listed(store, scope)) == 1

    async def test_an_id_is_taken_in_its_namespace_whoever_may_see_it(self, store: Backend, scope: Scope) -> None:
        other = await make_scope(store, "another")
        private = draft(scope, "秘密 secret", visibility=Visibility.PRIVATE)
        await write(store, scope, private)
        asked = [private.memory.memory_id, new_id()]
        for reader, taken in ((scope, asked[:1]), (as_agent(scope, "bob"), asked[:1]), (other, [])):
            async with store.view([reader]) as view:
                assert await view.taken(reader, asked) == frozenset(taken)

    async def test_an_error_leaves_nothing_behind(self, store: Backend, scope: Scope) -> None:
        async def write_half() -> None:
            async with store.unit(scope) as unit:
                await unit.insert(scope, [draft(scope, "半途 half way")], actor="ann")
                raise RuntimeError

        with pytest.raises(RuntimeError):
            await write_half()
        async with store.view([scope]) as view:
            sequence, _ = await view.surroundings(scope, [], near=1, floor=0)
        assert await listed(store, scope) == []
        assert sequence == 0

    async def test_sequences_are_gapless_and_in_commit_order(self, store: Backend, scope: Scope) -> None:
        """A reader that goes on from the last sequence it saw misses nothing, whoever writes meanwhile."""
        chance = random.Random(7)
        seen: list[int] = []
        done = asyncio.Event()

        async def watch() -> None:
            while True:
                last = done.is_set()
                async with store.view([scope]) as view:
                    new = await view.changes(scope, after=seen[-1] if seen else 0, limit=1000)
                seen.extend(change.sequence for change in new)
                if last:
                    return

        async def writer(name: int) -> None:
            for number in range(10):
                news = [draft(scope, f"作者 {name} 写 {number} {each}") for each in range(chance.randint(1, 3))]
                try:
                    async with store.unit(scope) as unit:
                        await unit.insert(scope, news, actor="ann")
                        if chance.random() < 0.3:
                            raise RuntimeError("rolled back")
                except RuntimeError:
                    continue

        watching = asyncio.create_task(watch())
        await asyncio.gather(*(writer(name) for name in range(6)))
        done.set()
        await watching
        assert seen == list(range(1, len(seen) + 1))
        assert len(seen) == len(await listed(store, scope)) > 0

    async def test_a_unit_that_locks_sees_what_was_committed_before(self, store: Backend, scope: Scope) -> None:
        async with store.view([scope]) as view:
            sequence, _ = await view.surroundings(scope, [], near=1, floor=0)
        ids = await write_texts(store, scope, "一 one", "二 two")
        async with store.unit(scope) as unit:
            assert await unit.lock(scope) == sequence + 2
            assert set(await unit.changed_since(scope, sequence)) == set(ids)
            assert await unit.changed_since(scope, sequence + 2) == ()

    async def test_writers_of_other_namespaces_go_on(self, store: Backend, scope: Scope) -> None:
        other = await make_scope(store, "other")
        async with store.unit(scope) as unit:
            await unit.lock(scope)
            await asyncio.wait_for(write_texts(store, other, "不等待 not waiting"), 5)

    async def test_a_waiting_memory_gets_its_vector_later(self, store: Backend, scope: Scope) -> None:
        new = draft(scope, "等待索引 waits to be indexed", index_state=IndexState.PENDING)
        embedding, new = new.vector, replace(new, vector=None)
        memory_id = new.memory.memory_id
        await write(store, scope, new)
        async with store.unit(scope) as unit:
            assert await unit.set_index(scope, memory_id, vector=None, text_vector=None, error="model down")
        stored = await read(store, scope, memory_id)
        assert stored is not None
        assert (stored.index_state, stored.index_error, stored.revision) == (IndexState.FAILED, "model down", 1)
        async with store.unit(scope) as unit:
            assert await unit.set_index(scope, memory_id, vector=embedding, text_vector=None, error="")
            assert not await unit.set_index(scope, new_id(), vector=embedding, text_vector=None, error="")
            await unit.set_state(scope, [memory_id], State.FORGOTTEN, actor="a", action="forget", reason="")
            assert not await unit.set_index(scope, memory_id, vector=embedding, text_vector=None, error="")
        forgotten = await read(store, scope, memory_id)
        assert forgotten is not None
        assert (forgotten.index_state, forgotten.state) == (IndexState.INDEXED, State.FORGOTTEN)

    async def test_change_events_say_who_and_what(self, store: Backend, scope: Scope) -> None:
        (memory_id,) = await write_texts(store, scope, "事件 event")
        async with store.view([scope]) as view:
            (change,) = await view.changes(scope, after=0, limit=10)
        assert (change.sequence, change.type, change.memory_id, change.actor) == (
            1,
            ChangeType.CREATED,
            memory_id,
            "ann",
        )
        assert change.memory is not None
        assert change.memory.content == "事件 event"
