"""The time of day that this process goes by.

It runs with the machine's steady clock, and is set only when it is off from the database's. So nothing expires, comes due
or is written under a wrong time because somebody sets this machine's clock, and servers that share a database agree.
"""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from typing import Final

TOLERANCE: Final = 0.25
"""Seconds from the database's time within which the own time is left as it is."""


def steady() -> float:
    """Seconds that only ever go by, from some moment on."""
    # the usual steady clock stands still while a laptop sleeps
    return time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform == "linux" else time.monotonic()


class Clock:
    """Tells the system's time until it was first compared."""

    __slots__ = ("_ahead",)

    def __init__(self) -> None:
        self._ahead: float | None = None

    def seconds(self) -> float:
        """Since 1970."""
        return time.time() if self._ahead is None else steady() + self._ahead

    def now(self) -> datetime:
        """Aware, UTC."""
        return datetime.fromtimestamp(self.seconds(), UTC)

    def compare(self, told: datetime, asked: float, answered: float) -> None:
        """Sets the clock if it is off. `told`: the database's time at some moment between two of `steady`."""
        middle, allowed = (asked + answered) / 2, max(TOLERANCE, (answered - asked) / 2)
        right = told.timestamp() - middle
        # machines whose clocks are kept differ by less than it takes to ask: each goes on by its own
        for ahead in (self._ahead, time.time() - steady()):
            if ahead is not None and abs(ahead - right) <= allowed:
                self._ahead = ahead
                return
        self._ahead = right


CLOCK: Final = Clock()
"""That of this process."""
