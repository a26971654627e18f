"""The caller's trace, carried on to the server.

Over stdio, and in the current protocol, a trace travels in a message's `_meta`, which the MCP library reads. Over HTTP
it may also come as the usual header; that is read here. The client then passes the current trace on to gRPC.
"""

from __future__ import annotations

from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from opentelemetry import context, propagate


async def continue_trace(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Middleware: answers within the trace of the HTTP request, unless the message names one itself."""
    headers = getattr(ctx.request, "headers", None)
    if headers is None or "traceparent" not in headers or (ctx.meta and "traceparent" in ctx.meta):
        return await call_next(ctx)
    token = context.attach(propagate.extract(dict(headers)))
    try:
        return await call_next(ctx)
    finally:
        context.detach(token)
