"""What search weighs of a fact that nobody has used for long."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from tests.store.things import draft, vector, write

from recalld_server.core.decay import semantic_weight
from recalld_server.model import Filter, Kind, Scope, utc_now
from recalld_server.store.base import CandidateQuery
from recalld_server.store.postgres import PostgresStore


async def test_a_fact_fades_until_it_is_used_and_an_episode_keeps_its_weight(
    store: PostgresStore, scope: Scope
) -> None:
    long_ago, now = utc_now() - timedelta(days=180), utc_now()
    ages = {"create_time": long_ago, "update_time": long_ago, "event_time": long_ago, "importance": 0.8}
    texts: dict[str, dict[str, Any]] = {
        "unused 没人用过的": {},
        "used 用过的": {"last_use_time": now},
        "event 事件": {"kind": Kind.EPISODIC},
    }
    await write(store, scope, *(draft(scope, text, **{**ages, **more}) for text, more in texts.items()))
    async with store.view([scope]) as view:
        found = (await view.candidates([scope], CandidateQuery(Filter(), vector("any"), {}))).found
        memories = await view.get(scope, [each.memory_id for each in found])
    weights = {memories[each.memory_id].content: each.importance for each in found}
    assert weights["unused 没人用过的"] == pytest.approx(0.8 * semantic_weight(180), rel=1e-3)
    assert weights["used 用过的"] == pytest.approx(0.8, rel=1e-3)
    assert weights["event 事件"] == 0.8
    assert {memory.importance for memory in memories.values()} == {0.8}  # what is stored does not change
