"""What a draft meets."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from tests.store.things import Backend, as_agent, draft, make_scope, turned, vector, write

from recalld_server.model import Kind, Scope, State, Visibility, utc_now
from recalld_server.store.base import DraftProbe, NewMemory, Surroundings
from recalld_server.text.clean import content_hash


def probe(new: NewMemory) -> DraftProbe:
    m = new.memory
    vector = new.text_vector if new.text_vector is not None else new.vector
    return DraftProbe(new.content_hash, vector, m.kind is Kind.EPISODIC, m.user_id, m.visibility)


async def around(store: Backend, scope: Scope, *news: NewMemory, **options: object) -> tuple[Surroundings, ...]:
    arguments = {"near": 5, "floor": 0.6, **options}
    async with store.view([scope]) as view:
        return (await view.surroundings(scope, [probe(new) for new in news], **arguments))[1]  # type: ignore[arg-type]


class Surrounding:
    async def test_the_nearest_come_best_first_down_to_the_floor(self, store: Backend, scope: Scope) -> None:
        base = vector("base")
        stored = [draft(scope, f"邻居 {c}", embedding=turned(base, c, c)) for c in (0.7, 0.95, 0.5, 0.8)]
        await write(store, scope, *stored)
        (met,) = await around(store, scope, draft(scope, "new 新的", embedding=base))
        assert met.exact is None
        assert [near.memory.content for near in met.near] == ["邻居 0.95", "邻居 0.8", "邻居 0.7"]
        assert [near.cosine for near in met.near] == [pytest.approx(c, abs=2e-3) for c in (0.95, 0.8, 0.7)]
        (few,) = await around(store, scope, draft(scope, "new 新的", embedding=base), near=1)
        assert [near.memory.content for near in few.near] == ["邻居 0.95"]

    async def test_the_same_text_is_exact(self, store: Backend, scope: Scope) -> None:
        new = draft(scope, "同一句话 the same words")
        await write(store, scope, new)
        met, other = await around(store, scope, draft(scope, "同一句话 the same words"), draft(scope, "别的"))
        assert met.exact == new.memory
        assert other == Surroundings(None, ())
        without = replace(draft(scope, "同一句话 the same words"), vector=None)
        assert (await around(store, scope, without))[0] == Surroundings(new.memory, ())

    async def test_texts_alone_are_compared(self, store: Backend, scope: Scope) -> None:
        text, context = vector("text"), vector("context")
        blend = np.asarray((text + context) / np.linalg.norm(text + context), np.float32)
        await write(store, scope, replace(draft(scope, "是的 yes", embedding=blend), text_vector=text))
        (met,) = await around(store, scope, draft(scope, "是的！ yes!", embedding=text))
        assert [near.cosine for near in met.near] == [pytest.approx(1.0, abs=1e-3)]

    async def test_only_live_ones_of_the_same_group_user_and_audience(self, store: Backend, scope: Scope) -> None:
        base = vector("group")
        bob = as_agent(scope, "bob")
        elsewhere = await make_scope(store, "elsewhere")

        def like(place: Scope, text: str, **fields: object) -> NewMemory:
            return draft(place, text, embedding=turned(base, 0.9, text), **fields)

        wanted = like(scope, "wanted 要的", kind=Kind.PROCEDURAL)
        await write(
            store,
            scope,
            wanted,
            like(scope, "episode", kind=Kind.EPISODIC),
            like(scope, "user", user_id="u"),
            like(scope, "private", visibility=Visibility.PRIVATE),
            like(scope, "expired", expire_time=utc_now() - timedelta(seconds=1)),
            like(scope, "ended", state=State.SUPERSEDED),
        )
        await write(store, bob, like(bob, "bob's", visibility=Visibility.PRIVATE))
        await write(store, elsewhere, like(elsewhere, "elsewhere"))
        (met,) = await around(store, scope, draft(scope, "新 new", embedding=base))
        assert [near.memory.content for near in met.near] == ["wanted 要的"]
        (private,) = await around(store, bob, draft(bob, "新", embedding=base, visibility=Visibility.PRIVATE))
        assert [near.memory.content for near in private.near] == ["bob's"]

    async def test_among_looks_at_these_only(self, store: Backend, scope: Scope) -> None:
        base = vector("among")
        one, two = (draft(scope, f"among {c}", embedding=turned(base, c, c)) for c in (0.9, 0.8))
        await write(store, scope, one, two)
        new = draft(scope, "看 look", embedding=base)
        (met,) = await around(store, scope, new, among=[two.memory.memory_id])
        assert [near.memory for near in met.near] == [two.memory]
        (same,) = await around(store, scope, draft(scope, "among 0.9"), among=[two.memory.memory_id])
        assert same.exact is None
        assert await around(store, scope, new, among=[]) == (Surroundings(None, ()),)

    async def test_many_drafts_at_once_meet_what_each_meets_alone(self, store: Backend, scope: Scope) -> None:
        bases = [vector(("many", n)) for n in range(40)]
        await write(store, scope, *(draft(scope, f"旧 {n}", embedding=turned(b, 0.9, n)) for n, b in enumerate(bases)))
        news = [
            draft(scope, f"新 {n}" if n % 7 else f"旧 {n}", embedding=b, user_id="" if n % 5 else "u")
            for n, b in enumerate(bases)
        ]
        together = await around(store, scope, *news)
        for new, met in zip(news, together, strict=True):
            (alone,) = await around(store, scope, new)
            assert [near.memory for near in met.near] == [near.memory for near in alone.near]
            assert met.exact == alone.exact
            expected = 0 if new.memory.user_id or met.exact else 1
            assert len(met.near) == expected

    async def test_hashes_are_those_of_the_text(self, store: Backend, scope: Scope) -> None:
        await write(store, scope, draft(scope, "Same  text"))
        async with store.view([scope]) as view:
            probes = [DraftProbe(content_hash("Same  text"), None, False, "", Visibility.SHARED)]
            sequence, (met,) = await view.surroundings(scope, probes, near=1, floor=0)
        assert sequence == 1
        assert met.exact is not None
