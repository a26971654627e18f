# Generated from recalld/_async by generate_sync.py: edit that.
"""What every group of verbs is made of."""

from __future__ import annotations

from recalld._sync.transport import Transport


class Bound:
    """Verbs bound to one namespace."""

    def __init__(self, transport: Transport, namespace: str) -> None:
        self._transport = transport
        self._namespace = namespace
