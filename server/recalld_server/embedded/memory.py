"""How much memory PostgreSQL may keep pages in."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

SHARE = 16
LEAST, MOST = 128 << 20, 512 << 20
_LIMIT = Path("/sys/fs/cgroup/memory.max")


def shared_buffers(limit: Path = _LIMIT) -> str:
    """The setting: a sixteenth of the machine's memory, or of the container's where that is less, between 128 MB and 512 MB.
    The vectors of 100,000 memories with their index want about 350 MB; what is not needed is never taken."""
    available = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):  # no such limit, or "max"
        available = min(available, int(limit.read_text(encoding="ascii")))
    return f"{min(MOST, max(LEAST, available // SHARE)) >> 20}MB"
