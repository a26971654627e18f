"""Forgetting, held against what the database holds."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest
from tests.e2e.beside import Inside, fill

from recalld import AsyncClient, errors
from recalld.enums import ForgetModeLike
from recalld.types.memories import ForgetResult
from recalld_server.core.forget import CHUNK


async def forget_user(client: AsyncClient, mode: ForgetModeLike, user_id: str = "alice") -> ForgetResult:
    return await (await client.plan_forget(user_ids=[user_id], mode=mode)).confirm(timeout=300)


@pytest.mark.parametrize(
    ("mode", "count"),
    [(mode, count) for mode in ("archive", "forget", "erase") for count in (1, 250, CHUNK, 2 * CHUNK + 1)]
    + [("erase", 10_000)],
)
async def test_counts_are_what_the_database_says_while_writes_arrive(
    client: AsyncClient, inside: Inside, mode: ForgetModeLike, count: int
) -> None:
    await fill(inside, count)
    await fill(inside, 3, "bob")
    stopping = asyncio.Event()

    async def write_on() -> int:
        written = 0
        while not stopping.is_set():
            await client.write(f"meanwhile 与此同时 {written}", user_id="bob")
            written += 1
        return written

    meanwhile = asyncio.create_task(write_on())
    try:
        answer = await forget_user(client, mode)
    finally:
        stopping.set()
    others = 3 + await meanwhile
    assert answer.count == count
    state = {"archive": 4, "forget": 5}.get(mode)
    assert await inside.count(
        "memories", f"user_id = 'alice' AND state = {state}" if state else "user_id = 'alice'"
    ) == (count if state else 0)
    assert await inside.count("memories", "user_id = 'bob' AND state = 1") == others
    assert (await client.stats()).total == others
    if mode == "erase":
        assert answer.receipt is not None
        assert answer.receipt.counts["memories"] == answer.receipt.counts["vectors"] == count
        assert await inside.count("revisions", "user_id = 'alice'") == 0
        assert await inside.count("embeddings") == others
    assert await inside.count("forget_items") == 0


@pytest.mark.parametrize("mode", ["archive", "forget", "erase"])
async def test_the_same_text_can_be_written_again_each_time(client: AsyncClient, mode: ForgetModeLike) -> None:
    text = "Alice's number is 555-0100. 爱丽丝的号码"
    seen = set()
    for _ in range(4):
        written = await client.write(text)
        assert written.outcome == "created"
        seen.add(written.memory_id)
        assert [hit.memory.memory_id for hit in (await client.search(text)).hits] == [written.memory_id]
        assert (await client.forget([written.memory_id], mode=mode)).count == 1
        assert (await client.search(text)).hits == ()
    assert len(seen) == 4


async def test_a_retry_gets_the_first_answer_and_goes_on_where_it_stopped(client: AsyncClient, inside: Inside) -> None:
    await fill(inside, CHUNK + 20)
    plans = [await client.plan_forget(user_ids=["alice"], mode="erase") for _ in range(3)]
    answers = await asyncio.gather(*(plan.confirm(request_id="once") for plan in plans))
    again = await plans[0].confirm(request_id="once")
    assert answers == [again] * 3
    assert again.count == CHUNK + 20
    assert again.receipt is not None
    assert again.receipt.counts["memories"] == CHUNK + 20
    other = await client.plan_forget(user_ids=["bob"], mode="erase")
    with pytest.raises(errors.FailedPrecondition):
        await other.confirm(request_id="once")


async def test_an_order_whose_server_died_is_carried_out_by_another(client: AsyncClient, inside: Inside) -> None:
    await fill(inside, 30)
    ids = [memory.memory_id async for memory in client.list()]
    order_id = uuid4()
    insert = (
        "INSERT INTO recalld.forget_orders (namespace_id, order_id, agent_id, actor, mode, reason, user_ids, session_ids,"
        " due_time) VALUES ($1, $2, 'ann', 'ann', 3, 'gone', '{}', '{}', now())"
    )
    await inside.database.execute(insert, inside.scope.namespace_id, order_id)
    items = "INSERT INTO recalld.forget_items SELECT $1, $2, unnest($3::uuid[])"
    await inside.database.execute(items, inside.scope.namespace_id, order_id, ids[:20])
    assert await inside.core.forgets.resume() == 1
    assert await inside.core.forgets.resume() == 0
    assert await inside.count("memories") == 10
    kept = await inside.database.fetchrow("SELECT changed, reason, finish_time FROM recalld.forget_orders")
    assert kept is not None
    assert (kept["changed"], kept["reason"]) == (20, "")
    assert kept["finish_time"] is not None


async def test_what_was_forgotten_can_be_restored_within_the_window_and_is_erased_after_it(
    client: AsyncClient, inside: Inside
) -> None:
    kept = (await client.write("within the window 窗口之内")).memory_id
    gone = (await client.write("after the window 窗口之后")).memory_id
    await client.forget([kept, gone])
    await inside.age(29, f"memory_id = '{kept}'")
    await inside.age(31, f"memory_id = '{gone}'")
    with pytest.raises(errors.NotFound):
        await client.restore(gone)
    assert await inside.core.retention.sweep_forgotten() == 1
    assert await inside.core.retention.sweep_forgotten() == 0
    assert await inside.count("revisions", f"memory_id = '{gone}'") == 0
    restored = await client.restore(kept)
    assert (restored.content, restored.state) == ("within the window 窗口之内", "active")
    assert (await client.search("窗口之内")).hits[0].memory.memory_id == kept


async def test_forgetting_by_meaning_only_proposes(client: AsyncClient) -> None:
    cat = (await client.write("My cat Mimi likes tuna. 我的猫爱吃金枪鱼")).memory_id
    dog = (await client.write("My dog Momo likes tuna. 我的狗爱吃金枪鱼")).memory_id
    proposed = [hit.memory.memory_id for hit in (await client.search("my cat Mimi", top_k=1)).hits]
    assert proposed == [cat]
    assert (await client.forget(proposed)).count == 1
    assert [memory.memory_id async for memory in client.list()] == [dog]
    assert (await client.search("quantum chromodynamics 量子色动力学", min_score=0.95)).hits == ()
