"""What the arms of a search propose, and what is measured of each candidate."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import numpy as np
import pytest
from tests.store.things import (
    START,
    Backend,
    as_agent,
    draft,
    make_scope,
    query_terms,
    turned,
    vector,
    write,
    write_texts,
)

from recalld_server.model import Filter, Kind, Scope, State, TimeSpan, Visibility, utc_now
from recalld_server.store.base import CandidateQuery, Candidates, Found, NewMemory, Vector
from recalld_server.text.lexical import idf


async def search(store: Backend, scope: Scope, query: CandidateQuery) -> Candidates:
    async with store.view([scope]) as view:
        return await view.candidates([scope], query)


async def texts(store: Backend, scope: Scope, found: tuple[Found, ...]) -> dict[UUID, str]:
    async with store.view([scope]) as view:
        memories = await view.get(scope, [each.memory_id for each in found])
    return {memory_id: memory.content for memory_id, memory in memories.items()}


async def by_text(store: Backend, scope: Scope, query: CandidateQuery) -> dict[str, Found]:
    found = (await search(store, scope, query)).found
    named = await texts(store, scope, found)
    return {named[each.memory_id]: each for each in found}


def words(text: str, **options: object) -> CandidateQuery:
    return CandidateQuery(Filter(), None, query_terms(text), **options)  # type: ignore[arg-type]


def bm25(news: list[NewMemory], query: dict[int, float]) -> dict[str, float]:
    """BM25 of every text, computed from the stored halves."""
    df = {t: sum(t in new.lexical.terms for new in news) for t in query}
    return {
        new.memory.content: sum(
            query[t] * idf(len(news), df[t]) * w
            for t, w in zip(new.lexical.terms, new.lexical.weights, strict=True)
            if t in query
        )
        for new in news
    }


def centred(news: list[NewMemory], query: Vector) -> dict[UUID, float]:
    """By memory: the inner product with the query, half of the mean taken off both, over the usual length of both."""
    vectors = np.stack([new.vector for new in news if new.vector is not None])
    mean = vectors.mean(axis=0)
    turned = query - mean / 2
    turned /= np.linalg.norm(turned) * np.sqrt(1 - 0.75 * float(mean @ mean))
    return {new.memory.memory_id: float(each) for new, each in zip(news, (vectors - mean / 2) @ turned, strict=True)}


class Searching:
    async def test_the_vector_arm_is_exact(self, store: Backend, scope: Scope) -> None:
        news = [draft(scope, f"向量 {n}") for n in range(120)]
        await write(store, scope, *news)
        query = vector("query")
        found = await search(store, scope, CandidateQuery(Filter(), query, {}, vector_limit=10, recent_limit=0))
        assert found.plans == ("exact",)
        expected = centred(news, query)
        best = sorted(expected, key=lambda memory_id: -expected[memory_id])[:10]
        assert {each.memory_id for each in found.found} == set(best)
        for each in found.found:
            assert each.cosine == pytest.approx(expected[each.memory_id], abs=2e-3)
            assert (each.lexical, each.arms) == (None, frozenset({"vector"}))

    async def test_a_few_vectors_have_no_centre(self, store: Backend, scope: Scope) -> None:
        await write(store, scope, *(draft(scope, f"向量 {n}") for n in range(20)))
        query = vector("query")
        found = (await search(store, scope, CandidateQuery(Filter(), query, {}))).found
        named = await texts(store, scope, found)
        assert [each.cosine for each in found] == [
            pytest.approx(float(vector(named[each.memory_id]) @ query), abs=2e-3) for each in found
        ]

    async def test_lexical_scores_are_bm25(self, store: Backend, scope: Scope) -> None:
        texts = [
            "Alice likes green tea in the morning",
            "Bob likes coffee, black coffee, and more coffee",
            "用户喜欢喝绿茶",
            "用户不喜欢咖啡",
            "tea",
            "deploy service recalld-server v1.2.3 to staging",
        ]
        news = [draft(scope, text) for text in texts]
        await write(store, scope, *news)
        for text in ("green tea", "绿茶", "咖啡 coffee", "v1.2.3"):
            found = await by_text(store, scope, words(text, recent_limit=10))
            expected = bm25(news, query_terms(text))
            assert {t: f.lexical for t, f in found.items()} == {
                t: pytest.approx(s, rel=1e-4, abs=1e-6) for t, s in expected.items()
            }
            assert {t for t, f in found.items() if "lexical" in f.arms} == {t for t, s in expected.items() if s > 0}
            for content, each in found.items():
                new = next(new for new in news if new.memory.content == content)
                m = new.memory
                assert (each.kind, each.event_time, each.create_time) == (m.kind, m.event_time, m.create_time)
                assert (each.terms, each.words) == (frozenset(new.lexical.terms), new.lexical.length)
                assert each.cosine is None

    async def test_what_happened_in_a_span_is_proposed_whatever_it_says(self, store: Backend, scope: Scope) -> None:
        crowd = [draft(scope, f"人群 crowd {n}", event_time=START + timedelta(days=40)) for n in range(30)]
        days = [draft(scope, f"第{n}天的事 event {n}", event_time=START + timedelta(days=n)) for n in range(5)]
        await write(store, scope, *days, *crowd)
        span = TimeSpan(START + timedelta(days=1), START + timedelta(days=3))
        asked = CandidateQuery(Filter(), None, {}, recent_limit=0, span=span)
        found = await by_text(store, scope, asked)
        assert set(found) == {"第1天的事 event 1", "第2天的事 event 2"}
        assert {each.arms for each in found.values()} == {frozenset({"time"})}
        assert set(await by_text(store, scope, replace(asked, span_limit=1))) == {"第2天的事 event 2"}
        until = replace(asked, span=TimeSpan(None, span.end))
        assert set(await by_text(store, scope, until)) == {f"第{n}天的事 event {n}" for n in range(3)}

    async def test_two_characters_of_chinese_are_found(self, store: Backend, scope: Scope) -> None:
        await write_texts(store, scope, "我对花生过敏，随身带着肾上腺素笔", "周末去爬山", "I am allergic to peanuts")
        found = await by_text(store, scope, words("花生", recent_limit=0))
        assert set(found) == {"我对花生过敏，随身带着肾上腺素笔"}

    async def test_a_write_is_found_by_the_very_next_search(self, store: Backend, scope: Scope) -> None:
        for number in range(20):
            text = f"独一无二的编号 unique-{number:03d}"
            await write_texts(store, scope, text)
            found = await search(
                store, scope, CandidateQuery(Filter(), vector(text), query_terms(f"unique-{number:03d}"))
            )
            best = max(found.found, key=lambda each: each.cosine or 0)
            assert await texts(store, scope, (best,)) == {best.memory_id: text}
            assert {"vector", "lexical", "recency"} <= best.arms

    async def test_a_filter_that_means_few_still_finds_them_all(self, store: Backend, scope: Scope) -> None:
        near = vector("near")
        crowd = [draft(scope, f"人群 crowd {n}", embedding=turned(near, 0.99, n)) for n in range(150)]
        rare = [
            draft(scope, f"稀有 crowd rare {n}", tags=("rare",), event_time=START - timedelta(days=99))
            for n in range(5)
        ]
        await write(store, scope, *crowd, *rare)
        for filter in (Filter(all_tags=("rare",)), Filter(event_time=TimeSpan(end=START - timedelta(days=9)))):
            query = CandidateQuery(filter, near, query_terms("crowd"), vector_limit=5, lexical_limit=5, recent_limit=5)
            found = await search(store, scope, query)
            assert {each.memory_id for each in found.found} == {new.memory.memory_id for new in rare}
            assert all({"vector", "lexical", "recency"} <= each.arms for each in found.found)

    async def test_never_fewer_than_asked_or_matching(self, store: Backend, scope: Scope) -> None:
        await write_texts(store, scope, *(f"灯塔 lighthouse {n}" for n in range(30)))
        gone = await write_texts(store, scope, *(f"灯塔 lighthouse gone {n}" for n in range(30)))
        async with store.unit(scope) as unit:
            await unit.set_state(scope, gone, State.FORGOTTEN, actor="a", action="forget", reason="")
        for limit in (1, 10, 30, 100):
            query = CandidateQuery(
                Filter(),
                vector("q"),
                query_terms("lighthouse"),
                vector_limit=limit,
                lexical_limit=limit,
                recent_limit=limit,
            )
            found = (await search(store, scope, query)).found
            for arm in ("vector", "lexical", "recency"):
                assert sum(arm in each.arms for each in found) == min(limit, 30), (arm, limit)

    async def test_neighbours_of_a_session_come_along(self, store: Backend, scope: Scope) -> None:
        turns = [
            draft(
                scope,
                f"第 {n} 句话 turn" + (" 钥匙 needle" if n == 5 else ""),
                session_id="s",
                event_time=START + timedelta(minutes=n),
            )
            for n in range(10)
        ]
        other = draft(scope, "other session turn", session_id="t", event_time=START + timedelta(minutes=5))
        await write(store, scope, *turns, other)
        for as_of in (None, utc_now()):
            found = await by_text(store, scope, words("needle", recent_limit=0, neighbours=2, as_of=as_of))
            assert {f.event_time.minute - START.minute for f in found.values()} == {3, 4, 5, 6, 7}
            assert [f.position for f in sorted(found.values(), key=lambda f: f.event_time)] == [0, 1, 2, 3, 4]
            assert {t: f.arms for t, f in found.items() if "needle" not in t} == dict.fromkeys(
                (t for t in found if "needle" not in t), frozenset({"neighbour"})
            )
        assert len((await search(store, scope, words("needle", recent_limit=0, neighbours=0))).found) == 1

    async def test_neighbours_obey_the_filter(self, store: Backend, scope: Scope) -> None:
        await write(
            store,
            scope,
            *(
                draft(
                    scope,
                    f"钥匙 needle {n}" if n == 2 else f"句 {n}",
                    session_id="s",
                    kind=Kind.EPISODIC if n % 2 == 0 else Kind.SEMANTIC,
                )
                for n in range(5)
            ),
        )
        query = CandidateQuery(Filter(kinds=(Kind.EPISODIC,)), None, query_terms("needle"), recent_limit=0)
        assert set(await by_text(store, scope, query)) == {"句 0", "钥匙 needle 2", "句 4"}

    async def test_identifiers_are_matched_exactly(self, store: Backend, scope: Scope) -> None:
        await write(
            store,
            scope,
            draft(scope, "ticket one", entities=("ABC-123", "王芳")),
            draft(scope, "ticket two", entities=("ABC-1234",)),
            draft(scope, "ticket three"),
        )
        third = next(iter((await search(store, scope, words("three", recent_limit=0))).found)).memory_id
        for names, expected in (
            (("ABC-123",), {"ticket one"}),
            (("王芳", "nobody"), {"ticket one"}),
            ((str(third),), {"ticket three"}),
            (("abc",), set()),
        ):
            query = CandidateQuery(Filter(), None, {}, names, recent_limit=0)
            found = await by_text(store, scope, query)
            assert set(found) == expected
            assert {arm for each in found.values() for arm in each.arms} <= {"identifier"}
            assert (await search(store, scope, query)).plans == ("off",)

    async def test_several_namespaces_in_one_search(self, store: Backend, scope: Scope) -> None:
        other = await make_scope(store, "other")
        (work,) = await write_texts(store, scope, "公司的咖啡 coffee at work")
        (home,) = await write_texts(store, other, "家里的咖啡 coffee at home")
        async with store.view([scope, other]) as view:
            found = await view.candidates([scope, other], words("咖啡"))
            one = await view.candidates([other], words("咖啡"))
        assert {(f.memory_id, f.namespace_id) for f in found.found} == {
            (work, scope.namespace_id),
            (home, other.namespace_id),
        }
        assert set(found.lexical_units) == {scope.namespace_id, other.namespace_id}
        assert found.plans == ("off", "off")
        assert [f.memory_id for f in one.found] == [home]

    async def test_private_memories_are_their_agents_own(self, store: Backend, scope: Scope) -> None:
        bob = as_agent(scope, "bob")
        secret = draft(
            scope, "密码 password hunter2", visibility=Visibility.PRIVATE, entities=("hunter2",), session_id="s"
        )
        await write(store, scope, secret, draft(scope, "公开 password rules", session_id="s"))
        query = CandidateQuery(
            Filter(), secret.vector, query_terms("password 密码"), ("hunter2", str(secret.memory.memory_id))
        )
        assert len((await search(store, scope, query)).found) == 2
        assert set(await by_text(store, bob, query)) == {"公开 password rules"}
        everybody = as_agent(scope, "*")
        assert len((await search(store, everybody, query)).found) == 2

    async def test_one_vector_without_memories_and_the_other_way_round(self, store: Backend, scope: Scope) -> None:
        query = CandidateQuery(Filter(), vector("q"), query_terms("什么 anything"), ("x",))
        assert (await search(store, scope, query)).found == ()
        (memory_id,) = await write_texts(store, scope, "没有向量 no vector here")
        async with store.unit(scope) as unit:
            form = draft(scope, "仍无向量 still anything", memory_id=memory_id, index_state=1)
            form = NewMemory(form.memory, form.content_hash, form.lexical, None)
            await unit.replace(scope, form, expected_revision=1, action="update", actor="a", reason="")
        (found,) = (await search(store, scope, query)).found
        assert found.cosine is None
        assert found.lexical is not None
        assert math.isfinite(found.lexical)
        assert "vector" not in found.arms

    async def test_the_past_is_searched_with_the_state_of_then(self, store: Backend, scope: Scope) -> None:
        old, new = await write_texts(store, scope, "门的密码是 1357 door code", "门的密码是 2468 door code")
        before = utc_now()
        async with store.unit(scope) as unit:
            await unit.supersede(scope, [old], new, actor="a", reason="", when=utc_now())
        now = await search(store, scope, CandidateQuery(Filter(), vector("x"), query_terms("密码 code")))
        then = await search(store, scope, CandidateQuery(Filter(), vector("x"), query_terms("密码 code"), as_of=before))
        both = Filter(states=(State.ACTIVE, State.SUPERSEDED))
        every = await search(store, scope, CandidateQuery(both, vector("x"), query_terms("密码 code")))
        assert {each.memory_id for each in now.found} == {new}
        assert {each.memory_id for each in then.found} == {old, new} == {f.memory_id for f in every.found}
        assert all(np.isfinite(each.cosine or 0) and (each.lexical or 0) > 0 for each in then.found)
