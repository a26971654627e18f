"""How long ago a database was where its standby is now, told by its own log and not by two machines' clocks."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

APART_SECONDS = 0.25
"""Positions closer together than this are not told apart."""
REMEMBERED = 2_000


class Lag:
    """Positions of a database with the time at which it was there first, and how far a standby has come since."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque(maxlen=REMEMBERED)
        self.replayed = 0
        """How far the standby has come."""

    def see(self, position: int) -> None:
        """The database is there now."""
        while len(self._seen) > 1 and self._seen[0][1] <= self.replayed:
            self._seen.popleft()
        now = self._clock()
        if not self._seen or (position > self._seen[-1][1] and now - self._seen[-1][0] >= APART_SECONDS):
            self._seen.append((now, position))

    @property
    def seconds(self) -> float:
        """Since the database had something that the standby lacks; 0 where nothing is known to be lacking."""
        missing = next((when for when, position in self._seen if position > self.replayed), None)
        return 0.0 if missing is None else self._clock() - missing
