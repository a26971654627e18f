"""Two servers on one database, writers on both, streams that break and go on elsewhere: everybody is told the same, in the
order of the commits, nothing twice and nothing left out."""

from __future__ import annotations

import asyncio
import random
from contextlib import AsyncExitStack

import asyncpg
import pytest
from tests.e2e.watching import OTHER, SPACE, Server, named, server

from recalld.enums import VisibilityLike
from recalld.v1 import watch_service_pb2 as pb
from recalld_server.core.watch import WatchOptions

WRITERS, WRITES = 6, 8
FEW = WatchOptions(recheck=0.05, idle=0.3, batch=3)


async def write(running: Server, key: str, name: str, dice: random.Random) -> None:
    """Writes, changes and forgets in both namespaces."""
    async with running.client(key) as client:
        mine: list[tuple[str, str]] = []
        for n in range(WRITES):
            where = dice.choice([SPACE, OTHER])
            visibility: VisibilityLike = dice.choice(("shared", "shared", "private"))
            space = client.namespace(where)
            written = await space.write(f"{name} 说了第 {n} 句 {dice.random()}", kind="episodic", visibility=visibility)
            mine.append((where, str(written.memory_id)))
            where, memory_id = dice.choice(mine)
            await client.namespace(where).update(memory_id, tags=[f"t{n}"])
            if n % 3 == 2:
                where, memory_id = mine.pop(0)
                await client.namespace(where).forget([memory_id], mode=dice.choice(["forget", "erase"]))


async def follow(
    servers: list[Server], key: str, begun: asyncio.Barrier, end: asyncio.Event, dice: random.Random
) -> list[str]:
    """What a watcher is told that leaves every few messages and goes on at any of the servers."""
    seen: list[str] = []
    async with servers[0].watch(key, SPACE, OTHER) as stream:
        await stream.begun()
        token = stream.token
    await begun.wait()
    idle = False
    while not (idle and end.is_set()):
        ended_before = end.is_set()
        async with dice.choice(servers).watch(key, SPACE, OTHER, resume_token=token) as stream:
            await stream.begun()
            for _ in range(dice.randint(1, 7)):
                message = await stream.next()
                idle = ended_before and message.type == pb.WATCH_EVENT_TYPE_CHECKPOINT
                if message.type != pb.WATCH_EVENT_TYPE_CHECKPOINT:
                    seen.append(f"{message.namespace} {named(message)}")
            token = stream.token
    return seen


async def committed(database: str, agent: str) -> dict[str, list[str]]:
    """The changes that an agent may know of, by namespace, in the order of their commits."""
    connection = await asyncpg.connect(database)
    try:
        rows = await connection.fetch(
            "SELECT n.name, c.type, c.memory_id FROM recalld.changes c JOIN recalld.namespaces n USING (namespace_id)"
            " WHERE c.visibility = 2 OR c.agent_id = $1 ORDER BY c.namespace_id, c.sequence",
            agent,
        )
    finally:
        await connection.close()
    result: dict[str, list[str]] = {SPACE: [], OTHER: []}
    for name, type, memory_id in rows:
        result[name].append(f"{name} {pb.WatchEventType.Name(type).removeprefix('WATCH_EVENT_TYPE_')} {memory_id}")
    return result


@pytest.mark.parametrize("seed", [1, 2])
async def test_everybody_is_told_everything_once_and_in_order(database: str, seed: int) -> None:
    dice = random.Random(seed)
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(server(database, FEW)) for _ in range(2)]
        agents = ["ann", "bob", "蔡".encode().hex()]
        keys = {agent: await servers[0].key(agent) for agent in agents}
        end, begun = asyncio.Event(), asyncio.Barrier(2 * len(agents) + 1)
        watchers = {
            (agent, n): asyncio.create_task(
                follow(servers, keys[agent], begun, end, random.Random(f"{seed}{agent}{n}"))
            )
            for agent in agents
            for n in range(2)
        }
        writers = [
            write(servers[n % 2], keys[agents[n % 3]], f"w{n}", random.Random(dice.random())) for n in range(WRITERS)
        ]
        await begun.wait()
        await asyncio.gather(*writers)
        end.set()
        for (agent, _), watcher in watchers.items():
            told = await watcher
            expected = await committed(database, agent)
            for name in (SPACE, OTHER):
                seen = [each for each in told if each.startswith(f"{name} ")]
                assert seen == expected[name]
                assert seen
