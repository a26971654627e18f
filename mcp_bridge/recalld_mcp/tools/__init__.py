"""The tools: one for each verb."""

from __future__ import annotations

from typing import Literal, TypeAlias

from recalld_mcp.tool import PlainTool, make_tool
from recalld_mcp.tools.change import memory_update
from recalld_mcp.tools.find import memory_context, memory_search
from recalld_mcp.tools.forget import memory_forget
from recalld_mcp.tools.read import memory_get, memory_list, memory_stats
from recalld_mcp.tools.reflect import memory_reflect
from recalld_mcp.tools.session import memory_session
from recalld_mcp.tools.write import memory_write

Toolset: TypeAlias = Literal["full", "minimal"]


def make_tools(toolset: Toolset) -> list[PlainTool]:
    """The ten tools, or the four that a model needs to remember, to recall, to correct and to forget."""
    needed = [
        make_tool(memory_write, "Remember", idempotent=True),
        make_tool(memory_search, "Search memory", read_only=True),
        make_tool(memory_update, "Correct a memory", idempotent=True),
        make_tool(memory_forget, "Forget memories", destructive=True, idempotent=True),
    ]
    if toolset == "minimal":
        return needed
    return [
        *needed,
        make_tool(memory_context, "Background for a task", read_only=True),
        make_tool(memory_get, "Read a memory", read_only=True),
        make_tool(memory_list, "List memories", read_only=True),
        make_tool(memory_stats, "Memory figures", read_only=True),
        make_tool(memory_reflect, "Look back"),
        make_tool(memory_session, "Conversation turns"),
    ]
