"""Forgetting asks the person where the client can, and else wants the digest of a dry run."""

from __future__ import annotations

from typing import Any

import pytest
from tests.mcp.bridges import Person, in_memory, text

import recalld
from mcp import Client
from recalld_server.demo.process import Running

MODES = ["auto", "legacy"]


@pytest.fixture
def stored(root: recalld.Client) -> list[str]:
    texts = ["Bob drinks tea at 44.", "鲍勃在 812 号楼下棋。", "The zebra crossing is 9971 meters long."]
    return [root.write(text, tags=["bob"] if index < 2 else []).memory_id for index, text in enumerate(texts)]


@pytest.mark.parametrize("mode", MODES)
async def test_a_person_who_agrees_is_obeyed(
    running: Running, root: recalld.Client, stored: list[str], mode: str
) -> None:
    person = Person(agrees=True)
    async with Client(in_memory(running, root.name), mode=mode, elicitation_callback=person) as client:
        result = await client.call_tool("memory_forget", {"any_tags": ["bob"]})
    assert (result.structured_content or {})["count"] == 2
    (question,) = person.asked
    assert "2 memories" in question
    assert "鲍勃在 812 号楼下棋。" in question
    assert [memory.memory_id for memory in root.list()] == stored[2:]


@pytest.mark.parametrize("mode", MODES)
async def test_a_person_who_does_not_agree_is_obeyed(
    running: Running, root: recalld.Client, stored: list[str], mode: str
) -> None:
    person = Person(agrees=False)
    async with Client(in_memory(running, root.name), mode=mode, elicitation_callback=person) as client:
        dry = await client.call_tool("memory_forget", {"memory_ids": stored[:1], "dry_run": True})
        assert person.asked == []
        digest = (dry.structured_content or {})["digest"]
        result = await client.call_tool("memory_forget", {"memory_ids": stored[:1], "digest": digest})
    assert (result.structured_content or {})["done"] is False
    assert "did not agree" in text(result)
    assert "digest" not in (result.structured_content or {})
    assert root.stats().total == 3


@pytest.mark.parametrize("mode", MODES)
async def test_without_a_person_a_dry_run_comes_first(
    running: Running, root: recalld.Client, stored: list[str], mode: str
) -> None:
    async with Client(in_memory(running, root.name), mode=mode) as client:

        async def forget(**arguments: Any) -> tuple[bool, dict[str, Any], str]:
            result = await client.call_tool("memory_forget", arguments)
            return result.is_error, result.structured_content or {}, text(result)

        for which in ({"any_tags": ["bob"]}, {"memory_ids": stored[:2]}):
            failed, _, said = await forget(**which)
            assert failed
            assert "DIGEST_REQUIRED" in said
            _, dry, _ = await forget(**which, dry_run=True)
            assert (dry["done"], dry["count"]) == (False, 2)
            assert set(dry["examples"]) == {"Bob drinks tea at 44.", "鲍勃在 812 号楼下棋。"}
            for other in ({"memory_ids": stored[2:]}, {**which, "mode": "erase"}):
                failed, _, said = await forget(**other, digest=dry["digest"])
                assert failed
                assert "DIGEST_MISMATCH" in said
            root.update(stored[0], importance=0.123)
            failed, _, said = await forget(**which, digest=dry["digest"])
            assert failed  # what was shown is not what would go
            assert "DIGEST_MISMATCH" in said
            assert root.stats().total == 3
            _, dry, _ = await forget(**which, dry_run=True)
            _, done, _ = await forget(**which, digest=dry["digest"])
            assert (done["done"], done["count"]) == (True, 2)
            assert [memory.memory_id for memory in root.list()] == stored[2:]
            for memory_id in stored[:2]:
                root.restore(memory_id)


async def test_erasing_gives_a_receipt(running: Running, root: recalld.Client, stored: list[str]) -> None:
    async with Client(in_memory(running, root.name), elicitation_callback=Person(agrees=True)) as client:
        result = await client.call_tool("memory_forget", {"memory_ids": stored[:1], "mode": "erase"})
    assert (result.structured_content or {})["receipt_id"]
    with pytest.raises(recalld.errors.NotFound):
        root.get(stored[0])


@pytest.mark.parametrize("arguments", [{}, {"memory_ids": []}, {"any_tags": [], "kinds": "[]"}, {"memory_ids": None}])
async def test_nothing_named_never_means_everything(
    running: Running, root: recalld.Client, stored: list[str], arguments: dict[str, Any]
) -> None:
    person = Person(agrees=True)
    async with Client(in_memory(running, root.name), elicitation_callback=person) as client:
        result = await client.call_tool("memory_forget", arguments)
    assert result.is_error
    assert "give either ids, or at least one of" in text(result)
    assert person.asked == []
    assert root.stats().total == len(stored)


async def test_blank_conditions_and_both_ways_at_once_are_refused(
    running: Running, root: recalld.Client, stored: list[str]
) -> None:
    async with Client(in_memory(running, root.name), elicitation_callback=Person(agrees=True)) as client:
        for arguments in ({"user_id": ""}, {"session_id": "  "}, {"memory_ids": stored, "any_tags": ["bob"]}):
            assert (await client.call_tool("memory_forget", arguments)).is_error
    assert root.stats().total == len(stored)
