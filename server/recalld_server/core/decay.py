"""How much a memory counts as time passes without it being used, and as it is used. See docs/retention.md for the plots.

recency(d, h) = 2^(-d / h)           d: days since it was last used, else since it was written; h: half-life in days
use(n)        = 1 + ln(1 + n)        n: how often it was used
strength      = importance × recency × use
weight(d)     = 0.8^(d / 90)         of what is free of time, by days without a hit
"""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from recalld_server.model import Memory

WEIGHT = 0.8
"""What is left of the weight of a SEMANTIC memory after WEIGHT_DAYS without a hit."""
WEIGHT_DAYS = 90.0
_DAY = timedelta(days=1)


def recency(days: float, half_life_days: float) -> float:
    """1 at the time of use, half of it after each half-life; never above 1."""
    return float(2.0 ** -(max(0.0, days) / half_life_days))


def use_boost(uses: int) -> float:
    """1 for what was never used; grows ever more slowly."""
    return 1.0 + math.log1p(max(0, uses))


def strength(memory: Memory, now: datetime, half_life_days: float) -> float:
    """By which the memories of a person are ordered when there are too many: the weakest go to the archive."""
    days = _idle(memory, now) / _DAY
    return memory.importance * recency(days, half_life_days) * use_boost(memory.use_count)


def semantic_weight(days: float) -> float:
    """The weight of what is free of time after so many days without a hit."""
    return float(WEIGHT ** (max(0.0, days) / WEIGHT_DAYS))


def _idle(memory: Memory, now: datetime) -> timedelta:
    return now - max(memory.create_time, memory.last_use_time or memory.create_time)
