"""Short texts for `repr`. The data itself is never shortened."""

from __future__ import annotations

WIDTH = 60


def short(text: str) -> str:
    """A text on one line, its end replaced by … when it is long."""
    line = " ".join(text.split())
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"
