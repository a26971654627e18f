"""The Pydantic AI toolset inside a real agent with a scripted model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest

pytest.importorskip("pydantic_ai", reason="Pydantic AI is not installed")

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from recalld import AsyncClient
from recalld.integrations.pydantic_ai import memory_toolset
from recalld_server.demo.process import Running


@pytest.fixture
async def memory(running: Running) -> AsyncIterator[AsyncClient]:
    name = f"apps/{uuid4().hex}"
    async with AsyncClient(running.address, key=running.root_key, namespace=name) as client:
        await client.namespaces.create(name)
        yield client


async def call(memory: AsyncClient, tool: str, **arguments: Any) -> Any:
    """What a tool returned to a model that called it once."""

    def script(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert {each.name for each in info.function_tools} == {"memory_write", "memory_search", "memory_forget"}
        last = messages[-1].parts[-1]
        if isinstance(last, ToolReturnPart):
            returned.append(last.content)
            return ModelResponse([TextPart("done")])
        return ModelResponse([ToolCallPart(tool, arguments)])

    returned: list[Any] = []
    await Agent(FunctionModel(script), toolsets=[memory_toolset(memory, user_id="alice")]).run("go")
    return returned[0]


async def test_an_agent_writes_finds_and_forgets(memory: AsyncClient) -> None:
    assert (await call(memory, "memory_write", content="爱丽丝对花生过敏。")).startswith("created")
    (found,) = await call(memory, "memory_search", query="花生过敏")
    assert found["content"] == "爱丽丝对花生过敏。"
    stored = await memory.get(found["memory_id"])
    assert (stored.user_id, stored.kind.value) == ("alice", "semantic")
    assert await call(memory, "memory_forget", memory_id=found["memory_id"]) == "forgotten: 1"
    assert await call(memory, "memory_search", query="花生过敏") == []


async def test_another_persons_memory_is_not_found_and_not_forgotten(memory: AsyncClient) -> None:
    other = await memory.write("Bob is allergic to shrimp.", user_id="bob")
    assert await call(memory, "memory_search", query="allergic to shrimp") == []
    assert "Use an id that memory_search returned" in await call(memory, "memory_forget", memory_id=other.memory_id)
    assert (await memory.get(other.memory_id)).state == "active"


async def test_what_a_model_can_mend_comes_back_to_it(memory: AsyncClient) -> None:
    assert "content" in await call(memory, "memory_write", content="   ")
    assert [each async for each in memory.list()] == []
