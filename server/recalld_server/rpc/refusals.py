"""Tells the log that credentials are refused: nobody is known whose audit log could say so."""

from __future__ import annotations

import time
from collections.abc import Callable

import structlog

log = structlog.get_logger(__name__)

TOLD_EVERY = 10.0
"""Seconds between two lines at least, so that nobody can fill the log."""


class Refusals:
    """One line for the first refused credential, and then for all of the next seconds together."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._next = 0.0
        self._refused = 0

    def tell(self, method: str, peer: str) -> None:
        """A call of `method` (a full name) from `peer` (gRPC's form of an address) was refused."""
        self._refused += 1
        now = self._clock()
        if now < self._next:
            return
        address = peer.rpartition(":")[0] if peer.startswith("ip") else peer
        log.warning("no valid credential", method=method.removeprefix("/"), peer=address, refused=self._refused)
        self._next, self._refused = now + TOLD_EVERY, 0
