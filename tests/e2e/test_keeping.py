"""What was written comes back exactly, whatever it is, and the figures say what is there."""

from __future__ import annotations

from typing import Any

import asyncpg
import pytest
from tests.e2e.inside import serving

from recalld import Client, MemoryInput, errors, where

TEXTS = [
    'run this:\n```python\nprint("你好")\n```\nthen stop',
    "an unmatched fence at the end ```",
    "```\n```json\n{}\n",
    "家人 👨‍👩‍👧‍👦 国旗 🇨🇳 手势 👍🏽 生僻字 𠮷 e\u0301\u0302",
    "right to left \u202eשלום\u202c مرحبا بالعالم",
    'quotes " and \\ and \' and \t tabs and {"json": [1, 2]} and <b>html</b> and %s and $1',
    "x" * 5000 + "😀",
]


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_comes_back_as_it_was_from_every_call(root: Client, text: str) -> None:
    stored = text.replace("e\u0301\u0302", "é\u0302")
    memory_id = root.write(text, metadata={"snippet": text, text[:50]: [text]}).memory_id
    [listed] = root.list()
    found = root.search(text[-40:])[0].memory
    [revision] = root.revisions(memory_id)
    for memory in (root.get(memory_id), listed, found, revision.memory):
        assert memory.content == stored
        assert memory.metadata == {"snippet": text, text[:50]: [text]}
    assert stored.splitlines()[0][:20] in root.context(text[-40:], max_tokens=20_000).text


KEYS = ["source.file", "content-type", "my key", "类别", "$x", "a/b", "a.b", "o'hara", 'say "hi"']


def test_every_key_of_metadata_is_kept_through_changes_of_other_things(root: Client) -> None:
    first: dict[str, Any] = {key: number for number, key in enumerate(KEYS)} | {
        "a": {"b": 1},
        "tags": ["x"],
        "flag": True,
        "none": None,
    }
    memory_id = root.write("项目 p7 的进度", metadata=first).memory_id
    assert root.update(memory_id, content="项目 p7 的新进度 progress").metadata == first
    assert root.update(memory_id, metadata_set={"a.b": 7}).metadata == first | {"a.b": 7}
    assert root.update(memory_id, metadata_remove=["a.b"]).metadata == {k: v for k, v in first.items() if k != "a.b"}
    for key in set(KEYS) - {"a.b"}:
        assert [memory.memory_id for memory in root.list(metadata=where(key) == first[key])] == [memory_id]
    assert list(root.list(metadata=where("a.b") == 1)) == []
    assert [memory.memory_id for memory in root.list(metadata=where(("a", "b")) == 1)] == [memory_id]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), {"a": [1, float("nan")]}, 2**53 + 1])
def test_a_number_that_would_not_come_back_is_refused_by_its_name(root: Client, value: Any) -> None:
    with pytest.raises(errors.InvalidArgument) as caught:
        root.write("a score 分数", metadata={"score": value})
    assert all(field.field.startswith("memory.metadata.score") for field in caught.value.fields)
    assert root.stats().total == 0


def test_figures_tell_the_live_from_the_forgotten_and_the_superseded(root: Client) -> None:
    ids = [
        item.unwrap().memory_id
        for item in root.write_batch(
            [MemoryInput(f"票据 ticket {n}", kind="episodic", session_id=f"s{n}") for n in range(40)]
        )
    ]
    root.forget(ids[:30])
    root.write("林乔住在杭州")
    assert root.write("林乔住在上海").outcome.name == "SUPERSEDED"
    stats = root.stats()
    assert stats.total == len(list(root.list(page_size=7))) == 11
    counts = {(each.kind.name, each.state.name): each.count for each in stats.counts}
    assert counts == {
        ("EPISODIC", "ACTIVE"): 10,
        ("EPISODIC", "FORGOTTEN"): 30,
        ("SEMANTIC", "ACTIVE"): 1,
        ("SEMANTIC", "SUPERSEDED"): 1,
    }


async def test_more_than_a_page_can_list_is_counted_exactly_and_a_failure_is_no_zero(database: str) -> None:
    async with serving(database) as client:
        for start in range(0, 2_001, 500):
            numbers = range(start, min(start + 500, 2_001))
            batch = await client.write_batch([f"n{n * 7919}" for n in numbers], durability="accepted")
            assert all(item.result for item in batch)
        assert (await client.stats()).total == 2_001
        connection = await asyncpg.connect(database)
        await connection.execute("ALTER TABLE recalld.counts RENAME TO elsewhere")
        with pytest.raises(errors.InternalError):
            await client.stats()
        await connection.close()


async def test_a_row_that_cannot_be_read_is_in_nobodys_way(database: str) -> None:
    async with serving(database) as client:
        good = await client.write("the good row 好的一行")
        bad = [
            (await client.write(text)).memory_id for text in ("odd tools 怪工具", "odd kind 怪类型", "odd time 怪时间")
        ]
    connection = await asyncpg.connect(database, server_settings={"search_path": "recalld"})
    for table in ("memories", "revisions"):
        for (name,) in await connection.fetch(
            "SELECT conname FROM pg_constraint WHERE conrelid = to_regclass($1) AND contype = 'c'", table
        ):
            await connection.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
    await connection.execute("UPDATE memories SET tool_calls = '[{\"tool\": 7}, 3]' WHERE memory_id = $1", bad[0])
    await connection.execute("UPDATE memories SET kind = 99, metadata = '[1]' WHERE memory_id = $1", bad[1])
    await connection.execute("UPDATE memories SET valid_until = '9999-12-31 23:59:59+00' WHERE memory_id = $1", bad[2])
    await connection.execute("DELETE FROM embeddings WHERE memory_id = $1", bad[2])
    await connection.close()
    async with serving(database) as client:
        listed = [memory.memory_id async for memory in client.list()]
        assert listed == [bad[2], good.memory_id]
        assert (await client.search("the good row 好的一行"))[0].memory.memory_id == good.memory_id
        found = {hit.memory.memory_id for hit in await client.search("odd 怪", top_k=100)}
        assert bad[2] in found
        assert not found & set(bad[:2])
        with pytest.raises(errors.NotFound):
            await client.get(bad[1])
        assert (await client.write("another row 另一行")).outcome.name == "CREATED"


async def test_what_one_replica_wrote_the_other_finds_at_once(database: str) -> None:
    async with serving(database) as one, serving(database) as other:
        for number in range(40):
            text = f"第 {number * 7919} 号记录 record"
            written = await one.write(text)
            assert (await other.search(text))[0].memory.memory_id == written.memory_id
            newest = await other.list(page_size=1).page()
            assert [memory.memory_id for memory in newest] == [written.memory_id]


async def test_every_time_is_kept_with_its_zone(database: str) -> None:
    connection = await asyncpg.connect(database)
    kinds = await connection.fetch(
        "SELECT DISTINCT coalesce(d.typbasetype, 0)::regtype::text AS base, t.typname::text AS name FROM pg_attribute a"
        " JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid"
        " LEFT JOIN pg_type d ON d.oid = t.oid AND d.typtype = 'd'"
        " WHERE c.relnamespace = 'recalld'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0"
        " AND a.attname ~ '(time|valid_from|valid_until)$'"
    )
    await connection.close()
    assert kinds
    assert all("timestamp with time zone" in row["base"] or row["name"] == "timestamptz" for row in kinds), kinds
