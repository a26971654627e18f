"""Tells whoever started this process that it serves, or stops: the protocol of systemd (sd_notify), by NOTIFY_SOCKET."""

from __future__ import annotations

import os
import socket
from contextlib import suppress

VARIABLE = "NOTIFY_SOCKET"
READY, STOPPING = "READY=1", "STOPPING=1"


def tell(state: str) -> None:
    """Says READY or STOPPING; nothing when nobody wants to know, or nobody listens any more."""
    address = os.environ.get(VARIABLE, "")
    if not address.startswith(("/", "@")):
        return
    path = f"\0{address[1:]}" if address.startswith("@") else address
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
        out.sendto(state.encode(), path)
