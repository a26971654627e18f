"""What an IDE does: starts the bridge over stdio, lists its tools and calls them."""

import asyncio
import os
import sys

from mcp.client.stdio import stdio_client

from mcp import Client, StdioServerParameters


async def main() -> None:
    settings = {name: value for name, value in os.environ.items() if name.startswith("RECALLD_")}
    bridge = StdioServerParameters(
        command=sys.executable,
        args=["-m", "recalld_mcp"],
        env={"PYTHONPATH": os.environ.get("PYTHONPATH", "")} | settings,
    )
    async with Client(stdio_client(bridge)) as client:
        tools = await client.list_tools()
        print(", ".join(tool.name for tool in tools.tools))
        await client.call_tool("memory_write", {"content": "发布窗口在周五晚上。"})
        found = await client.call_tool("memory_search", {"query": "发布窗口"})
        print(*(block.text for block in found.content if block.type == "text"))


asyncio.run(main())
