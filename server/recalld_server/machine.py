"""What the machine has, or the container where that is less."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_LIMIT = Path("/sys/fs/cgroup/memory.max")


def memory(limit: Path = _LIMIT) -> int:
    """Bytes of memory that may be used at most; `limit`: the file with the container's."""
    available = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):  # no such limit, or "max"
        available = min(available, int(limit.read_text(encoding="ascii")))
    return available
