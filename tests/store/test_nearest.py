"""Drafts that are looked up together meet what each would meet alone."""

from __future__ import annotations

import pytest
from tests.store.conformance.surroundings import around
from tests.store.things import Backend, draft, turned, vector, write

from recalld_server.model import Scope, Visibility
from recalld_server.store.postgres import PostgresStore, nearest
from recalld_server.store.postgres.maintenance import MaintenanceOptions


def _drafts(scope: Scope, count: int) -> list[object]:
    bases = [vector(n) for n in range(3)]
    return [draft(scope, f"new 新的 {n}", embedding=turned(bases[n % 3], 0.97, ("new", n))) for n in range(count)]


async def _known(store: Backend, scope: Scope) -> None:
    shared = [draft(scope, f"known 已知 {n}", embedding=turned(vector(n % 3), 0.9, ("known", n))) for n in range(30)]
    other = draft(scope, "of Bob 小波的", embedding=vector(0), user_id="bob")
    mine = draft(scope, "mine 我的", embedding=vector(0), visibility=Visibility.PRIVATE)
    await write(store, scope, *shared, other, mine)


async def test_a_batch_meets_what_each_draft_meets_alone(
    store: Backend, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest, "BLOCK", 8)
    await _known(store, scope)
    drafts = _drafts(scope, 2 * nearest.MANY)
    together = await around(store, scope, *drafts)  # type: ignore[arg-type]
    assert all(len(met.near) == 5 for met in together)
    for one, met in zip(drafts, together, strict=True):
        (alone,) = await around(store, scope, one)  # type: ignore[arg-type]
        assert [near.memory.memory_id for near in met.near] == [near.memory.memory_id for near in alone.near]
        assert [near.cosine for near in met.near] == [pytest.approx(near.cosine, abs=2e-3) for near in alone.near]


async def test_what_is_in_the_index_and_what_is_not_yet_are_both_met(store: PostgresStore, scope: Scope) -> None:
    await _known(store, scope)
    options = MaintenanceOptions(counted_from=1, ann_from=1, ann_chunk=100, fresh_tail=0)
    await store.maintenance(options).refresh_statistics()
    assert await store.maintenance(options).turn_on_ann() > 0
    await write(store, scope, draft(scope, "fresh 新鲜", embedding=vector(0)))
    for count in (1, 2 * nearest.MANY):
        for n, met in enumerate(await around(store, scope, *_drafts(scope, count))):  # type: ignore[arg-type]
            assert len(met.near) == 5
            assert all(near.memory.user_id == "" and near.memory.visibility is Visibility.SHARED for near in met.near)
            assert (met.near[0].memory.content == "fresh 新鲜") == (n % 3 == 0)
