"""Rows that somebody changed from outside: the server starts, serves the others, and counts what it passed over."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest

from recalld import AsyncClient, RetryPolicy, errors
from recalld_server.app import App, Endpoints
from recalld_server.settings import read_settings

WELL = "the spare key hangs in the cellar 备用钥匙在地下室"
DAMAGE = {
    "metadata of another shape": "ALTER TABLE memories DROP CONSTRAINT memories_metadata_check;"
    " UPDATE memories SET metadata = '[1, 2]' WHERE content LIKE 'bad%'",
    "far in the future": "UPDATE memories SET event_time = '9999-12-31', create_time = '9999-12-31' WHERE content LIKE 'bad%'",
    "beyond Python's calendar": "UPDATE memories SET event_time = 'infinity' WHERE content LIKE 'bad%'",
    "no vector": "DELETE FROM embeddings USING memories m WHERE embeddings.memory_id = m.memory_id AND m.content LIKE 'bad%'",
    "not a policy": "UPDATE namespaces SET policy = '{\"unknown\": 1}' WHERE name = 'other'",
}

WORSE = {
    "kind": "kind = 99",
    "state": "state = 99",
    "visibility": "visibility = 9",
    "index state": "index_state = 9",
    "no importance": "importance = 'NaN'",
    "tool calls": "tool_calls = '[7, \"x\", {}]'",
    "metadata": "metadata = '\"a text\"'",
    "before the calendar": "create_time = '-infinity'",
    "etag": "revision = -1",
}
"""What one column of a memory may be made to hold once its checks are gone."""


@pytest.mark.parametrize("damage", DAMAGE)
async def test_one_bad_row_is_in_nobodys_way(database: str, tmp_path: Path, damage: str) -> None:
    settings, endpoints = (
        read_settings({}, listen="127.0.0.1:0", embedder="hash"),
        Endpoints(tmp_path, database, database, None),
    )
    app = App(settings, endpoints)
    address = await app.start()
    key = (tmp_path / "root.key").read_text().strip()
    async with AsyncClient(address, key=key) as client:
        await client.namespaces.create("other")
        await client.write(WELL)
        await client.write("bad row, soon 坏的一行")
    await app.stop()
    connection = await asyncpg.connect(database, server_settings={"search_path": "recalld", "recalld.tenant_id": ""})
    await connection.execute(DAMAGE[damage])
    await connection.close()
    app = App(settings, endpoints)
    try:
        address = await app.start()
        async with AsyncClient(address, key=key) as client:
            assert (await client.search("备用钥匙 spare key"))[0].content == WELL
            assert WELL in [memory.content async for memory in client.list()]
            assert (await client.stats()).total >= 1
            await client.write("and writes go on 还能写")
    finally:
        await app.stop()


async def test_a_row_for_every_kind_of_damage_is_in_nobodys_way(database: str, tmp_path: Path) -> None:
    settings = read_settings({}, listen="127.0.0.1:0", embedder="hash")
    endpoints = Endpoints(tmp_path, database, database, None)
    app = App(settings, endpoints)
    address = await app.start()
    key = (tmp_path / "root.key").read_text().strip()
    ids = {}
    async with AsyncClient(address, key=key) as client:
        await client.write(WELL)
        for number, name in enumerate(WORSE):
            ids[name] = (await client.write(f"bad in its {name} 坏的 {number * 104729}")).memory_id
    await app.stop()
    connection = await asyncpg.connect(database, server_settings={"search_path": "recalld", "recalld.tenant_id": ""})
    checks = await connection.fetch(
        "SELECT conname FROM pg_constraint WHERE contype = 'c' AND conrelid = 'memories'::regclass"
    )
    for check in checks:
        await connection.execute(f"ALTER TABLE memories DROP CONSTRAINT {check['conname']}")
    for name, change in WORSE.items():
        await connection.execute(f"UPDATE memories SET {change} WHERE memory_id = $1", ids[name])
    await connection.close()
    app = App(settings, endpoints)
    try:
        address = await app.start()
        async with AsyncClient(address, key=key, retry=RetryPolicy(attempts=1)) as client:
            assert (await client.search("备用钥匙 spare key"))[0].content == WELL
            assert WELL in [memory.content async for memory in client.list()]
            assert (await client.stats()).total >= 1
            assert "备用钥匙" in (await client.context("备用钥匙 spare key")).text
            reflection = await client.reflect()
            assert (await reflection.wait(timeout=60)).state.name == "SUCCEEDED"
            for memory_id in ids.values():
                # it is there as it can be read, or it is not there
                with suppress(errors.NotFound):
                    await client.get(memory_id)
                with suppress(errors.NotFound, errors.FailedPrecondition):
                    await client.update(memory_id, content=f"mended 修好了 {memory_id}")
            assert len([each async for each in client.export()]) >= 1
            await client.write("and writes go on 还能写")
            await client.forget(list(ids.values()), mode="erase")
    finally:
        await app.stop()
