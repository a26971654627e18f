from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.unit.core.ranking.samples import NOW, candidate, query

from recalld_server.core.ranking import Weights, rank
from recalld_server.store.base import Found
from recalld_server.text.lexical import lexical_document

WEIGHTS = Weights(recency=0.0, session=0.0, question=0.0, brevity=0.0, lexical=1.0, vector=1.0)


def turn(place: int, **fields: Any) -> Found:
    """A short turn of a talk of two, twenty seconds after the one before."""
    values: dict[str, Any] = {
        "session_id": "talk",
        "position": place,
        "speaker": "Ann" if place % 2 else "Bo",
        "event_time": NOW + timedelta(seconds=20 * place),
        "words": 10,
    }
    return candidate(place, **{**values, **fields})


def scores(*turns: Found) -> dict[int, float]:
    return {hit.memory_id.int: hit.score for hit in rank(turns, query(unit=10.0), WEIGHTS, NOW)}


def test_words_are_lent_to_two_turns_on_either_side_more_to_those_that_follow() -> None:
    found = scores(*(turn(n, lexical=5.0 if n == 4 else 0.0) for n in range(1, 8)))
    assert found == {
        1: 0.0,
        2: pytest.approx(0.075),
        3: pytest.approx(0.125),
        4: 0.5,
        5: pytest.approx(0.25),
        6: pytest.approx(0.125),
        7: 0.0,
    }


def test_meaning_is_not_lent() -> None:
    assert scores(turn(1), turn(2, cosine=0.5), turn(3)) == {1: 0.0, 2: 0.5, 3: 0.0}


def test_a_gap_in_the_candidates_is_a_gap() -> None:
    found = scores(turn(1, lexical=5.0), turn(3), turn(4))
    assert found[3] == pytest.approx(0.125)
    assert found[4] == 0.0


def test_long_turns_lean_less_on_others() -> None:
    assert scores(turn(1, lexical=5.0), turn(2, words=50))[2] == pytest.approx(0.25 / 2)


@pytest.mark.parametrize(
    "other",
    [
        {"session_id": "another"},
        {"session_id": ""},
        {"speaker": "Ann"},
        {"event_time": NOW + timedelta(hours=2)},
        {"namespace_id": candidate(7).memory_id},
    ],
)
def test_only_a_talk_of_several_within_an_hour_has_neighbours(other: dict[str, Any]) -> None:
    assert scores(turn(1, lexical=5.0), turn(2, **other))[2] == 0.0


def test_memories_that_stand_alone_are_no_neighbours_of_each_other() -> None:
    assert scores(turn(1, lexical=5.0, session_id=""), turn(2, session_id=""))[2] == 0.0


@pytest.mark.parametrize(
    ("brief", "telling"),
    [
        ("Wow, congrats!", "I won the county race in Leeds on my new bike"),
        ("哇，恭喜！", "我骑新车在利兹赢了县里的比赛"),
    ],
)
def test_a_turn_of_a_word_or_two_comes_below_a_telling_one(brief: str, telling: str) -> None:
    talk = [
        turn(1, cosine=0.42, words=lexical_document(brief, average_length=0).length),
        turn(2, cosine=0.40, words=lexical_document(telling, average_length=0).length),
    ]
    found = [hit.memory_id.int for hit in rank(talk, query(), replace(WEIGHTS, brevity=0.12), NOW)]
    assert found == [2, 1]
    assert list(scores(*talk)) == [1, 2]


@pytest.mark.parametrize("other", [{"session_id": ""}, {"speaker": "Ann"}])
def test_brevity_is_no_fault_outside_of_a_talk(other: dict[str, Any]) -> None:
    weights = replace(WEIGHTS, brevity=0.12)
    pair = [turn(1, cosine=0.42, words=1, **other), turn(2, cosine=0.40, words=20, **{"speaker": "Ann"} | other)]
    assert [hit.score for hit in rank(pair, query(), weights, NOW)] == [pytest.approx(0.42), pytest.approx(0.40)]


def test_beyond_thirty_words_length_is_no_merit() -> None:
    weights = replace(WEIGHTS, brevity=0.12)
    found = rank([turn(1, cosine=0.4, words=30), turn(2, cosine=0.4, words=900)], query(), weights, NOW)
    assert found[0].score == found[1].score == pytest.approx(0.4)
