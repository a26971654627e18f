"""What every group of verbs is made of."""

from __future__ import annotations

from recalld._async.transport import AsyncTransport


class AsyncBound:
    """Verbs bound to one namespace."""

    def __init__(self, transport: AsyncTransport, namespace: str) -> None:
        self._transport = transport
        self._namespace = namespace
