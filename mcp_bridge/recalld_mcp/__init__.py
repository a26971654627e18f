"""The memory of recalld as MCP tools, through the public client only."""
