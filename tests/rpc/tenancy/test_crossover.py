"""Many writers at once, in many namespaces of two tenants that have the same names: nothing crosses over."""

from __future__ import annotations

import asyncio
from collections import Counter

from tests.rpc.tenancy.worlds import Metadata, World, world

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb
from recalld_server.model import Role

TENANTS = ("acme", "beta")
NAMES = tuple(f"team_{n}" for n in range(5)) + tuple(f"teamx{n}" for n in range(5))
"""A pattern that took `_` for any letter would read both."""
WRITERS = 200


async def everything(there: World, who: Metadata, namespace: str) -> list[memory_pb2.Memory]:
    found: list[memory_pb2.Memory] = []
    token = ""
    while True:
        request = pb.ListRequest(namespace=namespace, page_size=1000, page_token=token)
        answer = await there.call("List", request, who)
        found += answer.memories
        token = answer.next_page_token
        if not token:
            return found


async def test_two_hundred_writers_in_twenty_namespaces_do_not_meet(database: str) -> None:
    async with world(database, pool_size=6) as there:
        agents: dict[tuple[str, str], Metadata] = {}
        for tenant in TENANTS:
            await there.tenant(tenant, *NAMES)
            for agent in ("ann", "bob"):
                agents[tenant, agent] = await there.key(tenant, agent, Role.WRITER)
        places = [(tenant, name, agent) for tenant in TENANTS for name in NAMES for agent in ("ann", "bob")]

        async def write(number: int) -> tuple[tuple[str, str, str], str]:
            tenant, name, agent = place = places[number % len(places)]
            private = number % 3 == 0
            memory = memory_pb2.MemoryInput(
                content=f"第 {number} 件事 fact {number}",
                kind=memory_pb2.MEMORY_KIND_EPISODIC,
                visibility=memory_pb2.VISIBILITY_PRIVATE if private else memory_pb2.VISIBILITY_SHARED,
            )
            memory.metadata.update({"place": f"{tenant}:{name}", "writer": agent, "private": private})
            request = pb.WriteRequest(namespace=name, memory=memory, request_id=f"r-{number // len(places)}-{name}")
            answer = await there.call("Write", request, agents[tenant, agent])
            return place, answer.result.memory_id

        written = await asyncio.gather(*(write(number) for number in range(WRITERS)))
        assert len({memory_id for _, memory_id in written}) == WRITERS
        expected = Counter(place for place, _ in written)
        for tenant, name, agent in places:
            seen = await everything(there, agents[tenant, agent], name)
            assert all(memory.metadata["place"] == f"{tenant}:{name}" for memory in seen)
            assert all(memory.metadata["writer"] == memory.agent_id for memory in seen)
            assert all(memory.agent_id == agent for memory in seen if memory.metadata["private"])
            assert sum(memory.agent_id == agent for memory in seen) == expected[tenant, name, agent]
            hits = await there.search(agents[tenant, agent], "fact 事", name)
            own = {memory.content for memory in seen}
            assert hits
            assert {content for _, _, content in hits} <= own
