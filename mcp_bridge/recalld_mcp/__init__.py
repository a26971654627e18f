"""The memory of recalld as MCP tools, through the public client only."""

__version__ = "0.1.0"
