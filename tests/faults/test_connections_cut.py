"""The database ends connections at any moment, again and again: every call is answered or told to come back, never that the
server failed, and what was acknowledged is there once."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import asyncpg
import grpc
from google.protobuf.message import Message
from google.rpc import status_pb2
from tests.faults.leftovers import Ledger, nothing_left
from tests.rpc.building import TEAM, write
from tests.rpc.calling import CUT_SHORT, Failure, call, told
from tests.rpc.cases import CASES
from tests.rpc.world import World

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb
from recalld.v1 import namespace_service_pb2 as ns
from recalld_server.model import new_id

PATIENCE = 120.0
ROUNDS = 3
"""Of every kind of call, at least; and on until ENOUGH connections were cut."""
ENOUGH = 40
CALLERS = 8
OURS = "FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'recalld%'"
BY_GRPC = {(name, "INTERNAL", CUT_SHORT) for name in ("StreamWrite", "Import")}
NEVER = {
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
}


def records(world: World) -> list[ns.ImportRequest]:
    contents = (f"imported {number} 导入 {number * 7919}" for number in range(4))
    memories = (memory_pb2.Memory(memory_id=str(new_id()), content=content) for content in contents)
    return [
        ns.ImportRequest(namespace=TEAM, record=ns.ExportRecord(version=1, memory=memory), sequence=number)
        for number, memory in enumerate(memories)
    ]


def items(world: World) -> list[pb.StreamWriteRequest]:
    contents = (f"streamed {number} 流 {number * 7919}" for number in range(4))
    return [
        pb.StreamWriteRequest(namespace=TEAM, memory=memory_pb2.MemoryInput(content=content), sequence=number)
        for number, content in enumerate(contents)
    ]


@asynccontextmanager
async def cutting(dsn: str, cuts: list[int]) -> AsyncIterator[None]:
    """Ends about every other connection that servers have to a database, over and over. Notes how many, each time."""
    connection = await asyncpg.connect(dsn)

    async def cut() -> None:
        while True:
            sql = f"SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) {OURS} AND random() < 0.5"
            cuts.append(await connection.fetchval(sql))
            await asyncio.sleep(0.02)

    task = asyncio.create_task(cut())
    try:
        yield
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled(), "the cutting stopped by itself"
    finally:
        task.cancel()
        await connection.close()


def failures_in(answer: object) -> list[Failure]:
    """Those of single items, in the answers that hold items."""
    answers = answer if isinstance(answer, list) else [answer]
    statuses: list[status_pb2.Status] = []
    for each in answers:
        if isinstance(each, pb.BatchWriteResponse):
            statuses += [item.error for item in each.items if item.HasField("error")]
        elif isinstance(each, pb.StreamWriteResponse) and each.item.HasField("error"):
            statuses.append(each.item.error)
    return [Failure.of(status) for status in statuses]


async def test_every_kind_of_call_is_answered_or_told_to_come_back(world: World) -> None:
    dice = random.Random(11)
    requests: list[tuple[str, Callable[[World], Message | list[Message]]]] = [
        *((name, case.ok) for name, case in CASES.items()),
        ("StreamWrite", items),  # type: ignore[list-item]
        ("Import", records),  # type: ignore[list-item]
    ]
    turns = [each for _ in range(ROUNDS) for each in dice.sample(requests, len(requests))]
    cuts: list[int] = []
    seen: list[tuple[str, Failure]] = []
    ledger = Ledger()

    async def one(name: str, request: Message | list[Message]) -> None:
        try:
            answer = await call(world.channel, name, request, world.admin, timeout=PATIENCE)
        except grpc.aio.AioRpcError as error:
            seen.append((name, told(error)))
        else:
            seen.extend((name, failure) for failure in failures_in(answer))

    async def caller(number: int) -> None:
        own = turns[number::CALLERS]
        for place in itertools.count():
            if place >= len(own) and sum(cuts) >= ENOUGH:
                return
            name, make = own[place % len(own)]
            await one(name, make(world))
            text = f"fact {number}-{place} 事实 {number * 7919 + place}"
            try:
                await ledger.keep(text, call(world.channel, "Write", write(text), world.admin, timeout=PATIENCE))
            except grpc.aio.AioRpcError as error:
                seen.append(("Write", told(error)))

    # the first one begins to listen for changes, for as long as the server lives
    await call(world.channel, "Watch", CASES["Watch"].ok(world), world.admin)
    async with nothing_left(world.dsn), asyncio.timeout(PATIENCE), cutting(world.dsn, cuts):
        await asyncio.gather(*map(caller, range(CALLERS)))
    wrong = {(name, failure.code.name, failure.text) for name, failure in seen if failure.code in NEVER} - BY_GRPC
    assert not wrong
    lost = [failure for _, failure in seen if failure.code is grpc.StatusCode.UNAVAILABLE]
    assert lost, "nothing that was cut was noticed"
    assert {failure.reason for failure in lost} == {"STORE_UNAVAILABLE"}
    assert all(failure.retry_after is not None for failure in lost)
    await ledger.holds(world.dsn, among="fact %")
