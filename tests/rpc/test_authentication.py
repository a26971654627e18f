from __future__ import annotations

from collections.abc import Sequence

import grpc
import pytest
import structlog
from google.protobuf.descriptor import MethodDescriptor
from tests.rpc.calling import ADA, BEN, METHODS, call, failure
from tests.rpc.doubles import BEN as BEN_HERSELF
from tests.rpc.doubles import FakeCore

from recalld.v1 import memory_service_pb2 as pb
from recalld_server.errors import StoreUnavailable

NOBODY: Sequence[Sequence[tuple[str, str]]] = [
    (),
    (("authorization", ""),),
    (("authorization", "Bearer"),),
    (("authorization", "Bearer eve"),),
    (("authorization", "Basic ada"),),
    (("x-authorization", "Bearer ada"),),
    (("authorization", "Bearer ada"), ("authorization", "Bearer ben")),
]


@pytest.mark.parametrize("metadata", NOBODY)
async def test_no_key_or_a_wrong_one_is_nobody(
    channel: grpc.aio.Channel, fake: FakeCore, metadata: Sequence[tuple[str, str]]
) -> None:
    failed = await failure(channel, "Stats", pb.StatsRequest(), metadata)
    assert (failed.code, failed.reason) == (grpc.StatusCode.UNAUTHENTICATED, "INVALID_CREDENTIAL")
    assert "authorization" in failed.text
    assert all(asked.name == "keys.authenticate" for asked in fake.asked)


async def test_the_log_is_told_and_not_what_was_sent(channel: grpc.aio.Channel) -> None:
    with structlog.testing.capture_logs() as logs:
        await failure(channel, "Stats", pb.StatsRequest(), (("authorization", "Bearer rk_eve"),))
    assert [line["method"] for line in logs if line["event"] == "no valid credential"] == [
        "recalld.v1.MemoryService/Stats"
    ]
    assert "rk_eve" not in str(logs)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS.keys())
async def test_every_call_needs_a_key_before_anything_else_is_said(
    channel: grpc.aio.Channel, fake: FakeCore, method: MethodDescriptor
) -> None:
    for request in (b"", b"\xff\xff"):
        failed = await failure(channel, method, request, ())
        assert (failed.code, failed.reason) == (grpc.StatusCode.UNAUTHENTICATED, "INVALID_CREDENTIAL")
    assert fake.asked == []


async def test_the_rules_are_told_who_calls(channel: grpc.aio.Channel, fake: FakeCore) -> None:
    await call(channel, "Stats", pb.StatsRequest(), BEN)
    assert fake.asked[-1].principal == BEN_HERSELF
    await call(channel, "StreamWrite", [pb.StreamWriteRequest(namespace="a", memory={"content": "x"})], BEN)  # type: ignore[arg-type]
    assert fake.asked[-1].principal == BEN_HERSELF


async def test_calls_at_the_same_time_do_not_take_each_others_name(channel: grpc.aio.Channel, fake: FakeCore) -> None:
    import asyncio

    arrived = {"ada": asyncio.Event(), "ben": asyncio.Event()}

    async def stats(principal: object, *_: object) -> object:
        arrived[principal.agent_id].set()  # type: ignore[attr-defined]
        for each in arrived.values():
            await each.wait()
        return StoreUnavailable(principal.agent_id)  # type: ignore[attr-defined]

    fake.answers["figures.stats"] = stats
    failed = await asyncio.gather(*(failure(channel, "Stats", pb.StatsRequest(), each) for each in (ADA, BEN)))
    assert [each.text for each in failed] == ["ada", "ben"]


async def test_a_store_that_does_not_answer_is_not_a_wrong_key(channel: grpc.aio.Channel, fake: FakeCore) -> None:
    fake.answers["keys.authenticate"] = StoreUnavailable("the database does not answer", 2.0)
    failed = await failure(channel, "Stats", pb.StatsRequest())
    assert (failed.code, failed.reason, failed.retry_after) == (grpc.StatusCode.UNAVAILABLE, "STORE_UNAVAILABLE", 2.0)
