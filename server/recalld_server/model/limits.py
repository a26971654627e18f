"""What a tenant may use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What one tenant may use; None: as much as it likes."""

    requests_per_second: float | None = None
    """Calls of all its keys together; up to `BURST_SECONDS` of them may come at once."""
    concurrent_calls: int | None = None
    """Calls under way at once in one server process, streams included."""
    memories: int | None = None
    """Memories that are kept, whatever their state: what is erased no longer counts."""
    stored_bytes: int | None = None
    """Bytes of their texts."""
    model_tokens_per_day: int | None = None
    """Tokens of the texts that are given to the embedding model, by estimate; a day's worth may be used at once."""


BURST_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Used:
    """What a tenant keeps: memories, and bytes of their texts."""

    memories: int
    stored_bytes: int


@dataclass(frozen=True, slots=True)
class Rate:
    """How fast something may be used on average, and how much of it at once."""

    per_second: float
    burst: float
