"""Streamable HTTP, for clients of every protocol version on one endpoint, and SSE for the oldest."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

import uvicorn
from mcp.server import MCPServer
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl
from starlette.applications import Starlette

from recalld.errors import ConfigurationError
from recalld_mcp.bridge import Bridge
from recalld_mcp.options import Options

PATH = "/mcp"
SSE_PATH = "/sse"


@dataclass(frozen=True, slots=True)
class Place:
    """Where the bridge is served, and as what it is known."""

    public_url: str
    allowed_hosts: tuple[str, ...]

    @property
    def auth(self) -> AuthSettings:
        """Every request needs a key; which keys there are is the recalld server's business alone."""
        url = AnyHttpUrl(self.public_url)
        return AuthSettings(issuer_url=url, resource_server_url=url, required_scopes=[], validate_token_resource=False)

    @property
    def security(self) -> TransportSecuritySettings:
        """Which Host and Origin headers are accepted: a page in a browser must not reach a bridge on this machine."""
        origins = [f"{scheme}://{host}" for host in self.allowed_hosts for scheme in ("http", "https")]
        return TransportSecuritySettings(
            enable_dns_rebinding_protection=True, allowed_hosts=list(self.allowed_hosts), allowed_origins=origins
        )


def place_of(options: Options) -> Place:
    """Raises ConfigurationError when keys would travel in the clear beyond this machine without anyone having said so."""
    path = PATH if options.transport == "http" else SSE_PATH
    loopback = _loopback(options.host)
    if not loopback and options.public_url is None:
        raise ConfigurationError(
            f"--host {options.host} is not on this machine: put a proxy with TLS in front, and say with --public-url how "
            "clients reach it, such as https://memory.example.com/mcp"
        )
    shown = f"[{options.host}]" if ":" in options.host else options.host
    url = options.public_url or f"http://{shown}:{options.port}{path}"
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigurationError("--public-url: takes an address such as https://memory.example.com/mcp")
    if parts.scheme == "http" and not _loopback(parts.hostname):
        raise ConfigurationError("--public-url: takes https://, since keys travel in the header of every request")
    hosts = [parts.netloc, parts.hostname, f"{parts.hostname}:*", *options.allowed_hosts]
    if loopback:
        hosts += ["127.0.0.1:*", "localhost:*", "[::1]:*"]
    return Place(url, tuple(dict.fromkeys(hosts)))


def make_app(server: MCPServer[Bridge], options: Options, place: Place) -> Starlette:
    """The ASGI application."""
    if options.transport == "sse":
        return server.sse_app(sse_path=SSE_PATH, transport_security=place.security, host=options.host)
    # Sessions, so that older clients can be asked and told of updates; clients of the current protocol need none.
    # Streams rather than plain JSON, so that progress arrives.
    return server.streamable_http_app(
        streamable_http_path=PATH, transport_security=place.security, host=options.host, max_sessions=1024
    )


def serve(app: Starlette, options: Options) -> None:
    """Serves until SIGTERM or SIGINT."""
    uvicorn.run(
        app,
        host=options.host,
        port=options.port,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=5,
    )


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
