"""The two halves of BM25."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.text.lexical import MAX_TERMS, idf, lexical_document, lexical_unit
from recalld_server.text.tokens import TERM_SPACE, query_weights, term_id


def score(document: str, query: str, average_length: float = 10) -> float:
    stored = lexical_document(document, average_length=average_length)
    weights = dict(zip(stored.terms, stored.weights, strict=True))
    return sum(weight * weights.get(term_id(token), 0.0) for token, weight in query_weights(query).items())


def test_the_stored_half_is_bm25s() -> None:
    document = lexical_document("tea tea coffee", average_length=2.5)
    norm = 0.9 * (1 - 0.4 + 0.4 * 3 / 5)  # the geometric mean of 2.5 and 10
    weights = dict(zip(document.terms, document.weights, strict=True))
    assert document.length == 3
    assert weights[term_id("tea")] == pytest.approx(2 * 1.9 / (2 + norm))
    assert weights[term_id("coffe")] == pytest.approx(1 * 1.9 / (1 + norm))


@pytest.mark.parametrize(("average", "usual"), [(2.5, 5), (10, 10), (40, 20), (1000, 100)])
def test_where_memories_are_long_length_is_held_against_them_less(average: float, usual: float) -> None:
    document = lexical_document("茶 " * 40, average_length=average)
    norm = 0.9 * (1 - 0.4 + 0.4 * document.length / usual)
    assert list(document.weights) == pytest.approx([40 * 1.9 / (40 + norm)])


@pytest.mark.parametrize("text", ["green tea", "绿茶好喝"])
def test_without_an_average_memories_are_taken_for_short(text: str) -> None:
    assert lexical_document(text, average_length=0) == lexical_document(text, average_length=10)


@pytest.mark.parametrize("average", [-1.0, math.nan, math.inf])
def test_an_impossible_average_is_refused(average: float) -> None:
    with pytest.raises(ValueError, match="average_length"):
        lexical_document("tea 茶", average_length=average)


def test_a_text_without_tokens_is_empty() -> None:
    document = lexical_document("…！", average_length=10)
    assert (document.terms, document.weights, document.length) == ((), (), 0)


def test_the_better_match_scores_higher() -> None:
    assert score("kubectl 部署回滚步骤写在运维手册第三章", "kubectl 回滚") > score(
        "kubectl install notes", "kubectl 回滚"
    )
    assert score("We saw The Who live in 2019", "The Who") > score("who was it and what did they say", "The Who") == 0
    assert score("打印机型号是HP M283", "打印机型号") > score("打印纸的型号", "打印机型号") > 0


def test_terms_stay_within_what_a_sparse_vector_holds() -> None:
    text = "".join(chr(0x4E00 + (index * 7919) % 20000) for index in range(20000)) + "茶茶茶"
    document = lexical_document(text, average_length=10)
    assert len(document.terms) == MAX_TERMS
    assert term_id("茶") in document.terms


@given(st.text(), st.floats(min_value=0, max_value=1e6))
def test_documents_are_sorted_unique_and_positive(text: str, average: float) -> None:
    document = lexical_document(text, average_length=average)
    assert list(document.terms) == sorted(set(document.terms))
    assert all(0 <= term < TERM_SPACE for term in document.terms)
    assert all(0 < weight < 1.9 for weight in document.weights)
    assert len(document.terms) == len(document.weights)
    assert document.length >= (1 if document.terms else 0)


def test_rare_terms_tell_more() -> None:
    assert idf(1000, 1) == pytest.approx(math.log(1 + 999.5 / 1.5))
    assert idf(1000, 1) > idf(1000, 10) > idf(1000, 1000) > 0
    assert idf(0, 0) > 0


@given(st.integers(min_value=-5, max_value=10**9), st.integers(min_value=-5, max_value=10**9))
def test_stale_statistics_give_a_usable_weight(count: int, frequency: int) -> None:
    assert 0 < idf(count, frequency) < 25


def test_the_lexical_unit_is_made_of_the_rarest_terms() -> None:
    assert lexical_unit([1.0, 2.0]) == 3.0
    assert lexical_unit([5.0, 0.1, 5.0, 5.0, 5.0, 5.0, 5.0, 0.2]) == 30.0
    assert lexical_unit([]) == 0.0
