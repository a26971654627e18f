from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.core.ranking.samples import NOW, SPACE, candidate, query

from recalld_server.core.ranking import QueryFeatures, Weights, rank
from recalld_server.model import Kind, TimeSpan
from recalld_server.store.base import Found

PLAIN = Weights(
    recency=0.0,
    importance=0.0,
    confidence=0.0,
    use=0.0,
    session=0.0,
    speaker=0.0,
    question=0.0,
    brevity=0.0,
    half_life_days={},
)


def ids(candidates: list[Found], features: QueryFeatures | None = None, weights: Weights = PLAIN) -> list[int]:
    return [one.memory_id.int for one in rank(candidates, features or query(), weights, NOW)]


def test_nothing_gives_nothing() -> None:
    assert rank([], query(), Weights(), NOW) == []


def test_words_and_meaning_are_added_in_their_weights() -> None:
    hit = rank([candidate(1, cosine=0.4, lexical=5.0)], query(unit=10.0), PLAIN, NOW)[0]
    assert hit.score == pytest.approx(0.35 * 0.5 + 0.65 * 0.4)
    assert hit.arms["lexical"].raw == 5.0
    assert hit.arms["lexical"].normalised == 0.5
    assert hit.arms["vector"].contribution == pytest.approx(0.26)


def test_the_score_of_a_memory_does_not_depend_on_the_other_candidates() -> None:
    one = candidate(1, "the cat", cosine=0.4, lexical=5.0)
    alone = rank([one], query(), Weights(), NOW)[0].score
    crowd = [one, *(candidate(n, f"other {n}", cosine=0.1 * n, lexical=1.0 * n) for n in range(2, 9))]
    assert next(hit.score for hit in rank(crowd, query(), Weights(), NOW) if hit.memory_id.int == 1) == alone


def test_without_a_unit_the_best_of_the_namespace_is_the_unit() -> None:
    other = UUID(int=2)
    crowd = [
        candidate(1, lexical=4.0),
        candidate(2, lexical=2.0),
        candidate(3, lexical=100.0, namespace_id=other),
        candidate(4, lexical=None, namespace_id=other),
    ]
    found = {hit.memory_id.int: hit for hit in rank(crowd, QueryFeatures("q"), PLAIN, NOW)}
    assert found[1].score == found[3].score == pytest.approx(0.35)
    assert found[2].score == pytest.approx(0.175)
    assert found[4].score == 0.0


@pytest.mark.parametrize("arm", ["lexical", "vector"])
def test_an_arm_that_is_down_leaves_the_other_one(arm: str) -> None:
    down = {"lexical": "lexical", "vector": "cosine"}[arm]
    off: dict[str, Any] = {down: None}
    crowd = [
        candidate(1, **{"cosine": 0.1, "lexical": 1.0} | off),
        candidate(2, **{"cosine": 0.5, "lexical": 5.0} | off),
    ]
    hits = rank(crowd, query(), Weights(), NOW)
    assert [hit.memory_id.int for hit in hits] == [2, 1]
    assert arm not in hits[0].arms


def test_a_weight_of_zero_switches_an_arm_off() -> None:
    crowd = [candidate(1, cosine=0.9), candidate(2, lexical=9.0)]
    assert ids(crowd, weights=replace(PLAIN, vector=0.0)) == [2, 1]
    assert ids(crowd, weights=replace(PLAIN, lexical=0.0)) == [1, 2]


@pytest.mark.parametrize(("question", "speaker"), [("What did Ann say?", "Ann Lee"), ("小明昨天说了什么?", "小明")])
def test_the_named_speaker_gains(question: str, speaker: str) -> None:
    crowd = [candidate(1, cosine=0.4, speaker="Bo"), candidate(2, cosine=0.4, speaker=speaker)]
    assert ids(crowd, query(question), replace(PLAIN, speaker=0.02)) == [2, 1]
    assert ids(crowd, query("What was said?"), replace(PLAIN, speaker=0.02)) == [1, 2]


def test_the_named_time_gains_and_the_weeks_after_a_little() -> None:
    span = TimeSpan(NOW - timedelta(days=30), NOW - timedelta(days=23))
    days = {1: 40, 2: 25, 3: 23, 4: 12, 5: 5}
    crowd = [candidate(n, event_time=NOW - timedelta(days=ago)) for n, ago in days.items()]
    found = {hit.memory_id.int: hit.score for hit in rank(crowd, query(time_range=span), PLAIN, NOW)}
    assert found == {1: 0.0, 2: 0.15, 3: pytest.approx(0.09), 4: pytest.approx(0.09), 5: 0.0}


def test_an_exact_identifier_wins_over_a_likeness() -> None:
    assert ids([candidate(1, cosine=0.6), candidate(2, cosine=0.4, arms=frozenset({"identifier"}))]) == [2, 1]


def test_a_short_question_is_worth_less_than_its_answer() -> None:
    crowd = [candidate(1, cosine=0.41, asks=True, words=8), candidate(2, cosine=0.4, words=8)]
    assert ids(crowd, weights=replace(PLAIN, question=0.05)) == [2, 1]
    long = [crowd[0]._replace(words=400), crowd[1]]
    assert ids(long, weights=replace(PLAIN, question=0.05)) == [1, 2]


def test_a_session_lifts_its_memories_and_keeps_the_scale() -> None:
    weights = replace(PLAIN, session=0.3)
    crowd = [
        candidate(1, cosine=0.30, session_id="a", position=1),
        candidate(2, cosine=0.60, session_id="a", position=9),
        candidate(3, cosine=0.32, session_id="b", position=1),
        candidate(4, cosine=0.50),
    ]
    hits = {hit.memory_id.int: hit.score for hit in rank(crowd, query(), weights, NOW)}
    assert hits[1] > hits[3]
    assert hits[4] == pytest.approx(0.65 * 0.5)
    assert hits[2] == pytest.approx(0.65 * 0.6)


def test_a_session_is_as_good_as_its_best_words_and_its_best_meaning_together() -> None:
    weights = replace(PLAIN, session=0.6)
    crowd = [
        candidate(1, cosine=0.6, session_id="both", position=1),
        candidate(2, lexical=6.0, session_id="both", position=9),
        candidate(3, cosine=0.6, session_id="meaning", position=1),
        candidate(4, cosine=0.5, session_id="meaning", position=9),
    ]
    hits = {hit.memory_id.int: hit for hit in rank(crowd, query(), weights, NOW)}
    assert hits[1].arms["session"].contribution == pytest.approx(0.6 * (0.65 * 0.6 + 0.35 * 0.6) / 1.6)
    assert hits[3].arms["session"].contribution == pytest.approx(0.6 * 0.65 * 0.6 / 1.6)


def test_what_is_added_counts_in_full_whatever_the_session_counts() -> None:
    named = candidate(1, cosine=0.4, arms=frozenset({"identifier"}))
    for session in (0.0, 0.6):
        hit = rank([named], query(), replace(PLAIN, session=session), NOW)[0]
        assert hit.score == pytest.approx(0.65 * 0.4 + 0.2)


def test_sessions_of_the_same_name_in_two_namespaces_are_two() -> None:
    weights = replace(PLAIN, session=0.3)
    crowd = [
        candidate(1, cosine=0.3, session_id="a"),
        candidate(2, cosine=0.6, session_id="a", namespace_id=UUID(int=2)),
    ]
    assert {hit.memory_id.int: hit.score for hit in rank(crowd, query(), weights, NOW)}[1] == pytest.approx(0.65 * 0.3)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"importance": 0.9}, {"importance": 0.1}),
        ({"confidence": 1.0}, {"confidence": 0.4}),
        ({"use_count": 40}, {"use_count": 0}),
        ({"event_time": NOW - timedelta(days=1)}, {"event_time": NOW - timedelta(days=400)}),
    ],
)
def test_priors_settle_what_is_about_equal_and_nothing_else(
    better: dict[str, object], worse: dict[str, object]
) -> None:
    near = [candidate(1, "alpha beta", cosine=0.401, **worse), candidate(2, "gamma delta", cosine=0.4, **better)]
    far = [candidate(1, "alpha beta", cosine=0.6, **worse), candidate(2, "gamma delta", cosine=0.4, **better)]
    assert ids(near, weights=Weights()) == [2, 1]
    assert ids(far, weights=Weights()) == [1, 2]


def test_recency_goes_by_the_half_life_of_the_kind() -> None:
    weights = replace(PLAIN, recency=1.0, half_life_days={Kind.EPISODIC: 30.0})
    when = NOW - timedelta(days=30)
    crowd = [
        candidate(1, cosine=0.4, kind=Kind.EPISODIC, event_time=when),
        candidate(2, cosine=0.4, kind=Kind.SEMANTIC, event_time=when),
    ]
    found = {hit.memory_id.int: hit.arms["recency"] for hit in rank(crowd, query(), weights, NOW)}
    assert found[1].normalised == pytest.approx(0.5)
    assert found[2].normalised == 1.0
    assert found[1].raw == pytest.approx(30.0)


def test_equal_scores_come_newest_first() -> None:
    assert ids([candidate(3), candidate(1), candidate(2)]) == [1, 2, 3]


def test_limit_cuts_the_end() -> None:
    crowd = [candidate(n, cosine=n / 10) for n in range(1, 9)]
    assert [hit.memory_id.int for hit in rank(crowd, query(), PLAIN, NOW, limit=3)] == [8, 7, 6]


arms = st.none() | st.floats(-1, 1)
some = st.builds(
    candidate,
    st.integers(1, 60),
    st.sampled_from(["", "we met in Rome", "we met in Bern", "我们在罗马见面", "我们在伯尔尼见面"]),
    cosine=arms,
    lexical=st.none() | st.floats(0, 50),
    session_id=st.sampled_from(["", "a", "b"]),
    position=st.integers(0, 9),
    speaker=st.sampled_from(["Ann", "Bo", "小明"]),
    kind=st.sampled_from(Kind),
    asks=st.booleans(),
    arms=st.sampled_from([frozenset(), frozenset({"identifier"})]),
    importance=st.floats(0, 1),
    confidence=st.floats(0, 1),
    use_count=st.integers(0, 10**6),
    superseded_by=st.none() | st.integers(1, 60).map(lambda number: UUID(int=number)),
)
crowds = st.lists(some, max_size=40, unique_by=lambda one: one.memory_id)


@given(crowds)
def test_every_candidate_is_in_the_answer_once(crowd: list[Found]) -> None:
    hits = rank(crowd, query("Ann 小明", time_range=TimeSpan(NOW - timedelta(seconds=30), None)), Weights(), NOW)
    shown = [one for hit in hits for one in (hit.memory_id, *hit.folded_ids)]
    assert sorted(shown) == sorted(one.memory_id for one in crowd)


@given(crowds)
def test_scores_fall_and_are_what_the_arms_sum_up_to(crowd: list[Found]) -> None:
    hits = rank(crowd, query("Ann"), Weights(), NOW)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    for hit in hits:
        whole = sum(arm.contribution for arm in hit.arms.values())
        assert hit.score == pytest.approx(min(1.0, max(0.0, whole)), abs=1e-9)


@given(crowds, st.randoms())
def test_the_order_of_the_candidates_does_not_matter(crowd: list[Found], chance: object) -> None:
    mixed = list(crowd)
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    places = {(one.session_id, one.position) for one in crowd}
    if len(places) == len(crowd):
        assert rank(mixed, query(), Weights(), NOW) == rank(crowd, query(), Weights(), NOW)


def test_the_space_of_the_samples_is_known_to_the_query() -> None:
    assert query().lexical_units[SPACE] == 10.0
