"""Candidates by hand."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from recalld_server.core.ranking import QueryFeatures
from recalld_server.model import Kind, TimeSpan
from recalld_server.store.base import Found

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
SPACE = UUID(int=1)


def terms(text: str) -> frozenset[int]:
    """Term ids good enough for tests: words, and each character of a text without blanks."""
    pieces = text.lower().split() if " " in text else list(text)
    return frozenset(zlib.crc32(piece.encode()) >> 12 for piece in pieces)


def candidate(number: int, text: str = "", **fields: Any) -> Found:
    """Memory `number`, written `number` seconds before NOW, without any signal unless given."""
    when = NOW - timedelta(seconds=number)
    values: dict[str, Any] = {
        "memory_id": UUID(int=number),
        "namespace_id": SPACE,
        "kind": Kind.SEMANTIC,
        "event_time": when,
        "create_time": when,
        "cosine": 0.0,
        "lexical": 0.0,
        "words": len(text.split()) or 1,
        "terms": terms(text) if text else frozenset(),
    }
    return Found(**{**values, **fields})


def query(text: str = "q", unit: float = 10.0, time_range: TimeSpan | None = None) -> QueryFeatures:
    return QueryFeatures(text, time_range, {SPACE: unit})
