"""From options to a server that runs."""

from __future__ import annotations

import logging
import sys

import anyio

from recalld_mcp.bridge import Bridge, ConfiguredConnection, Connection, Defaults
from recalld_mcp.options import Options
from recalld_mcp.server import make_server
from recalld_mcp.stdio import Wire
from recalld_mcp.workspace import namespace_of, unexpanded


def defaults_of(options: Options) -> Defaults:
    """What a call means when it does not say so; a choice that cannot be is kept as the reason for every tool."""
    try:
        namespace = options.namespace if options.workspace is None else namespace_of(options.workspace)
    except ValueError as error:
        return Defaults(problem=str(error))
    for flag, value in (("--namespace", options.namespace), ("--user-id", options.user_id)):
        if found := unexpanded(value):
            return Defaults(problem=f"{flag}: this client does not fill in {found}: give the value itself")
    return Defaults(namespace, options.user_id)


def connection_of(options: Options) -> Connection:
    """The way to the server that the options name."""
    return ConfiguredConnection(options.addr, options.key_file)


def serve_stdio(options: Options, wire: Wire) -> None:
    """Serves on standard input and output until the client closes them."""
    log_to_stderr(options.log_level)
    bridge = Bridge(connection_of(options), defaults_of(options))
    server = make_server(bridge, options.toolset)
    with wire.connected():
        anyio.run(server.run_stdio_async)


def log_to_stderr(level: str) -> None:
    """One handler for every logger. Set before the MCP server is made, which else would make its own."""
    logging.basicConfig(
        level=level.upper(), stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s", force=True
    )
