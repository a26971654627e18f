"""Forgetting, held against what the database holds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from uuid import uuid4

import asyncpg
import pytest
from tests.e2e.beside import Inside, fill
from tests.e2e.inside import SPACE, TestEmbedder, listening

from recalld import AsyncClient, State, errors
from recalld._convert.export import to_line
from recalld.types.memories import ForgetResult
from recalld_server.core.forget import CHUNK


async def forget_user(client: AsyncClient, mode: str, user_id: str = "alice") -> ForgetResult:
    return await (await client.plan_forget(user_ids=[user_id], mode=mode)).confirm(timeout=300)


@pytest.mark.parametrize(
    ("mode", "count"),
    [(mode, count) for mode in ("archive", "forget", "erase") for count in (1, 250, CHUNK, 2 * CHUNK + 1)]
    + [("erase", 10_000)],
)
async def test_counts_are_what_the_database_says_while_writes_arrive(
    client: AsyncClient, inside: Inside, mode: str, count: int
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
        assert answer.receipt.counts["memories"] == answer.receipt.counts["vectors"] == count
        assert await inside.count("revisions", "user_id = 'alice'") == 0
        assert await inside.count("embeddings") == others
    assert await inside.count("forget_items") == 0


@pytest.mark.parametrize("mode", ["archive", "forget", "erase"])
async def test_the_same_text_can_be_written_again_each_time(client: AsyncClient, mode: str) -> None:
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


EVERY_STATE = [state for state in State if state != "unspecified"]
MARKER = "zq7marker标记"


def holding(text: str, marker: str = MARKER) -> bool:
    return marker in text or json.dumps(marker)[1:-1] in text or marker.encode().hex() in text


async def every_table(database: asyncpg.Connection) -> dict[str, str]:
    """Every row of every table of ours, from the catalogue, as text."""
    names = await database.fetch(
        "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = 'recalld' AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
    )
    assert len(names) > 15
    return {
        name: "\n".join(row[0] for row in await database.fetch(f'SELECT t::text FROM recalld."{name}" t'))
        for (name,) in names
    }


async def files(database: asyncpg.Connection) -> bytes:
    """The bytes of all files of our tables and their indexes, written anew without what is dead."""
    names = await database.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'recalld'")
    for (name,) in names:
        await database.execute(f'VACUUM (FULL) recalld."{name}"')
    await database.execute("CHECKPOINT")
    pieces = await database.fetch(
        "SELECT pg_read_binary_file(pg_relation_filepath(c.oid)) FROM pg_class c"
        " JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_class o ON o.reltoastrelid = c.oid"
        " LEFT JOIN pg_namespace p ON p.oid = o.relnamespace"
        " WHERE 'recalld' IN (n.nspname, p.nspname) AND c.relkind IN ('r', 'i', 't')"
    )
    return b"".join(piece[0] for piece in pieces)


async def leave_traces(alice: AsyncClient, other: AsyncClient) -> None:
    """Wherever a call of this agent or of another may leave one."""
    said = f"Alice said {MARKER}"
    first = await alice.write(said, user_id="alice", metadata={"k": MARKER}, tags=[MARKER], request_id="w")
    await other.update(first.memory_id, content=f"{said} again", reason="因为", request_id="u")
    await alice.write(f"Alice no longer says {MARKER} again", user_id="alice", request_id="s")
    source = [first.memory_id]
    derived = await alice.write(f"insight on {MARKER}", user_id="alice", source_ids=source, request_id="d")
    await alice.write(f"later {MARKER}", user_id="alice", durability="accepted", entities=[MARKER], speaker=MARKER)
    session = alice.session("s1", user_id="alice")
    await session.add(f"turn {MARKER}", request_id="t")
    await session.set_variables({"v": MARKER}, request_id="v")
    found = await alice.search(f"what about {MARKER}", user_ids=["alice"])
    await alice.mark_used(found.search_id, [found.hits[0].memory.memory_id])
    await alice.context(f"and {MARKER}", max_tokens=500)
    await alice.forget([derived.memory_id], mode="archive", request_id="a")
    await other.forget([first.memory_id], mode="forget", request_id="f")
    await other.restore(first.memory_id, request_id="r")


@pytest.fixture
async def alice(database: str) -> AsyncIterator[AsyncClient]:
    """An agent that has left traces, together with another."""
    async with (
        listening(database, TestEmbedder()) as (address, key),
        AsyncClient(address, key=key, namespace=SPACE) as alice,
    ):
        secret = (await alice.keys.create("other", ["admin"])).secret
        async with AsyncClient(address, key=secret, namespace=SPACE) as other:
            await leave_traces(alice, other)
        await alice.write("Bob's own 别人的", user_id="bob")
        yield alice


async def test_nothing_is_left_of_what_was_erased(
    alice: AsyncClient, database: str, caplog: pytest.LogCaptureFixture
) -> None:
    connection = await asyncpg.connect(database)
    try:
        before = [name for name, rows in (await every_table(connection)).items() if holding(rows)]
        assert {"memories", "revisions", "requests", "session_turns", "sessions"} <= set(before)
        assert MARKER.encode() in await files(connection)
        answer = await (await alice.plan_forget(user_ids=["alice"], mode="erase", states=EVERY_STATE)).confirm()
        assert answer.receipt is not None
        assert answer.count == 3
        assert answer.receipt.counts["memories"] + answer.receipt.counts["derived"] == 3
        assert answer.receipt.counts["turns"] == 1
        after = await every_table(connection)
        assert [name for name, rows in after.items() if holding(rows)] == []
        assert "alice" not in "".join(after.values())
        assert "Bob's own" in after["memories"]
        assert MARKER.encode() not in await files(connection)
    finally:
        await connection.close()
    exported = [to_line(record) async for record in alice.export(states=EVERY_STATE, include_revisions=True)]
    assert len(exported) == 1
    assert not any(holding(line) for line in exported)
    assert not holding(caplog.text)
