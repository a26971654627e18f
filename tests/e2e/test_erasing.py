"""After an erasure nothing is left of the text: not in a table or its files, not in the cache, the archive, an export, a log."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import asyncpg
import pytest
import zstandard
from redis.asyncio import Redis
from tests.e2e.beside import beside
from tests.e2e.inside import SPACE, TestEmbedder, listening
from tests.valkeys import PATIENT
from tests.valkeys import valkey as valkey

from recalld import AsyncClient, State
from recalld._convert.export import to_line
from recalld_server.store.files import FolderArchive
from recalld_server.store.redis import RedisClient

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
    cold = await alice.write(f"long ago {MARKER}", user_id="alice", metadata={"k": MARKER}, request_id="c")
    await alice.forget([cold.memory_id], mode="archive")


async def everything_in(redis_url: str) -> bytes:
    """All keys and values of a cache, as they are stored."""
    async with Redis.from_url(redis_url) as redis:
        reads: dict[object, Callable[[bytes], Awaitable[object]]] = {
            b"string": lambda key: redis.get(key),
            b"hash": lambda key: redis.hgetall(key),
            b"list": lambda key: redis.lrange(key, 0, -1),
            b"set": lambda key: redis.smembers(key),
            b"zset": lambda key: redis.zrange(key, 0, -1),
            b"stream": lambda key: redis.xrange(key),
        }
        keys: list[bytes] = [key async for key in redis.scan_iter()]
        found = [(key, await reads[await redis.type(key)](key)) for key in keys]
    return b"\n".join(
        key + b" " + (value if isinstance(value, bytes) else repr(value).encode()) for key, value in found
    )


def everything_below(folder: Path) -> bytes:
    """All names and bytes of files, compressed ones opened."""
    pieces = []
    for path in (path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        opened = zstandard.ZstdDecompressor().decompress(data) if path.suffix == ".zst" else b""
        pieces += [path.name.encode(), data, opened]
    return b"\n".join(pieces)


@dataclass(frozen=True)
class Places:
    """Where a text may be, besides the logs: a database, a cache, the folder of the archive."""

    connection: asyncpg.Connection
    redis_url: str
    folder: Path

    async def holding(self) -> set[str]:
        """Those that hold the marker; tables by their names."""
        found = {name for name, rows in (await every_table(self.connection)).items() if holding(rows)}
        bytes_of = {
            "heap": await files(self.connection),
            "cache": await everything_in(self.redis_url),
            "archive": everything_below(self.folder),
        }
        return found | {name for name, data in bytes_of.items() if holding_bytes(data)}


def holding_bytes(data: bytes) -> bool:
    """In whichever way the marker may be written there."""
    return any(form.encode() in data for form in (MARKER, json.dumps(MARKER)[1:-1], MARKER.encode().hex()))


@pytest.fixture
async def places(database: str, valkey: str, tmp_path: Path) -> AsyncIterator[Places]:
    connection = await asyncpg.connect(database)
    async with Redis.from_url(valkey) as redis:
        await redis.flushall()
    yield Places(connection, valkey, tmp_path)
    await connection.close()


@pytest.fixture
async def agents(database: str, places: Places) -> AsyncIterator[tuple[AsyncClient, AsyncClient]]:
    """Alice's, and another."""
    cache = RedisClient(places.redis_url, PATIENT)
    await cache.start()
    async with (
        listening(database, TestEmbedder(), cache=cache, archive=FolderArchive(places.folder)) as (address, key),
        AsyncClient(address, key=key, namespace=SPACE) as alice,
    ):
        secret = (await alice.keys.create("other", ["admin"])).secret
        async with AsyncClient(address, key=secret, namespace=SPACE) as other:
            yield alice, other
    await cache.close()


async def go_cold(database: str, folder: Path) -> int:
    """Puts what is archived into the files of the archive, at once; how many memories."""
    async with beside(database, FolderArchive(folder)) as inside:
        assert inside.core.archives is not None
        return await inside.core.archives.run(timedelta(0))


async def test_nothing_is_left_of_what_was_erased(
    agents: tuple[AsyncClient, AsyncClient],
    database: str,
    places: Places,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    alice, _ = agents
    await leave_traces(*agents)
    bob = await alice.write("Bob's own 别人的", user_id="bob")
    await alice.forget([bob.memory_id], mode="archive")
    assert await go_cold(database, places.folder) == 2
    before = await places.holding()
    assert {"memories", "revisions", "requests", "session_turns", "sessions", "heap", "cache", "archive"} <= before
    answer = await (await alice.plan_forget(user_ids=["alice"], mode="erase", states=EVERY_STATE)).confirm()
    assert answer.receipt is not None
    assert answer.count == 4
    assert answer.receipt.counts["memories"] + answer.receipt.counts["derived"] == 4
    assert answer.receipt.counts["turns"] == 1
    assert answer.receipt.counts["archive"] >= 1
    assert await places.holding() == set()
    tables = await every_table(places.connection)
    assert "alice" not in "".join(tables.values())
    assert "Bob's own" in tables["memories"]
    assert "Bob's own" in everything_below(places.folder).decode(errors="replace")
    exported = [to_line(record) async for record in alice.export(states=EVERY_STATE, include_revisions=True)]
    assert len(exported) == 1
    assert not any(holding(line) for line in exported)
    said = capfd.readouterr()
    assert "searched" in said.out + said.err + caplog.text
    assert not holding(said.out + said.err + caplog.text)
