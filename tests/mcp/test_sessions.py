"""Sessions and their prompts on a real server: what one IDE adds, another goes on with."""

from __future__ import annotations

from typing import Any

import pytest
from tests.mcp.bridges import in_memory, text

import recalld
from mcp import Client
from recalld_server.demo.process import Running


async def session(client: Client, action: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool("memory_session", {"session_id": "鹭/1", "action": action, **arguments})
    assert not result.is_error, text(result)
    return result.structured_content or {}


async def test_a_session_goes_on_in_another_ide_and_ends(running: Running, root: recalld.Client) -> None:
    turns = [{"content": "备份在哪里?"}, {"content": "In the vault.", "role": "assistant", "speaker": "Mei"}]
    async with Client(in_memory(running, root.name, "lin")) as one, Client(in_memory(running, root.name)) as two:
        assert (await session(one, "append", turns=turns))["turn_count"] == 2
        shown = await session(two, "get")
        assert [turn["content"] for turn in shown["turns"]] == ["备份在哪里?", "In the vault."]
        assert [turn["role"] for turn in shown["turns"]] == ["user", "assistant"]
        assert shown["turns"][1]["speaker"] == "Mei"
        assert [turn["sequence"] for turn in (await session(two, "get", max_turns=1))["turns"]] == [2]
        cue = await session(two, "append", turns=[{"content": "From now on, answer in German"}])
        assert cue["reflection_id"]
        ended = await session(one, "end")
        assert (ended["state"], ended["turn_count"]) == ("ended", 3)
        refused = await one.call_tool(
            "memory_session", {"session_id": "鹭/1", "action": "append", "turns": [{"content": "more"}]}
        )
        assert refused.is_error
        assert "new one" in text(refused)
        missing = await one.call_tool("memory_session", {"session_id": "never", "action": "get"})
        assert missing.is_error
    assert root.session("鹭/1").get().session.user_id == "lin"


@pytest.mark.parametrize(("language", "expected"), [("en", "memory_session"), ("zh", "会话 鹭/1")])
async def test_the_prompt_at_the_end_names_the_session(
    running: Running, root: recalld.Client, language: str, expected: str
) -> None:
    async with Client(in_memory(running, root.name)) as client:
        prompt = await client.get_prompt("end_of_session_hindsight", {"session_id": "鹭/1", "language": language})
        (message,) = prompt.messages
        assert expected in str(message.content)


async def test_the_context_prompt_has_what_was_decided(running: Running, root: recalld.Client) -> None:
    root.write("林乔对花生过敏")
    async with Client(in_memory(running, root.name)) as client:
        prompt = await client.get_prompt("recall_context", {"topic": "林乔过敏"})
        assert "花生" in str(prompt.messages[0].content)
