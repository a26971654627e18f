"""memory_reflect on a real server: what is kept, what is told meanwhile, and what giving up stops."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.faults.chat_server import ChatServer, answer, insight
from tests.mcp.bridges import in_memory, text
from tests.mcp.conftest import FAST, reachable

import recalld
from mcp import Client
from recalld_mcp.tools import reflect as reflect_tool
from recalld_server.demo import process


async def reflect(client: Client, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool("memory_reflect", arguments)
    assert not result.is_error, text(result)
    return result.structured_content or {}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("I prefer window seats, and I'm allergic to nuts.", "Which seats?"),
        ("我对花生过敏，请别放。", "对什么过敏？"),
    ],
)
async def test_a_session_becomes_insights_that_are_found(
    running: process.Running, root: recalld.Client, mode: str, said: str, question: str
) -> None:
    root.session("trip").add(said)
    told: list[float] = []

    async def told_of(progress: float, total: float | None, message: str | None) -> None:
        told.append(progress)

    async with Client(in_memory(running, root.name), mode=mode) as client:
        tried = await reflect(client, session_id="trip", dry_run=True)
        assert [each["content"] for each in tried["insights"]] == [said]
        assert root.stats().total == 0
        result = await client.call_tool("memory_reflect", {"session_id": "trip"}, progress_callback=told_of)
        done = result.structured_content or {}
        assert done["state"] == "succeeded", text(result)
        (kept,) = done["insights"]
        assert (kept["content"], kept["outcome"]) == (said, "created")
        assert told == sorted(told)
        assert told[-1] == 1.0
        assert await reflect(client, reflection_id=done["reflection_id"]) == done
        found = await client.call_tool("memory_search", {"query": question})
        hits = (found.structured_content or {})["hits"]
        assert [hit["memory_id"] for hit in hits] == [kept["memory_id"]]


async def test_giving_up_stops_what_the_server_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, held = threading.Event(), threading.Event()
    begun = asyncio.Event()
    chat = ChatServer()
    followed: list[str] = []
    follow = reflect_tool._follow

    def thinking(_: dict[str, Any]) -> str:
        asked.set()
        held.wait(60)
        return answer(insight("I want aisle seats."))

    async def told_of(progress: float, total: float | None, message: str | None) -> None:
        begun.set()

    async def noting(ctx: Any, handle: recalld.AsyncReflectionHandle) -> recalld.Reflection:
        followed.append(handle.reflection_id)  # who gives a call up never sees the id in an answer
        return await follow(ctx, handle)

    monkeypatch.setattr(reflect_tool, "_follow", noting)
    chat.script = thinking
    chat.start()
    environment = FAST | {"RECALLD_CHAT_URL": chat.url, "RECALLD_CHAT_MODEL": "scripted"}
    try:
        with (
            process.serving(reachable(tmp_path), environment) as running,
            recalld.Client(running.address, key=running.root_key) as memory,
        ):
            memory.session("s").add("I want aisle seats.")
            async with Client(in_memory(running, memory.name)) as client:
                arguments = {"session_id": "s"}
                call = asyncio.create_task(client.call_tool("memory_reflect", arguments, progress_callback=told_of))
                await asyncio.wait_for(begun.wait(), 30)
                assert await asyncio.to_thread(asked.wait, 30)
                call.cancel()
                (reflection_id,) = followed
                ended = await asyncio.to_thread(memory.reflection(reflection_id).wait, timeout=30)
                assert ended.state == "cancelled"
                assert (await reflect(client, reflection_id=reflection_id))["state"] == "cancelled"
            assert memory.stats().total == 0
    finally:
        held.set()
        chat.stop()
