"""Writes that come at the same time share the work, and nothing else: each has its own outcome, answer and error."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import grpc
from google.rpc import error_details_pb2, status_pb2
from tests.e2e.inside import SPACE, TestEmbedder, listening

from recalld.v1 import memory_service_pb2 as pb
from recalld.v1 import memory_service_pb2_grpc
from recalld_server.model import new_id


class Stub:
    """The service, called without the client, which would choose request ids and retry."""

    def __init__(self, channel: grpc.aio.Channel, key: str) -> None:
        self._stub = memory_service_pb2_grpc.MemoryServiceStub(channel)
        self._metadata = [("authorization", f"Bearer {key}")]

    async def write(self, content: str, request_id: str = "", **fields: str) -> pb.WriteResult | str:
        """The result, or the status code's name."""
        request = pb.WriteRequest(namespace=SPACE, memory={"content": content, **fields}, request_id=request_id)  # type: ignore[arg-type]
        try:
            return (await self._stub.Write(request, metadata=self._metadata)).result
        except grpc.aio.AioRpcError as error:
            return error.code().name

    async def stream(self, *items: tuple[str, str]) -> list[pb.WriteResult | str]:
        """The result of each text and request_id, or the reason why not."""
        requests = [
            pb.StreamWriteRequest(namespace=SPACE, memory={"content": text}, request_id=request_id, sequence=n)  # type: ignore[arg-type]
            for n, (text, request_id) in enumerate(items)
        ]
        stream = self._stub.StreamWrite(iter(requests), metadata=self._metadata)
        answers = [answer async for answer in stream]
        assert [answer.sequence for answer in answers] == list(range(len(items)))
        return [a.item.result if a.item.HasField("result") else _reason(a.item.error) for a in answers]

    async def contents(self) -> list[str]:
        answer = await self._stub.List(pb.ListRequest(namespace=SPACE, page_size=500), metadata=self._metadata)
        return [memory.content for memory in answer.memories]

    async def erase(self, memory_id: str) -> None:
        request = pb.ForgetRequest(namespace=SPACE, memory_ids=[memory_id], mode=pb.FORGET_MODE_ERASE)
        await self._stub.Forget(request, metadata=self._metadata)


def _reason(error: status_pb2.Status) -> str:
    info = error_details_pb2.ErrorInfo()
    assert any(each.Unpack(info) for each in error.details)
    return str(info.reason)


@asynccontextmanager
async def served(database: str) -> AsyncIterator[Stub]:
    async with listening(database, TestEmbedder()) as (address, key), grpc.aio.insecure_channel(address) as channel:
        yield Stub(channel, key)


def outcomes(results: Iterable[pb.WriteResult | str]) -> Counter[str]:
    return Counter(
        each if isinstance(each, str) else pb.WriteOutcome.Name(each.outcome).removeprefix("WRITE_OUTCOME_")
        for each in results
    )


async def test_each_of_many_at_once_has_its_own_outcome_and_keeps_it(database: str) -> None:
    texts = [f"第 {n % 20} 件事 fact number {n % 20} about subject {n % 20}" for n in range(40)]
    async with served(database) as stub:
        first = await asyncio.gather(*(stub.write(text, f"request {n}") for n, text in enumerate(texts)))
        assert outcomes(first) == {"CREATED": 20, "DUPLICATE": 20}
        assert sorted(await stub.contents()) == sorted(set(texts))
        again = await asyncio.gather(*(stub.write(text, f"request {n}") for n, text in enumerate(texts)))
        assert again == first
        other = await asyncio.gather(*(stub.write("another body 换了内容", f"request {n}") for n in range(3)))
        assert other == ["FAILED_PRECONDITION"] * 3
        twice = await asyncio.gather(
            *(
                stub.write(f"第 {n // 2} 次 said once, number {n // 2} about subject {n // 2}", f"twin {n // 2}")
                for n in range(20)
            )
        )
        assert twice[::2] == twice[1::2]
        assert outcomes(twice) == {"CREATED": 20}


async def test_what_is_wrong_with_one_is_told_to_that_one(database: str) -> None:
    """Two that come at once with one new id and two texts cannot be stored in one go, nor can both be stored."""
    taken, chosen = str(new_id()), str(new_id())
    async with served(database) as stub:
        await stub.write("this id is taken 这个编号有人用了", memory_id=taken)
        calls = [stub.write(f"第 {n} 件事 fact number {n} about subject {n}", f"good {n}") for n in range(10)]
        calls[3:3] = [stub.write("one text of it", memory_id=chosen), stub.write("另一种说法", memory_id=chosen)]
        calls[7:7] = [stub.write("not yours 不是你的", memory_id=taken)]
        assert outcomes(await asyncio.gather(*calls)) == {"CREATED": 11, "ALREADY_EXISTS": 2}
        assert len(await stub.contents()) == 12


async def test_erasing_a_memory_erases_the_answer_of_its_write_and_no_other(database: str) -> None:
    async with served(database) as stub:
        texts = [f"第 {n} 件事 fact number {n} about subject {n}" for n in range(12)]
        first = await asyncio.gather(*(stub.write(text, f"request {n}") for n, text in enumerate(texts)))
        gone = first[4]
        assert not isinstance(gone, str)
        await stub.erase(gone.memory_id)
        again = await asyncio.gather(*(stub.write(text, f"request {n}") for n, text in enumerate(texts)))
        assert [n for n, (one, other) in enumerate(zip(first, again, strict=True)) if one != other] == [4]
        assert outcomes([again[4]]) == {"CREATED": 1}


async def test_a_stream_with_request_ids_can_be_sent_again(database: str) -> None:
    items = [(f"第 {n} 条 item number {n}", f"item {n}") for n in range(30)]
    async with served(database) as stub:
        half = await stub.stream(*items[:15])
        whole = await stub.stream(*items)
        assert whole[:15] == half
        assert outcomes(whole) == {"CREATED": 30}
        assert len(await stub.contents()) == 30
        same, twice, other, plain = await stub.stream(
            items[3], ("said again 又说", "new"), ("said otherwise 换个说法", "new"), ("没有编号 without an id", "")
        )
        assert same == whole[3]
        assert outcomes([twice, plain]) == {"CREATED": 2}
        assert other == "REQUEST_ID_REUSED"


async def test_a_stream_is_written_in_the_order_in_which_it_comes(database: str) -> None:
    cities = ["Rome", "Oslo", "Lima", "Kyoto", "Quito", "Perth"]
    async with served(database) as stub:
        results = await stub.stream(*((f"Omar lives in {city}", f"city {city}") for city in cities))
        assert outcomes(results) == {"CREATED": 1, "SUPERSEDED": 5}
        assert await stub.contents() == ["Omar lives in Perth"]
