"""An answer is right at once, and does not change when the chores have counted what a batch brought."""

from __future__ import annotations

import pytest
from tests.store.things import draft, query_terms, turned, vector, write

from recalld_server.model import Filter, Scope
from recalld_server.store.base import CandidateQuery, Candidates
from recalld_server.store.postgres import MaintenanceOptions, PostgresStore

QUERY = CandidateQuery(
    Filter(), vector("query"), query_terms("common rare 茶 常见 never"), vector_limit=200, lexical_limit=200
)


async def search(store: PostgresStore, scope: Scope) -> Candidates:
    async with store.view([scope]) as view:
        return await view.candidates([scope], QUERY)


async def fill(store: PostgresStore, scope: Scope, first: int, last: int) -> None:
    topic = vector("topic")
    texts = (
        f"common 常见 note {n}" + (" rare" if n % 50 == 0 else "") + (" 茶" if n == 7 else "")
        for n in range(first, last)
    )
    await write(store, scope, *(draft(scope, text, embedding=turned(topic, 0.6, text)) for text in texts))


async def test_what_was_not_counted_yet_is_counted_by_the_search(store: PostgresStore, scope: Scope) -> None:
    maintenance = store.maintenance(MaintenanceOptions(counted_from=50))
    seen = []
    for first, last in ((0, 120), (120, 300)):
        await fill(store, scope, first, last)
        before = await search(store, scope)
        assert await maintenance.refresh_statistics() == 1
        after = await search(store, scope)
        assert after.lexical_units == pytest.approx(before.lexical_units)
        assert [each.memory_id for each in after.found] == [each.memory_id for each in before.found]
        for now, then in zip(after.found, before.found, strict=True):
            assert now.cosine == pytest.approx(then.cosine, abs=1e-3)
            assert now.lexical == pytest.approx(then.lexical, rel=1e-5, abs=1e-6)
        seen.append(after)
    assert seen[0].lexical_units != pytest.approx(seen[1].lexical_units)
