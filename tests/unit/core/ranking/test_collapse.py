from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from tests.unit.core.ranking.samples import NOW, candidate, query

from recalld_server.core.ranking import Ranked, Weights, rank
from recalld_server.model import Kind
from recalld_server.store.base import Found

PAIRS = [("the user lives in Berlin", "the user lives in Munich"), ("用户住在柏林。", "用户住在慕尼黑。")]


def answer(*candidates: Found, weights: Weights | None = None) -> list[Ranked]:
    return rank(candidates, query(), weights or Weights(recency=0.0), NOW)


def order(hits: list[Ranked]) -> list[int]:
    return [hit.memory_id.int for hit in hits]


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_of_two_statements_alike_the_newest_comes_first(old: str, new: str) -> None:
    pair = candidate(9, old, cosine=0.52), candidate(1, new, cosine=0.50)
    assert order(answer(*pair)) == [1, 9]
    assert order(answer(*pair, weights=Weights(recency=0.0, newest_first=False))) == [9, 1]


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_a_clearly_better_statement_stays_first(old: str, new: str) -> None:
    assert order(answer(candidate(9, old, cosine=0.70), candidate(1, new, cosine=0.50))) == [9, 1]


@pytest.mark.parametrize("field", ["user_id", "speaker"])
def test_statements_about_two_people_keep_their_order(field: str) -> None:
    old, new = PAIRS[0]
    pair = candidate(9, old, cosine=0.52, **{field: "Ann"}), candidate(1, new, cosine=0.50, **{field: "Bo"})
    assert order(answer(*pair)) == [9, 1]


def test_statements_about_different_things_keep_their_order() -> None:
    pair = candidate(9, "the user plays the cello", cosine=0.52), candidate(1, "deploys freeze on Friday", cosine=0.50)
    assert order(answer(*pair)) == [9, 1]


def test_scores_still_fall_after_newest_first() -> None:
    old, new = PAIRS[0]
    hits = answer(candidate(9, old, cosine=0.52), candidate(1, new, cosine=0.50), candidate(5, "else", cosine=0.51))
    assert order(hits) == [1, 5, 9]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert hits[0].arms["order"].contribution > 0 > hits[2].arms["order"].contribution


@pytest.mark.parametrize("text", ["ship only on Monday", "周一才能发布"])
def test_the_same_words_fold_into_the_newest(text: str) -> None:
    old, new = candidate(9, text, cosine=0.6), candidate(1, text, cosine=0.5)
    hits = answer(old, new, candidate(5, "other words", cosine=0.1))
    assert order(hits) == [1, 5]
    assert hits[0].folded_ids == (UUID(int=9),)
    assert hits[0].score == pytest.approx(0.65 * 0.6)
    assert len(answer(old, new, weights=Weights(fold=False))) == 2


def test_the_same_words_about_another_user_stay() -> None:
    pair = candidate(1, "likes tea", user_id="u1"), candidate(2, "likes tea", user_id="u2")
    assert order(answer(*pair)) == [1, 2]


def test_an_event_that_happened_on_two_days_happened_twice() -> None:
    event = candidate(1, "had coffee with Tom", kind=Kind.EPISODIC)
    again = event._replace(memory_id=UUID(int=2), event_time=NOW - timedelta(days=7))
    later = event._replace(memory_id=UUID(int=3), event_time=event.event_time - timedelta(minutes=5))
    hits = answer(event, again, later)
    assert order(hits) == [1, 2]
    assert hits[0].folded_ids == (UUID(int=3),)


def test_memories_without_known_words_do_not_fold() -> None:
    assert order(answer(candidate(1), candidate(2))) == [1, 2]


def test_a_superseded_memory_is_never_above_its_successors() -> None:
    chain = (
        candidate(3, "port is 1", cosine=0.9, superseded_by=UUID(int=2)),
        candidate(2, "the port became 2", cosine=0.5, superseded_by=UUID(int=1)),
        candidate(1, "now we use 3", cosine=0.3),
        candidate(4, "something else", cosine=0.4),
    )
    hits = answer(*chain)
    assert order(hits) == [4, 1, 2, 3]
    assert hits[1].score == hits[3].score


def test_a_superseded_memory_whose_successor_is_not_there_keeps_its_place() -> None:
    assert order(answer(candidate(3, cosine=0.9, superseded_by=UUID(int=77)), candidate(2, cosine=0.5))) == [3, 2]


def test_a_successor_that_was_folded_away_still_counts() -> None:
    hits = answer(
        candidate(5, "old port", cosine=0.9, superseded_by=UUID(int=4)),
        candidate(4, "new port", cosine=0.3),
        candidate(1, "new port", cosine=0.4),
    )
    assert order(hits) == [1, 5]


def test_a_circle_of_successors_ends() -> None:
    pair = candidate(1, cosine=0.5, superseded_by=UUID(int=2)), candidate(2, cosine=0.4, superseded_by=UUID(int=1))
    assert sorted(order(answer(*pair))) == [1, 2]
