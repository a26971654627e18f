"""Traditional Chinese characters and the simplified ones that are read for them."""

from __future__ import annotations

from importlib.resources import files
from typing import Final


def _read() -> dict[int, str]:
    lines = files(__package__).joinpath("simplified.txt").read_text("utf-8").split("\n")
    pairs = [pair for line in lines if not line.startswith("#") for pair in line.split()]
    return {ord(pair[0]): pair[1] for pair in pairs}


SIMPLIFIED: Final = _read()
"""For `str.translate`: one character for one, so that places in a text stay what they are."""
