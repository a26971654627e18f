"""A tool whose schemas are plain, whose arguments are read leniently and whose errors say what to change."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel

from recalld.errors import RecalldError
from recalld_mcp.arguments import ArgumentError, read_arguments
from recalld_mcp.explain import explain
from recalld_mcp.schema import plain

_SOFT_BREAK = re.compile(r"(?<!\n)\n(?!\n)")


class PlainTool(Tool):
    """Fields that are empty are left out of a result, so that it costs the model little."""

    @cached_property
    def output_schema(self) -> dict[str, Any] | None:
        """The schema of the structured result, in the plain form."""
        schema = self.fn_metadata.output_schema
        return None if schema is None else plain(schema)

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        """Runs the tool. Raises ToolError, whose text is for the model."""
        try:
            given = read_arguments(self.parameters, arguments)
        except ArgumentError as error:
            raise ToolError(f"INVALID_ARGUMENTS: {error}") from error
        try:
            result = await super().run(given, context)
        except ToolError as error:
            if isinstance(error.__cause__, RecalldError):
                raise ToolError(explain(error.__cause__)) from error.__cause__
            raise
        return answer(result) if convert_result and isinstance(result, BaseModel) and _is_data(result) else result


def _is_data(result: BaseModel) -> bool:
    return type(result).__module__.startswith("recalld_mcp")


def answer(result: BaseModel) -> CallToolResult:
    """The result in both forms: structured, and the same as JSON text for clients that know only text."""
    return CallToolResult(
        content=[TextContent(type="text", text=result.model_dump_json(exclude_defaults=True))],
        structured_content=result.model_dump(mode="json", exclude_defaults=True),
    )


def make_tool(
    function: Callable[..., Awaitable[BaseModel]],
    title: str,
    *,
    read_only: bool = False,
    destructive: bool = False,
    idempotent: bool = False,
) -> PlainTool:
    """The tool of an async function: its name, its docstring as the description, its annotations as the schemas."""
    tool = PlainTool.from_function(
        function,
        title=title,
        description=_SOFT_BREAK.sub(" ", inspect.getdoc(function) or ""),
        annotations=ToolAnnotations(
            title=title,
            read_only_hint=read_only,
            destructive_hint=destructive,
            idempotent_hint=idempotent or read_only,
            open_world_hint=False,
        ),
    )
    assert isinstance(tool, PlainTool)
    tool.parameters = {**plain(tool.parameters), "additionalProperties": False}
    return tool
