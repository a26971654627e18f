"""What a namespace's policy lets go of."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from tests.e2e.beside import Inside, fill

from recalld import AsyncClient, MemoryInput
from recalld_server.core.decay import strength
from recalld_server.model import Kind, Policy, utc_now


async def test_each_rule_lets_go_of_what_it_means_and_nothing_else(client: AsyncClient, inside: Inside) -> None:
    async def write(text: str, **fields: object) -> str:
        written = await client.write(MemoryInput(text, **fields))  # type: ignore[arg-type]
        assert written.memory_id
        return written.memory_id

    episode = await write("The deploy failed on Monday 部署失败", kind="episodic")
    doubtful = await write("Carol may like jazz 可能喜欢爵士", confidence=0.3)
    confirmed = await write("Dan might play chess 也许下棋", confidence=0.3)
    fact = await write("The office is in Hangzhou 办公室在杭州")
    working = await write("draft of the plan 草稿", kind="working")
    await client.write(MemoryInput("Dan might play chess 也许下棋", confidence=0.3))  # said again: confirmed
    assert await inside.core.retention.due(inside.scope, Policy()) == []
    await inside.age(8)
    due = {str(each.memory_id): each for each in await inside.core.retention.due(inside.scope, Policy())}
    assert {key: (each.rule, each.action) for key, each in due.items()} == {
        doubtful: ("low_confidence", "archive"),
        working: ("working", "expire"),
    }
    assert "0.30" in due[doubtful].why
    await inside.age(23)
    due = {str(each.memory_id): each for each in await inside.core.retention.due(inside.scope, Policy())}
    assert due[episode].rule == "episodic"
    assert {episode, doubtful, working} == due.keys()
    assert await client.get(episode)  # a look changes nothing
    assert await inside.core.retention.apply(inside.scope, Policy()) == 3
    assert {memory.memory_id async for memory in client.list()} == {confirmed, fact}
    archived = {memory.memory_id async for memory in client.list(states=["archived"])}
    assert archived == {episode, doubtful}
    assert (await client.restore(episode)).state == "active"


async def test_a_policy_can_keep_everything(client: AsyncClient, inside: Inside) -> None:
    await client.write(MemoryInput("long ago 很久以前", kind="episodic", confidence=0.1))
    await inside.age(4000)
    keep = Policy(episodic_retention_days=0, low_confidence_retention_days=0, episodic_cap_per_user=0)
    assert await inside.core.retention.due(inside.scope, keep) == []


async def test_the_weakest_beyond_the_cap_go_and_only_that_persons(client: AsyncClient, inside: Inside) -> None:
    await fill(inside, 8, "alice", kind=Kind.EPISODIC, create_time=utc_now() - timedelta(days=3))
    await fill(inside, 3, "bob", kind=Kind.EPISODIC, create_time=utc_now())
    await inside.database.execute(
        "UPDATE recalld.memories SET importance = 0.9 WHERE content LIKE 'alice % 7';"
        "UPDATE recalld.memories SET use_count = 9, last_use_time = now() WHERE content LIKE 'alice % 6';"
        "UPDATE recalld.memories SET importance = 0.1 WHERE content LIKE 'alice % 5'"
    )
    due = await inside.core.retention.due(inside.scope, Policy(episodic_cap_per_user=3))
    assert {each.rule for each in due} == {"cap"}
    assert len(due) == 5
    gone = {each.memory_id for each in due}
    async with inside.store.view([inside.scope]) as view:
        memories = await view.get(inside.scope, [each.memory_id for each in due])
        weakest = await view.weakest(inside.scope, 0, half_life_days=30.0, limit=100)
        everyone = await view.get(inside.scope, [each.memory_id for each in weakest])
    assert {memory.user_id for memory in memories.values()} == {"alice"}
    assert not any(memory.content.endswith((" 7", " 6")) for memory in memories.values())
    assert due[0].memory_id in gone
    assert memories[due[0].memory_id].content.endswith(" 5")
    now = utc_now()
    for each in weakest:  # the database and the documented formula agree
        assert each.strength == pytest.approx(strength(everyone[each.memory_id], now, 30.0), rel=1e-4)
    assert await inside.core.retention.apply(inside.scope, Policy(episodic_cap_per_user=3)) == 5


async def test_one_of_many_runs_gets_a_namespace_at_each_tick(client: AsyncClient, inside: Inside) -> None:
    retained, day = inside.store.retained(), timedelta(days=1)
    assert await retained.claim(day, 10) == (), "what is new has nothing to let go of"
    await inside.database.execute("UPDATE recalld.namespaces SET create_time = create_time - interval '2 days'")
    taken = await asyncio.gather(*(retained.claim(day, 10) for _ in range(2)))
    assert sorted(len(each) for each in taken) == [0, 1]
    assert await retained.claim(day, 10) == ()
    await inside.database.execute("UPDATE recalld.retention_runs SET tick = tick - interval '1 day'")
    assert len(await retained.claim(day, 10)) == 1
