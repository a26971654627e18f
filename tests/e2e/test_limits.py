"""Limits as callers meet them: RESOURCE_EXHAUSTED, which quota, and when to try again; other tenants notice nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from tests.e2e.watching import SPACE, Server, server

from recalld import AsyncClient, RetryPolicy
from recalld.errors import QuotaExceeded
from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb
from recalld.v1 import memory_service_pb2_grpc as grpc_pb
from recalld_server.model import Limits, Policy

TEA = "喝茶不加糖。"


@asynccontextmanager
async def limited(database: str, **limits: Any) -> AsyncIterator[tuple[Server, AsyncClient]]:
    """A server whose tenant `default` has these limits, and a client of it."""
    async with server(database) as running:
        await running.store.quotas().set_limits("default", Limits(**limits))
        key = await running.key("ann")
        async with AsyncClient(running.address, key=key, namespace=SPACE, retry=RetryPolicy(attempts=1)) as client:
            yield running, client


async def refused(call: Any) -> QuotaExceeded:
    with pytest.raises(QuotaExceeded) as caught:
        await call
    return caught.value


async def test_the_rate_is_that_of_all_keys_of_a_tenant_and_of_no_other(database: str) -> None:
    async with limited(database, requests_per_second=0.2) as (running, client):
        await client.search("茶")
        error = await refused(client.search("tea"))
        assert error.retry_after is not None
        assert 0 < error.retry_after <= 5
        async with running.client(await running.key("bob")) as colleague:
            await refused(colleague.search("tea"))
        tenant_id = await running.store.ensure_tenant("orion")
        await running.store.create_namespace(tenant_id, SPACE, description="", policy=Policy())
        async with running.client(await running.key("eve", tenant="orion")) as other:
            for _ in range(3):
                await other.search("tea")


async def test_a_refusal_says_what_ran_out_and_when_to_try_again(database: str) -> None:
    async with limited(database, requests_per_second=0.2) as (running, client):
        await client.search("茶")
        key = await running.key("ann")
        async with grpc.aio.insecure_channel(running.address) as channel:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await grpc_pb.MemoryServiceStub(channel).Search(
                    pb.SearchRequest(namespaces=[SPACE], query="茶"), metadata=(("authorization", f"Bearer {key}"),)
                )
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    status = rpc_status.from_call(caught.value)  # type: ignore[arg-type]
    info, retry, quota = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo(), error_details_pb2.QuotaFailure()
    for message in (info, retry, quota):
        assert any(detail.Unpack(message) for detail in status.details)
    assert (info.reason, dict(info.metadata)) == ("QUOTA_EXCEEDED", {"quota": "requests_per_second"})
    assert [violation.subject for violation in quota.violations] == ["requests_per_second"]
    assert 0 < retry.retry_delay.ToNanoseconds() <= 5e9


async def test_a_watch_is_a_call_under_way(database: str) -> None:
    async with limited(database, concurrent_calls=1) as (running, client):
        async with running.watch(await running.key("ann")) as stream:
            await stream.begun()
            error = await refused(client.search("茶"))
            assert "under way" in str(error)
        async with asyncio.timeout(30):
            while True:
                try:
                    await client.search("茶")
                    break
                except QuotaExceeded:
                    await asyncio.sleep(0.01)


async def test_a_tenant_that_keeps_all_that_it_may_can_still_read_and_erase(database: str) -> None:
    async with limited(database, memories=2) as (_, client):
        first = await client.write(TEA)
        await client.write("Coffee is served at nine.")
        for attempt in (
            client.write("One more."),
            client.write_batch(["One more.", "再来一条。"]),
        ):
            await refused(attempt)
        assert (await client.stats()).total == 2
        assert (await client.search("茶")).hits
        await client.forget([first.memory_id], mode="erase")
        await client.write("再来一条。")


async def test_bytes_are_those_of_the_texts(database: str) -> None:
    async with limited(database, stored_bytes=30) as (_, client):
        await client.write(TEA)
        await refused(client.write("茶" * 5))
        await client.write("茶" * 4)


async def test_a_stream_of_writes_ends_where_the_room_does_and_keeps_what_it_took(database: str) -> None:
    async with limited(database, memories=3) as (running, client):
        key = await running.key("ann")

        async def items() -> AsyncIterator[pb.StreamWriteRequest]:
            for n in range(6):
                memory = memory_pb2.MemoryInput(content=f"{n} {TEA}", kind=memory_pb2.MEMORY_KIND_EPISODIC)
                yield pb.StreamWriteRequest(namespace=SPACE, sequence=n, memory=memory)

        answered = []
        async with grpc.aio.insecure_channel(running.address) as channel:
            call = grpc_pb.MemoryServiceStub(channel).StreamWrite(
                items(), metadata=(("authorization", f"Bearer {key}"),)
            )
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                answered.extend([answer.sequence async for answer in call])
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert (await client.stats()).total == 3


async def test_tokens_of_the_model_run_out(database: str) -> None:
    async with limited(database, model_tokens_per_day=40) as (_, client):
        await client.write(TEA * 10)
        error = await refused(client.search("茶"))
        assert "tokens" in str(error)
        assert error.retry_after is not None
        assert (await client.stats()).total == 1
