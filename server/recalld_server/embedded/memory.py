"""How much memory PostgreSQL may keep pages in."""

from __future__ import annotations

from recalld_server import machine

SHARE = 16
LEAST, MOST = 128 << 20, 512 << 20


def shared_buffers(available: int | None = None) -> str:
    """The setting: a sixteenth of the machine's memory, or of the container's where that is less, between 128 MB and 512 MB.
    The vectors of 100,000 memories with their index want about 350 MB; what is not needed is never taken. `available`: bytes of memory."""
    available = machine.memory() if available is None else available
    return f"{min(MOST, max(LEAST, available // SHARE)) >> 20}MB"
