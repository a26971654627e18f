"""Any arguments at all get an answer or an error that a model can act on, and what was refused has changed nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.mcp.bridges import in_memory, text

import recalld
from mcp import Client, MCPError
from recalld_server.demo.process import Running

EXAMPLES = settings().max_examples // 10
"""For each tool: a hundred calls in all, and 2,000 in the nightly profile."""
TOOLS = [
    "memory_write",
    "memory_search",
    "memory_get",
    "memory_list",
    "memory_update",
    "memory_forget",
    "memory_reflect",
    "memory_stats",
    "memory_context",
    "memory_session",
]
EVERY_STATE = [state for state in recalld.State if state is not recalld.State.UNSPECIFIED]
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from(
        ["", "　", "\x00", "5", "5.0", "null", "[]", '["a"]', "{}", "'; DROP TABLE memories; --", "昨天", "2025-01-01"]
    )
)
ANYTHING = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
)


def right(schema: Mapping[str, Any], known: Mapping[str, str]) -> st.SearchStrategy[Any]:
    """Values that a schema allows."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema.get("type"):
        case "integer":
            return st.integers(1, 5)
        case "number":
            return st.floats(0, 1)
        case "boolean":
            return st.booleans()
        case "array":
            return st.lists(right(schema["items"], known), max_size=3)
        case "object":
            return st.dictionaries(st.text(min_size=1, max_size=8), LEAVES, max_size=2)
    return st.sampled_from([*known.values(), "我喝茶不加糖", "I take no sugar"]) | st.text(max_size=30)


def arguments(schema: Mapping[str, Any], known: Mapping[str, str]) -> st.SearchStrategy[dict[str, Any]]:
    """Some of a tool's arguments, most of them right, and now and then one that it does not have."""

    @st.composite
    def build(draw: st.DrawFn) -> dict[str, Any]:
        given: dict[str, Any] = {}
        for name, each in schema["properties"].items():
            if name in schema.get("required", ()) or draw(st.booleans()):
                fine = st.just(known[name]) if name in known else right(each, known)
                given[name] = draw(st.one_of(fine, fine, ANYTHING))
        if draw(st.integers(0, 9)) == 0:
            given[draw(st.text(max_size=8))] = draw(ANYTHING)
        return given

    return build()


@pytest.mark.parametrize("tool", TOOLS)
async def test_any_call_is_answered_or_refused_without_a_trace(
    tool: str, running: Running, root: recalld.Client
) -> None:
    written = root.write("我喝茶不加糖", user_id="ada", tags=["tea"])
    known = {"memory_id": written.memory_id, "namespace": root.name, "user_id": "ada", "session_id": "s-1"}

    def state() -> list[tuple[str, int]]:
        return sorted((memory.memory_id, memory.revision) for memory in root.list(states=EVERY_STATE))

    async with Client(in_memory(running, root.name)) as client:
        (schema,) = [each.input_schema for each in (await client.list_tools()).tools if each.name == tool]

        async def send(given: dict[str, Any]) -> None:
            before = await asyncio.to_thread(state)
            try:
                result = await client.call_tool(tool, given)
            except MCPError as error:  # what is no JSON, such as NaN, does not get to the tool
                pytest.fail(f"{error} for {given!r}")
            if not result.is_error:
                return
            shown = text(result)
            assert shown.strip(), given
            assert not any(word in shown for word in ("Traceback", "INTERNAL", "UNKNOWN")), (shown, given)
            assert await asyncio.to_thread(state) == before, given

        loop = asyncio.get_running_loop()

        @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
        @given(arguments(schema, known))
        def try_all(given: dict[str, Any]) -> None:
            asyncio.run_coroutine_threadsafe(send(given), loop).result()

        await asyncio.to_thread(try_all)
