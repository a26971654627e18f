from __future__ import annotations

import asyncio
from typing import Any

import grpc
from tests.rpc.calling import ADA, Failure, call, failure
from tests.rpc.doubles import ID, WRITTEN, FakeCore

from recalld.v1 import memory_service_pb2 as pb
from recalld.v1 import memory_service_pb2_grpc
from recalld_server.errors import ContentTooLarge, NamespaceNotFound
from recalld_server.model import Durability
from recalld_server.rpc.inbox import MAX_BATCH


def item(sequence: int, content: str = "x", namespace: str = "team", **fields: Any) -> pb.StreamWriteRequest:
    return pb.StreamWriteRequest(namespace=namespace, memory={"content": content}, sequence=sequence, **fields)  # type: ignore[arg-type]


def batches(fake: FakeCore) -> list[tuple[str, list[str]]]:
    return [
        (asked.arguments[0], [draft.content for draft in asked.arguments[1]])
        for asked in fake.asked
        if asked.name == "writes.write_each"
    ]


async def test_each_item_has_an_answer_with_its_number(channel: grpc.aio.Channel, fake: FakeCore) -> None:
    numbers = [7, 7, -1, 2**62, 0]
    answers = await call(channel, "StreamWrite", [item(n, text) for n, text in zip(numbers, "一二三ab", strict=True)])
    assert [answer.sequence for answer in answers] == numbers
    assert all(answer.item.result.memory_id == str(ID) for answer in answers)
    assert [text for _, texts in batches(fake) for text in texts] == list("一二三ab")


async def test_an_empty_stream_has_no_answers(channel: grpc.aio.Channel) -> None:
    assert await call(channel, "StreamWrite", []) == []


async def test_what_waits_is_written_together_and_no_more_than_a_batch(
    channel: grpc.aio.Channel, fake: FakeCore
) -> None:
    going = asyncio.Event()
    fake.answers["writes.write_each"] = lambda principal, namespace, drafts, options: _after(going, len(drafts))
    stub = memory_service_pb2_grpc.MemoryServiceStub(channel)
    stream = stub.StreamWrite(metadata=ADA)
    for n in range(200):
        await stream.write(item(n))
    await stream.done_writing()
    await _until(lambda: len(batches(fake)) == 1)
    going.set()
    assert [answer.sequence async for answer in stream] == list(range(200))
    sizes = [len(texts) for _, texts in batches(fake)]
    assert max(sizes) == MAX_BATCH
    assert len(sizes) <= 6


async def test_order_is_kept_between_namespaces_and_ways_of_writing(channel: grpc.aio.Channel, fake: FakeCore) -> None:
    requests = [
        item(1, "a"),
        item(2, "b"),
        item(3, "c", "other"),
        item(4, "d"),
        item(5, "e", durability=pb.DURABILITY_ACCEPTED),
        item(6, "f", request_id="r6"),
        item(7, "g", request_id="r7"),
    ]
    answers = await call(channel, "StreamWrite", requests)
    assert [answer.sequence for answer in answers] == list(range(1, 8))
    written = [(asked, asked.arguments) for asked in fake.asked if asked.name == "writes.write_each"]
    assert "".join(draft.content for _, arguments in written for draft in arguments[1]) == "abcdefg"
    for _, (namespace, drafts, options) in written:
        texts = {draft.content for draft in drafts}
        assert namespace == ("other" if texts == {"c"} else "team")
        assert {each.durability for each in options} == {Durability.ACCEPTED if texts == {"e"} else Durability.INDEXED}
    requests_of = {
        d.content: o.call.request for _, (_, drafts, options) in written for d, o in zip(drafts, options, strict=True)
    }
    assert {text: request.request_id for text, request in requests_of.items() if request} == {"f": "r6", "g": "r7"}
    assert requests_of["f"].method == "recalld.v1.MemoryService/StreamWrite"


async def test_a_bad_item_has_an_error_and_the_stream_goes_on(channel: grpc.aio.Channel, fake: FakeCore) -> None:
    def write(principal: object, namespace: str, drafts: list[Any], options: object) -> list[Any]:
        if namespace == "gone":
            raise NamespaceNotFound
        return [ContentTooLarge("memory.content", 4, 5) if draft.content == "large" else WRITTEN for draft in drafts]

    fake.answers["writes.write_each"] = write
    nan = item(5)
    nan.memory.metadata.update({"a": [1, float("nan")]})
    requests: list[pb.StreamWriteRequest | bytes] = [
        item(1),
        item(2, namespace="Team"),
        item(3, ""),
        item(4, "large"),
        nan,
        item(6, namespace="gone"),
        pb.StreamWriteRequest(namespace="team", sequence=7),
        b"\xff\xff\xff",
        item(9),
    ]
    answers = await call(channel, "StreamWrite", requests)
    assert [answer.sequence for answer in answers] == [1, 2, 3, 4, 5, 6, 7, 0, 9]
    told = {answer.sequence: Failure.of(answer.item.error) for answer in answers if answer.item.HasField("error")}
    assert {sequence: each.reason for sequence, each in told.items()} == {
        2: "INVALID_FIELD",
        3: "INVALID_FIELD",
        4: "CONTENT_TOO_LARGE",
        5: "INVALID_FIELD",
        6: "NAMESPACE_NOT_FOUND",
        7: "INVALID_FIELD",
        0: "INVALID_FIELD",
    }
    assert [next(iter(told[n].fields)) for n in (2, 3, 4, 5, 7)] == [
        "namespace",
        "memory.content",
        "memory.content",
        "memory.metadata.a[1]",
        "memory.content",
    ]


async def test_a_caller_that_does_not_read_is_slowed_down(channel: grpc.aio.Channel, fake: FakeCore) -> None:
    going = asyncio.Event()
    fake.answers["writes.write_each"] = lambda principal, namespace, drafts, options: _after(going, len(drafts))
    stub = memory_service_pb2_grpc.MemoryServiceStub(channel)
    stream = stub.StreamWrite(metadata=ADA)
    sent = 0

    async def send() -> None:
        nonlocal sent
        for n in range(1000):
            await stream.write(item(n, "茶" * 10_000))
            sent += 1
        await stream.done_writing()

    sending = asyncio.ensure_future(send())
    await _until(lambda: len(batches(fake)) == 1)
    _, held_back = await asyncio.wait({sending}, timeout=2)
    assert held_back
    assert sent < 900
    going.set()
    assert [answer.sequence async for answer in stream] == list(range(1000))
    await sending


async def test_a_caller_that_goes_away_leaves_no_task_behind(channel: grpc.aio.Channel, fake: FakeCore) -> None:
    began, cancelled = asyncio.Event(), asyncio.Event()

    async def write(*_: Any) -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    fake.answers["writes.write_each"] = write
    before = _readers()
    stream = memory_service_pb2_grpc.MemoryServiceStub(channel).StreamWrite(metadata=ADA)
    for n in range(MAX_BATCH * 3):
        await stream.write(item(n))
    await began.wait()
    assert _readers() == before + 1
    stream.cancel()
    await asyncio.wait_for(cancelled.wait(), 5)
    await _until(lambda: _readers() == before)


async def test_a_failure_of_the_whole_ends_the_stream(channel: grpc.aio.Channel, fake: FakeCore) -> None:
    fake.answers["writes.write_each"] = lambda *_: TimeoutError()
    failed = await failure(channel, "StreamWrite", [item(1)])
    assert failed.code is grpc.StatusCode.DEADLINE_EXCEEDED


def _readers() -> int:
    return sum("Inbox" in repr(task.get_coro()) for task in asyncio.all_tasks())


async def _after(going: asyncio.Event, count: int) -> list[Any]:
    await going.wait()
    return [WRITTEN] * count


async def _until(condition: Any) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - what is waited for is the server's, which has no event for it
            await asyncio.sleep(0.01)
