"""Any text as one segment of a namespace's name, and back."""

from __future__ import annotations

import base64
import re

_PLAIN = re.compile(r"(?!x-)[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?")
_MARK = "x-"


def encode(label: str) -> str:
    """A label that is a legal segment stays as it is; any other becomes `x-` and its UTF-8 in base 32."""
    if _PLAIN.fullmatch(label):
        return label
    return _MARK + base64.b32encode(label.encode()).decode().rstrip("=").lower()


def decode(segment: str) -> str:
    """The label that `encode` was given."""
    if not segment.startswith(_MARK):
        return segment
    text = segment.removeprefix(_MARK).upper()
    return base64.b32decode(text + "=" * (-len(text) % 8)).decode()
