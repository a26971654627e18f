"""Every tool, resource and prompt with the official client, over stdio and HTTP, in the current protocol and an older one."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest
from mcp.types import INVALID_PARAMS, TextResourceContents
from tests.mcp.bridges import Endpoint, Person, http_client, in_memory, said, stdio, text

import recalld
from mcp import Client, MCPError
from recalld_server.demo.process import Running

WAYS = [(transport, mode) for transport in ("stdio", "http") for mode in ("auto", "legacy")]


@asynccontextmanager
async def connected(
    transport: str, mode: str, running: Running, endpoint: Endpoint, **options: Any
) -> AsyncIterator[Client]:
    if transport == "http":
        async with http_client(endpoint.url, running.root_key, mode, **options) as client:
            yield client
    else:
        bridge = stdio(RECALLD_ADDR=running.address, RECALLD_KEY=running.root_key)
        async with Client(bridge, mode=mode, **options) as client:
            yield client


@pytest.mark.parametrize(("transport", "mode"), WAYS)
async def test_every_tool_answers(
    transport: str, mode: str, running: Running, endpoint: Endpoint, root: recalld.Client
) -> None:
    person = Person(agrees=True)
    async with connected(transport, mode, running, endpoint, elicitation_callback=person) as client:
        assert (client.protocol_version >= "2026") is (mode == "auto")

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            result = await client.call_tool(tool, {"namespace": root.name, **arguments})
            assert not result.is_error, text(result)
            assert json.loads(text(result)) == result.structured_content
            return result.structured_content or {}

        async def refused(tool: str, **arguments: Any) -> str:
            result = await client.call_tool(tool, {"namespace": root.name, **arguments})
            assert result.is_error
            return text(result)

        written = await call("memory_write", content="Alice is allergic to peanuts.", tags=["food"], metadata={"n": 1})
        assert written["outcome"] == "created"
        memory_id = written["memory_id"]
        again = await call("memory_write", content="Alice is allergic to peanuts.")
        assert (again["outcome"], again["memory_id"]) == ("duplicate", memory_id)
        chinese = await call("memory_write", content="林乔住在杭州，喜欢★咖啡😀\u00a0é。", user_id="lin")

        found = await call("memory_search", query="What is Alice allergic to?", top_k="1")
        assert [hit["memory_id"] for hit in found["hits"]] == [memory_id]
        found = await call("memory_search", query="林乔住在哪里？", user_id="lin")
        assert [hit["content"] for hit in found["hits"]] == ["林乔住在杭州，喜欢★咖啡😀\u00a0é。"]

        read = await call("memory_get", memory_id=memory_id, with_revisions=True)
        assert read["memory"]["metadata"] == {"n": 1}
        assert [entry["action"] for entry in read["revisions"]] == ["write"]

        page = await call("memory_list", page_size=1)
        assert [each["memory_id"] for each in page["memories"]] == [chinese["memory_id"]]
        rest = await call("memory_list", page_size=1, page_token=page["next_page_token"])
        assert [each["memory_id"] for each in rest["memories"]] == [memory_id]

        changed = await call("memory_update", memory_id=memory_id, importance="0.9", metadata_set='{"m": 2}')
        assert changed["memory"]["importance"] == 0.9
        assert changed["memory"]["metadata"] == {"n": 1, "m": 2}
        stale = await refused("memory_update", memory_id=memory_id, importance=0.1, etag=read["memory"]["etag"])
        assert changed["memory"]["etag"] in stale
        assert "nothing to change" in await refused("memory_update", memory_id=memory_id)

        assert (await call("memory_stats"))["total"] == 2
        assert "peanuts" in (await call("memory_context", query="What may Alice eat?"))["text"]

        forgotten = await call("memory_forget", memory_ids=[memory_id])
        assert forgotten["done"] is True
        assert "Alice is allergic to peanuts." in person.asked[-1]
        assert (await call("memory_search", query="Alice peanuts", any_tags=["food"]))["hits"] == []
        back = await call("memory_update", memory_id=memory_id, restore=True)
        assert back["memory"]["content"] == "Alice is allergic to peanuts."


@pytest.mark.parametrize(("transport", "mode"), WAYS)
async def test_every_resource_and_prompt_answers(
    transport: str, mode: str, running: Running, endpoint: Endpoint, root: recalld.Client
) -> None:
    written = root.write("Falcon is deployed on Fridays.")
    with recalld.Client(running.address, key=running.root_key) as default:
        here = default.write(f"The marker is {root.name}.").memory_id
    async with connected(transport, mode, running, endpoint) as client:

        async def read(uri: str) -> Any:
            (content,) = (await client.read_resource(uri)).contents
            assert isinstance(content, TextResourceContents)
            assert content.mime_type == "application/json"
            return json.loads(content.text)

        assert root.name in {each["name"] for each in (await read("memory://namespaces"))["namespaces"]}
        recent = await read(f"memory://{root.name}/recent")
        assert [each["memory_id"] for each in recent["memories"]] == [written.memory_id]
        assert (await read(f"memory://{root.name}/stats"))["total"] == 1
        assert here in {each["memory_id"] for each in (await read("memory://default/recent"))["memories"]}
        assert (await read(f"memory://memory/{here}"))["content"] == f"The marker is {root.name}."
        with pytest.raises(MCPError, match="NAMESPACE_NOT_FOUND"):
            await read("memory://no/such/place/recent")

        async def prompt(name: str, **arguments: str) -> str:
            (message,) = (await client.get_prompt(name, arguments)).messages
            return said(message.content)

        assert root.name in await prompt("recall_context", topic=f"What is the marker {root.name}?")
        assert "共享记忆" in await prompt("recall_context", topic="标记是什么？")
        assert "memory_session with action end and session_id s-1" in await prompt(
            "end_of_session_hindsight", session_id="s-1"
        )
        assert "请回顾" in await prompt("end_of_session_hindsight", language="zh")
        assert here in await prompt("weekly_review")
        assert "最近七天" in await prompt("weekly_review", language="zh-CN")
        assert "共享记忆" in await prompt("recall_context", topic="标记是什么？", language="")
        with pytest.raises(MCPError, match="topic: is required and takes a text"):
            await prompt("recall_context", topic=" \u3000")
        with pytest.raises(MCPError, match=r"topc: is not an argument .*; did you mean topic\?"):
            await prompt("recall_context", topc="标记")
        with pytest.raises(MCPError, match="no such prompt; known are recall_context, ") as unknown:
            await prompt("回忆")
        assert unknown.value.code == INVALID_PARAMS


async def test_errors_are_text_that_says_what_to_change(running: Running, root: recalld.Client) -> None:
    async with Client(in_memory(running, root.name)) as client:

        async def refused(tool: str, **arguments: Any) -> str:
            result = await client.call_tool(tool, arguments)
            assert result.is_error
            return text(result)

        said = await refused("memory_search", query="x", limit=5, any_tags="a,b", top_k="ten")
        assert "limit: is not an argument of this tool" in said
        assert "any_tags: takes a list" in said
        assert "top_k: takes a whole number, not a text" in said
        assert "user_id: is blank" in await refused("memory_search", query="x", user_id=" ")
        assert "MEMORY_NOT_FOUND" in await refused("memory_get", memory_id="01890a5d-ac96-774b-bcce-b302099a8057")
        assert "memory_id" in await refused("memory_get", memory_id="nope")
        assert "NAMESPACE_NOT_FOUND" in await refused("memory_stats", namespace="no/such")
        assert "after: takes an ISO 8601 time" in await refused("memory_list", after="last week")
        assert "32" in await refused("memory_write", content="x" * 200_000)
        assert "metadata" in await refused("memory_write", content="x", metadata={"n": 2**60})
        assert root.stats().total == 0


async def test_large_texts_pass_on_one_line_and_answers_stay_bounded(running: Running, root: recalld.Client) -> None:
    long = "知识 knowledge " * 1200  # about 25 KB of UTF-8
    async with Client(in_memory(running, root.name)) as client:
        for mark in range(10):
            assert not (await client.call_tool("memory_write", {"content": f"{mark * 7919} {long}"})).is_error
        found = await client.call_tool("memory_search", {"query": "knowledge 知识", "top_k": 10})
        hits = (found.structured_content or {})["hits"]
        assert len(hits) == len(root.search("knowledge 知识", top_k=10))
        assert len(text(found)) < 40_000
        assert all(hit["truncated"] for hit in hits)
        whole = await client.call_tool("memory_get", {"memory_id": hits[0]["memory_id"]})
        content = (whole.structured_content or {})["memory"]["content"]
        assert content == root.get(hits[0]["memory_id"]).content
        short = await client.call_tool("memory_get", {"memory_id": hits[0]["memory_id"], "max_tokens": 100})
        assert len((short.structured_content or {})["memory"]["content"]) <= 300
        for megabytes in (1, 3):
            refused = await client.call_tool("memory_write", {"content": "x" * (megabytes << 20)})
            assert refused.is_error
            assert text(refused) == (
                f"INVALID_ARGUMENTS: content: takes at most 32768 characters, not {megabytes << 20}"
            )
        wide = await client.call_tool("memory_write", {"content": "识" * 20_000})
        assert wide.is_error
        assert "32,768" in text(wide)
        assert "识" not in text(wide)
        assert not (await client.call_tool("memory_stats", {})).is_error


async def test_the_user_of_the_configuration_is_who_memories_are_about(running: Running, root: recalld.Client) -> None:
    async with Client(in_memory(running, root.name, "ada")) as client:
        await client.call_tool("memory_write", {"content": "Likes tea."})
        await client.call_tool("memory_write", {"content": "Likes chess.", "user_id": "bob"})
        found = await client.call_tool("memory_search", {"query": "likes"})
    assert {memory.content: memory.user_id for memory in root.list()} == {"Likes tea.": "ada", "Likes chess.": "bob"}
    assert len((found.structured_content or {})["hits"]) == 2


@pytest.mark.parametrize("said", ["The kiln was lit.", "窑炉已经点火。"])
async def test_a_write_that_is_delivered_twice_is_one_memory(running: Running, root: recalld.Client, said: str) -> None:
    async with Client(in_memory(running, root.name)) as client:

        async def write(content: str, **names: str) -> dict[str, Any]:
            result = await client.call_tool("memory_write", {"content": content, **names})
            return {"error": text(result)} if result.is_error else result.structured_content or {}

        named = {"memory_id": str(uuid4()), "request_id": f"delivery-{uuid4()}"}
        first, retried = await write(said, **named), await write(said, **named)
        assert first == retried
        assert (first["outcome"], first["memory_id"]) == ("created", named["memory_id"])
        again = await write(said, memory_id=named["memory_id"])
        assert (again["outcome"], again["memory_id"]) == ("duplicate", named["memory_id"])
        assert "error" in await write(f"{said} 2", **named)
        assert "error" in await write(f"{said} 2", memory_id=named["memory_id"])
    assert [memory.content for memory in root.list()] == [said]
