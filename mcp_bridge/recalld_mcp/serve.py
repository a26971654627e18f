"""From options to a server that runs."""

from __future__ import annotations

import logging
import sys

import anyio

from recalld.config import load
from recalld.errors import ConfigurationError
from recalld_mcp import http
from recalld_mcp.bridge import Bridge, ConfiguredConnection, Connection, Defaults
from recalld_mcp.embedded import EmbeddedConnection
from recalld_mcp.keyed import KeyedConnection
from recalld_mcp.options import Options
from recalld_mcp.server import make_server
from recalld_mcp.stdio import Wire
from recalld_mcp.telemetry import traced
from recalld_mcp.workspace import namespace_of, unexpanded


def serve_stdio(options: Options, wire: Wire) -> None:
    """Serves on standard input and output until the client closes them."""
    log_to_stderr(options.log_level)
    defaults = defaults_of(options)
    server = make_server(Bridge(connection_of(options, defaults), defaults), options.toolset)
    with traced(), wire.connected():
        anyio.run(server.run_stdio_async)


def serve_http(options: Options) -> None:
    """Serves on a port until SIGTERM or SIGINT. Raises ConfigurationError."""
    log_to_stderr(options.log_level)
    if options.embedded:
        raise ConfigurationError("--embedded goes with stdio; over HTTP each caller brings a key: run `recalld serve`")
    place = http.place_of(options)
    connection = KeyedConnection(options.addr, options.calls_per_minute)
    bridge = Bridge(connection, defaults_of(options))
    server = make_server(bridge, options.toolset, auth=place.auth, verifier=connection)
    with traced():
        http.serve(http.make_app(server, options, place), options)


def defaults_of(options: Options) -> Defaults:
    """What a call means when it does not say so; a choice that cannot be is kept as the reason for every tool."""
    if options.agent is not None and not options.embedded:
        return Defaults(problem="--agent: goes with --embedded; elsewhere the key says which agent writes")
    for flag, value in (("--namespace", options.namespace), ("--user-id", options.user_id)):
        if found := unexpanded(value):
            return Defaults(problem=f"{flag}: this client does not fill in {found}: give the value itself")
    if options.workspace is not None:
        try:
            return Defaults(namespace_of(options.workspace), options.user_id)
        except ValueError as error:
            return Defaults(problem=str(error))
    try:
        return Defaults(load({"namespace": options.namespace}).namespace, options.user_id)
    except ConfigurationError:
        return Defaults(options.namespace, options.user_id)  # the connection says what is wrong, at every call


def connection_of(options: Options, defaults: Defaults) -> Connection:
    """The way to the server that the options name."""
    if options.embedded:
        return EmbeddedConnection(options.data_dir, defaults.namespace, options.agent)
    return ConfiguredConnection(options.addr, options.key_file)


def log_to_stderr(level: str) -> None:
    """One handler for every logger. Set before the MCP server is made, which else would make its own."""
    logging.basicConfig(
        level=level.upper(), stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s", force=True
    )
