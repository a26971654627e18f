"""Age and time words."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import numpy as np
import numpy.typing as npt

from recalld_server.model import TimeSpan

Floats = npt.NDArray[np.float64]

DAY: Final = 86_400.0
_TOLD_LATER: Final = 14 * DAY
"""People tell of a time in the two weeks after it."""


def freshness(seconds: Floats, half_lives: Floats, now: datetime) -> Floats:
    """1 for what happens now or later, a half after each half-life. `seconds`: event times since the epoch;
    `half_lives`: days, `inf` for what does not age."""
    days = np.maximum(0.0, now.timestamp() - seconds) / DAY
    fresh: Floats = np.exp2(-days / half_lives)
    return fresh


def within(seconds: Floats, span: TimeSpan, told_later: float) -> Floats:
    """1 inside the half-open span, `told_later` in the two weeks after it, else 0. An open span has no after."""
    start = -np.inf if span.start is None else span.start.timestamp()
    end = np.inf if span.end is None else span.end.timestamp()
    inside = (seconds >= start) & (seconds < end)
    after = (seconds >= end) & (seconds < end + _TOLD_LATER)
    return np.where(inside, 1.0, np.where(after, told_later, 0.0))
