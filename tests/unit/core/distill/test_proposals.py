"""What a chat model proposes and what is kept of it."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from uuid import UUID

import pytest

from recalld_server.core.distill import Category, Role, Source
from recalld_server.core.distill.proposals import accepted

SOURCE = Source(UUID(int=1), Role.PERSON, "…", datetime(2026, 3, 2, tzinfo=UTC))


@pytest.mark.parametrize("content", ["Lin's password is hunter2!x", "林的密码是abc12345"])
def test_a_secret_that_a_model_proposes_is_not_kept(content: str) -> None:
    proposal = {"category": "fact", "content": content, "confidence": 0.9, "source_ids": ["1"]}
    skipped: Counter[str] = Counter()
    assert accepted([proposal], {"1": SOURCE}, frozenset(Category), skipped) == []
    assert +skipped == {"secret": 1}
