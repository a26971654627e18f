"""Which memories are stale."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from recalld_server.core.policy import DEFAULTS
from recalld_server.model import Kind, Memory, Policy


def stale(memories: Sequence[Memory], policy: Policy, now: datetime) -> list[tuple[Memory, str]]:
    """Those that have had their time, each with the reason: "no_longer_valid", "episode_past_retention",
    "doubtful_and_unused". What was used since, or matters most, stays."""
    found = []
    for memory in memories:
        reason = _reason(memory, policy, now)
        if reason:
            found.append((memory, reason))
    return found


def _reason(memory: Memory, policy: Policy, now: datetime) -> str:
    if memory.valid_until is not None and memory.valid_until <= now:
        return "no_longer_valid"
    age = now - max(memory.event_time, memory.last_use_time or memory.event_time)
    if memory.kind is Kind.EPISODIC and memory.importance < 0.8:
        days = policy.episodic_retention_days or DEFAULTS.episodic_retention_days or 30
        if age > timedelta(days=days):
            return "episode_past_retention"
    doubtful = memory.confidence < (policy.review_threshold or DEFAULTS.review_threshold or 0.0)
    days = policy.low_confidence_retention_days or DEFAULTS.low_confidence_retention_days or 7
    if doubtful and not memory.use_count and age > timedelta(days=days):
        return "doubtful_and_unused"
    return ""
