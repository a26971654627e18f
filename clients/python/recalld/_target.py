"""From an address as people write it to a gRPC target, and what may be sent to it in the clear."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from recalld.errors import ConfigurationError

DEFAULT_PORT = 50051


@dataclass(frozen=True, slots=True)
class Target:
    """Where a channel goes."""

    uri: str
    loopback: bool
    """Whether it stays on this machine."""


def parse(addr: str) -> Target:
    """Reads `host`, `host:port`, `[ipv6]:port`, `unix:path`, and gRPC's own `dns:///host:port` and `ipv4:a,b`.

    Raises ConfigurationError for anything else.
    """
    if addr.startswith(("unix:", "unix-abstract:")):
        return Target(addr, True)
    if match := re.fullmatch(r"(ipv4|ipv6):(.+)", addr):
        return Target(addr, all(_loopback(_split(each)[0]) for each in match[2].split(",")))
    if match := re.fullmatch(r"dns:(?://[^/]*/)?(.+)", addr):
        host, _ = _split(match[1])
        return Target(addr, _loopback(host))
    if "://" in addr:
        raise ConfigurationError(f"addr: takes host:port, not {addr.split('://')[0]}://…; for TLS set tls")
    host, port = _split(addr)
    numeric = _ip(host) is not None
    shown = f"[{host}]" if ":" in host else host
    return Target(f"{shown}:{port}" if numeric else f"dns:///{shown}:{port}", _loopback(host))


def _split(text: str) -> tuple[str, int]:
    if _ip(text) is not None:
        return text, DEFAULT_PORT  # an IPv6 address without brackets has colons of its own
    match = re.fullmatch(r"(?:\[([^\[\]\s]+)\]|([^:\[\]\s/@]+))(?::(\d{1,5}))?", text)
    if not match or not 0 < int(match[3] or DEFAULT_PORT) < 65536:
        raise ConfigurationError("addr: takes host:port, [ipv6]:port or unix:path")
    return match[1] or match[2], int(match[3] or DEFAULT_PORT)


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _loopback(host: str) -> bool:
    address = _ip(host)
    return host.lower() == "localhost" if address is None else address.is_loopback
