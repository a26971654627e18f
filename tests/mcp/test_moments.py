"""What depends on the moment: progress, cancellation, sessions, traces, and updates of resources."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from mcp.shared.subscriptions import ResourceUpdated
from mcp.types import RequestParamsMeta, ResourceUpdatedNotification, TextResourceContents
from tests.mcp.bridges import Endpoint, http_client, in_memory, text
from tests.mcp.scripted import Script, scripted

import recalld
from mcp import Client
from recalld_mcp.bridge import Bridge, ConfiguredConnection, Defaults
from recalld_mcp.server import make_server
from recalld_server.demo.process import Running

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
MODES = ["auto", "legacy"]


@asynccontextmanager
async def bridged(tmp_path: Path) -> AsyncIterator[tuple[Script, Any]]:
    key_file = tmp_path / "key"
    key_file.write_text("rk_0123456789abcdef_secret")
    async with scripted() as (script, address):
        yield script, make_server(Bridge(ConfiguredConnection(address, str(key_file)), Defaults("here")))


def updated(event: object) -> str:
    """The resource that an event is about."""
    assert isinstance(event, ResourceUpdated)
    return event.uri


@pytest.mark.parametrize("mode", MODES)
async def test_a_reflection_tells_its_progress(tmp_path: Path, mode: str) -> None:
    seen: list[float] = []

    async def told_of(progress: float, total: float | None, message: str | None) -> None:
        seen.append(progress)

    async with bridged(tmp_path) as (script, server), Client(server, mode=mode) as client:
        for step in (0.25, 0.5, 1.0):
            script.steps.put_nowait(step)
        result = await client.call_tool(
            "memory_reflect", {"session_id": "s", "targets": ["lessons"]}, progress_callback=told_of
        )
    content = result.structured_content or {}
    assert (content["state"], len(content["insights"])) == ("succeeded", 2)
    assert content["insights"][1]["content"] == "部署前要先备份。"
    assert script.requests[0].scope.session_id == "s"
    assert seen == [0.25, 0.5, 1.0]


async def test_giving_a_reflection_up_cancels_it_on_the_server(tmp_path: Path) -> None:
    begun = asyncio.Event()

    async def told_of(progress: float, total: float | None, message: str | None) -> None:
        begun.set()

    async with bridged(tmp_path) as (script, server), Client(server) as client:
        script.steps.put_nowait(0.5)
        call = asyncio.create_task(client.call_tool("memory_reflect", {}, progress_callback=told_of))
        await asyncio.wait_for(begun.wait(), 20)
        call.cancel()
        await asyncio.wait_for(script.cancelled.wait(), 20)


async def test_giving_a_search_up_reaches_the_server(tmp_path: Path) -> None:
    async with bridged(tmp_path) as (script, server), Client(server) as client:
        call = asyncio.create_task(client.call_tool("memory_search", {"query": "x"}))
        await asyncio.wait_for(script.searching.wait(), 20)
        call.cancel()
        await asyncio.wait_for(script.search_cancelled.wait(), 20)


async def test_a_session_is_appended_to_read_and_ended(tmp_path: Path) -> None:
    async with bridged(tmp_path) as (_, server), Client(server) as client:

        async def session(**arguments: Any) -> dict[str, Any]:
            result = await client.call_tool("memory_session", {"session_id": "s", **arguments})
            assert not result.is_error, text(result)
            return result.structured_content or {}

        turns = '[{"role": "user", "content": "备份在哪里？"}, {"role": "ASSISTANT", "content": "In the vault."}]'
        assert (await session(action="append", turns=turns))["turn_count"] == 2
        shown = await session(action="get")
        assert [turn["content"] for turn in shown["turns"]] == ["备份在哪里？", "In the vault."]
        assert [turn["role"] for turn in shown["turns"]] == ["user", "assistant"]
        ended = await session(action="end")
        assert (ended["state"], ended["reflection_id"]) == ("ended", "r-1")
        for wrong in ({"action": "append"}, {"action": "end", "turns": [{"content": "x"}]}, {"action": "delete"}):
            assert (await client.call_tool("memory_session", {"session_id": "s", **wrong})).is_error


async def test_what_the_server_does_not_serve_is_said_and_not_faked(tmp_path: Path) -> None:
    async with bridged(tmp_path) as (_, server), Client(server) as client:
        result = await client.call_tool("memory_list", {})
    assert result.is_error
    assert "Do without it" in text(result)


async def test_the_callers_trace_reaches_the_server(tmp_path: Path) -> None:
    async with bridged(tmp_path) as (script, server), Client(server) as client:
        await client.call_tool("memory_stats", {}, meta=cast(RequestParamsMeta, {"traceparent": TRACE}))
    (metadata,) = script.metadata
    assert TRACE.split("-")[1] in metadata["traceparent"]
    assert metadata["authorization"] == "Bearer rk_0123456789abcdef_secret"


async def test_clients_of_the_current_protocol_are_told_of_updates(tmp_path: Path) -> None:
    wanted = ["memory://here/recent", "memory://team/a/stats", "memory://memory/m-1"]
    async with bridged(tmp_path) as (script, server), Client(server) as client:
        async with client.listen(resource_subscriptions=wanted) as subscription:
            assert sorted(script.requests[0].namespaces) == ["here", "team/a"]
            events = aiter(subscription)

            async def told(count: int) -> set[str]:
                return {updated(await asyncio.wait_for(anext(events), 20)) for _ in range(count)}

            script.tell("CREATED", "elsewhere")
            script.tell("CHECKPOINT", "")
            script.tell("CREATED", "team/a", "m-1")  # of that id, but in another namespace
            assert await told(1) == {"memory://team/a/stats"}
            script.tell("UPDATED", "here", "m-1")
            assert await told(2) == {"memory://here/recent", "memory://memory/m-1"}
            script.tell("RESET", "")
            assert await told(3) == set(wanted)
        await asyncio.wait_for(script.watch_ended.wait(), 20)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:resources/")
async def test_older_clients_are_told_of_updates_until_they_want_no_more(tmp_path: Path) -> None:
    told: asyncio.Queue[str] = asyncio.Queue()

    async def listener(message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            told.put_nowait(str(message.params.uri))

    async with bridged(tmp_path) as (script, server), Client(server, mode="legacy", message_handler=listener) as client:
        resources = client.server_capabilities.resources
        assert resources is not None
        assert resources.subscribe is True
        await client.subscribe_resource("memory://here/recent")
        await client.subscribe_resource("memory://namespaces")
        script.tell("CREATED", "here", "m-2")
        assert {await asyncio.wait_for(told.get(), 20) for _ in range(2)} == {
            "memory://here/recent",
            "memory://namespaces",
        }
        await client.unsubscribe_resource("memory://here/recent")
        script.tell("FORGOTTEN", "here", "m-2")
        assert await asyncio.wait_for(told.get(), 20) == "memory://namespaces"
        script.watch_ended.clear()
        await client.unsubscribe_resource("memory://namespaces")
        await asyncio.wait_for(script.watch_ended.wait(), 20)
        assert told.empty()


async def test_one_ide_sees_what_another_writes(running: Running, endpoint: Endpoint, root: recalld.Client) -> None:
    key = root.keys.create("cursor", "writer").secret
    uri = f"memory://{root.name}/recent"
    async with Client(in_memory(running, root.name)) as one, http_client(endpoint.url, key) as other:
        async with one.listen(resource_subscriptions=[uri]) as subscription:
            written = await other.call_tool("memory_write", {"content": "发布改到周五。", "namespace": root.name})
            event = await asyncio.wait_for(anext(aiter(subscription)), 30)
            assert updated(event) == uri
        (content,) = (await one.read_resource(uri)).contents
        assert isinstance(content, TextResourceContents)
    assert (written.structured_content or {})["memory_id"] in content.text
