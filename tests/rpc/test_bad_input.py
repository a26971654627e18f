"""Whatever is sent, the answer is an answer or an error that its caller can act on: never INTERNAL, never UNKNOWN."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
import structlog
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from tests.rpc.calling import METHODS, Failure, call, failure, told
from tests.rpc.doubles import ID, FakeCore
from tests.rpc.test_unserved import UNSERVED

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb

SERVED = [method for method in METHODS.values() if method not in UNSERVED]

TEXTS = [
    "",
    " ",
    "　",
    "\u200b",
    "\n\t",
    "\x00",
    "a\x00b",
    "\x1b[31m",
    "team",
    "team/a",
    "TEAM",
    "..",
    "a//b",
    "%",
    "_",
    "'; drop table memories; --",
    "团队",
    "👨\u200d👩\u200d👧",
    "e\u0301",
    "\ufeff",
    "\u202eabc",
    "\ud7ff\ue000",
    "x" * 129,
    "x" * 5000,
    str(ID),
    str(ID).upper(),
    "00000000-0000-0000-0000-000000000000",
    "0",
    "-1",
    "null",
    "{}",
    "UTC",
    "Mars/Olympus",
    "metadata.",
    "metadata.a",
    "content",
    "state",
    "*",
    "en",
]
NUMBERS = [0.0, -0.0, 1.0, 0.5, -1.0, 1.01, 1e308, 5e-324, float("nan"), float("inf"), float("-inf"), 2.0**53, 2.0**63]
INTEGERS = [0, 1, -1, 5, 100, 101, 1000, 1001, 2**31 - 1, -(2**31)]
LONGS = [*INTEGERS, 2**63 - 1, -(2**63), 999_999_999, 1_000_000_000, 253_402_300_799, 253_402_300_800, -62_135_596_801]


def value(field: Any, dice: random.Random) -> Any:
    kind = field.type
    if kind == FieldDescriptor.TYPE_STRING:
        return dice.choice(TEXTS)
    if kind == FieldDescriptor.TYPE_BOOL:
        return dice.random() < 0.5
    if kind in (FieldDescriptor.TYPE_DOUBLE, FieldDescriptor.TYPE_FLOAT):
        return dice.choice(NUMBERS)
    if kind == FieldDescriptor.TYPE_ENUM:
        return dice.choice([0, 1, 2, 3, 4, 7, 99, -1])
    if kind == FieldDescriptor.TYPE_INT32:
        return dice.choice(INTEGERS)
    assert kind == FieldDescriptor.TYPE_INT64
    return dice.choice(LONGS)


def fill(message: Message, dice: random.Random, depth: int = 0) -> None:
    """Puts values that are odd, extreme or fine into some of the fields."""
    for field in message.DESCRIPTOR.fields:
        if dice.random() < (0.3 if depth < 3 else 0.7):
            continue
        times = dice.choice([0, 1, 2, 3]) if field.is_repeated else 1
        for _ in range(times):
            put(message, field, dice, depth)


def put(message: Message, field: Any, dice: random.Random, depth: int) -> None:
    target = getattr(message, field.name)
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        fill(target[dice.choice(TEXTS)], dice, depth + 1)
    elif field.message_type is not None:
        if depth < 6:
            inner = target.add() if field.is_repeated else target
            inner.SetInParent()
            fill(inner, dice, depth + 1)
    elif field.is_repeated:
        target.append(value(field, dice))
    else:
        setattr(message, field.name, value(field, dice))


def requests(
    descriptor: Descriptor, count: int, namespace: str = "team", memory_id: str = str(ID)
) -> Iterator[tuple[int, Message]]:
    """Requests by seed. Most name a namespace and a memory that are there, or nothing behind these would be looked at."""
    for seed in range(count):
        dice = random.Random(f"{descriptor.name}/{seed}")
        message = GetMessageClass(descriptor)()
        fill(message, dice)
        for name in ("namespace", "name"):
            if name in descriptor.fields_by_name and dice.random() < 0.9:
                setattr(message, name, namespace)
        if "namespaces" in descriptor.fields_by_name and dice.random() < 0.9:
            message.ClearField("namespaces")
            message.namespaces.append(namespace)  # type: ignore[attr-defined]
        if "memory_id" in descriptor.fields_by_name and dice.random() < 0.9:
            message.memory_id = memory_id  # type: ignore[attr-defined]
        yield seed, message


async def outcome(channel: grpc.aio.Channel, method: MethodDescriptor, request: Message | bytes) -> Failure | None:
    """What is told when the call fails."""
    try:
        await call(channel, method, request)
    except grpc.aio.AioRpcError as error:
        return told(error)
    return None


@pytest.mark.parametrize("method", SERVED, ids=lambda method: method.name)
async def test_generated_requests(channel: grpc.aio.Channel, method: MethodDescriptor) -> None:
    failures = []
    with structlog.testing.capture_logs() as logs:
        for seed, request in requests(method.input_type, 150):
            if failed := await outcome(channel, method, request):
                failures.append(failed)
                assert failed.code is grpc.StatusCode.INVALID_ARGUMENT, (method.name, seed, failed, logs)
                assert failed.reason == "INVALID_FIELD", (method.name, seed, failed)
                assert failed.fields, (method.name, seed, failed)
                assert all(failed.fields), (method.name, seed, failed)
    assert logs == []
    # otherwise the requests are not bad enough to show anything; the items of a stream have errors of their own
    assert failures or method.client_streaming


@pytest.mark.parametrize("method", SERVED, ids=lambda method: method.name)
async def test_generated_bytes(channel: grpc.aio.Channel, method: MethodDescriptor) -> None:
    for seed, request in requests(method.input_type, 40):
        dice = random.Random(seed)
        body = bytearray(request.SerializeToString())
        for _ in range(dice.choice([1, 2, 8])):
            if body:
                body[dice.randrange(len(body))] = dice.randrange(256)
        if dice.random() < 0.3:
            body = body[: len(body) // 2]
        failed = await outcome(channel, method, bytes(body))
        assert failed is None or failed.code is grpc.StatusCode.INVALID_ARGUMENT, (method.name, seed, failed)


async def test_each_item_of_a_batch_is_judged_by_itself(channel: grpc.aio.Channel, fake: FakeCore) -> None:
    memories = [
        memory_pb2.MemoryInput(content="我对花生过敏"),
        memory_pb2.MemoryInput(),
        memory_pb2.MemoryInput(content="x", kind=9),  # type: ignore[arg-type]
        memory_pb2.MemoryInput(content="x", memory_id="7"),
        memory_pb2.MemoryInput(content="x"),
        memory_pb2.MemoryInput(content="x", user_id="a\x00"),
        memory_pb2.MemoryInput(content="fine"),
    ]
    memories[4].metadata.update({"nested": {"a": [1, float("nan")]}})
    answer = await call(channel, "BatchWrite", pb.BatchWriteRequest(namespace="team", memories=memories))
    told_of = [next(iter(Failure.of(item.error).fields)) if item.HasField("error") else "" for item in answer.items]
    assert told_of == [
        "",
        "memory.content",
        "memory.kind",
        "memory.memory_id",
        "memory.metadata.nested.a[1]",
        "memory.user_id",
        "",
    ]
    drafts = fake.asked[-1].arguments[1]
    assert [draft.content for draft in drafts if not isinstance(draft, Exception)] == ["我对花生过敏", "fine"]


async def test_what_is_refused_never_reaches_the_rules(channel: grpc.aio.Channel, fake: FakeCore) -> None:
    bad_memory = pb.WriteRequest(namespace="team", memory={"content": "x"})  # type: ignore[arg-type]
    bad_memory.memory.metadata.update({"order_id": 9007199254740993})
    bad_zone = pb.SearchRequest(namespaces=["team"], query="x", time_zone="Mars/Olympus")
    bad_time = pb.GetRequest(namespace="team", memory_id=str(ID))
    bad_time.as_of.seconds = 253_402_300_800
    bad_mask = pb.UpdateRequest(namespace="team", memory_id=str(ID), memory={}, update_mask={"paths": ["state"]})  # type: ignore[arg-type]
    for method, request, field in (
        ("Write", bad_memory, "memory.metadata.order_id"),
        ("Search", bad_zone, "time_zone"),
        ("Get", bad_time, "as_of.seconds"),
        ("Update", bad_mask, "update_mask.paths[0]"),
    ):
        failed = await failure(channel, method, request)
        assert failed.code is grpc.StatusCode.INVALID_ARGUMENT
        assert list(failed.fields) == [field]
        assert failed.text.startswith(f"{field}: ")
    assert {asked.name for asked in fake.asked} == {"keys.authenticate"}
