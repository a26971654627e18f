"""What is kept of searches, and which hits were of use."""

from __future__ import annotations

from uuid import UUID

import pytest
from tests.store.things import START, Backend, as_agent, draft, make_scope, read, write, write_texts

from recalld_server.model import Scope, Stats, Visibility, new_id, utc_now
from recalld_server.store.base import PastSearch, Searched


def searched(scope: Scope, *memory_ids: UUID, milliseconds: float = 3.0) -> Searched:
    found = tuple((scope.namespace_id, memory_id) for memory_id in memory_ids)
    return Searched(scope.tenant_id, scope.agent_id, new_id(), (scope.namespace_id,), found, milliseconds, utc_now())


async def stats(store: Backend, scope: Scope) -> Stats:
    async with store.view([scope]) as view:
        return await view.stats([scope], since=START, until=utc_now())


async def mark(store: Backend, scope: Scope, search_id: UUID, *memory_ids: UUID) -> tuple[UUID, ...]:
    async with store.unit(scope) as unit:
        return await unit.mark_used(scope, search_id, memory_ids)


class Using:
    async def test_a_search_is_found_by_the_agent_that_made_it_only(self, store: Backend, scope: Scope) -> None:
        first, second = await write_texts(store, scope, "喝茶", "tea")
        search = searched(scope, second, first)
        await store.log_searches([search])
        await store.log_searches([search])
        found = await store.find_search(scope.tenant_id, scope.agent_id, search.search_id)
        assert found == PastSearch((scope.namespace,), (second, first))
        assert await store.find_search(scope.tenant_id, "bob", search.search_id) is None
        other = await make_scope(store, tenant="other")
        assert await store.find_search(other.tenant_id, scope.agent_id, search.search_id) is None

    async def test_searches_of_many_agents_and_tenants_are_stored_together(self, store: Backend, scope: Scope) -> None:
        elsewhere = await make_scope(store, "别处", tenant="other")
        (memory_id,) = await write_texts(store, elsewhere, "茶")
        await store.log_searches(
            [
                searched(scope),
                searched(as_agent(scope, "bob"), milliseconds=7.0),
                searched(elsewhere, memory_id),
            ]
        )
        ours = await stats(store, scope)
        assert ours.searches == 2
        assert ours.search_p50_milliseconds == pytest.approx(5.0, rel=0.026)
        theirs = await stats(store, elsewhere)
        assert (theirs.searches, theirs.total, theirs.never_found) == (1, 1, 0)

    async def test_a_mark_counts_once_and_only_for_what_was_returned(self, store: Backend, scope: Scope) -> None:
        hit, miss = await write_texts(store, scope, "绿茶", "coffee")
        search = searched(scope, hit)
        await store.log_searches([search])
        for _ in range(2):
            assert await mark(store, scope, search.search_id, hit, miss, new_id()) == (hit,)
        used, unused = await read(store, scope, hit), await read(store, scope, miss)
        assert used is not None
        assert unused is not None
        assert (used.use_count, unused.use_count) == (1, 0)
        assert used.last_use_time is not None
        figures = await stats(store, scope)
        assert (figures.searches, figures.hit_rate, figures.never_found) == (1, 1.0, 1)

    async def test_nobody_marks_the_search_of_another(self, store: Backend, scope: Scope) -> None:
        (hit,) = await write_texts(store, scope, "绿茶")
        search = searched(scope, hit)
        await store.log_searches([search])
        assert await mark(store, as_agent(scope, "bob"), search.search_id, hit) == ()
        memory = await read(store, scope, hit)
        assert memory is not None
        assert memory.use_count == 0

    async def test_an_erased_memory_was_never_found(self, store: Backend, scope: Scope) -> None:
        kept, erased = await write_texts(store, scope, "one", "二")
        search = searched(scope, kept, erased)
        await store.log_searches([search])
        async with store.unit(scope) as unit:
            await unit.erase(scope, [erased], actor="ann")
        await store.log_searches([searched(scope, kept, erased)])
        assert (await stats(store, scope)).never_found == 0
        assert await mark(store, scope, search.search_id, erased) == ()

    async def test_skipped_duplicates_are_counted_by_audience(self, store: Backend, scope: Scope) -> None:
        shared, private = await write(
            store, scope, draft(scope, "公开"), draft(scope, "private", visibility=Visibility.PRIVATE)
        )
        async with store.unit(scope) as unit:
            await unit.skip_duplicates(scope, [shared.memory_id, shared.memory_id, private.memory_id])
        assert (await stats(store, scope)).duplicates_skipped == 3
        assert (await stats(store, as_agent(scope, "bob"))).duplicates_skipped == 2
        memory = await read(store, scope, shared.memory_id)
        assert memory is not None
        assert memory.use_count == 1
