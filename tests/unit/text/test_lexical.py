"""The two halves of BM25."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.text.lexical import LONG_QUERY, MAX_TERMS, idf, lexical_document, long_query_factor
from recalld_server.text.tokens import TERM_SPACE, query_weights, term_id


def score(document: str, query: str, average_length: float = 10) -> float:
    stored = lexical_document(document, average_length=average_length)
    weights = dict(zip(stored.terms, stored.weights, strict=True))
    return sum(weight * weights.get(term_id(token), 0.0) for token, weight in query_weights(query).items())


def test_the_stored_half_is_bm25s() -> None:
    document = lexical_document("tea tea coffee", average_length=6)
    norm = 0.9 * (1 - 0.25 + 0.25 * 3 / 6)
    weights = dict(zip(document.terms, document.weights, strict=True))
    assert document.length == 3
    assert weights[term_id("tea")] == pytest.approx(2 * 1.9 / (2 + norm))
    assert weights[term_id("coffe")] == pytest.approx(1 * 1.9 / (1 + norm))


def test_long_memories_are_normed_harder() -> None:
    text = "tea " * 10
    short = lexical_document(text, average_length=5).weights[0] / lexical_document(text, average_length=10).weights[0]
    long = (
        lexical_document(text * 20, average_length=100).weights[0]
        / lexical_document(text * 20, average_length=200).weights[0]
    )
    norms = [0.9 * (1 - 0.25 + 0.25 * ratio) for ratio in (2, 1)]
    assert short == pytest.approx((10 + norms[1]) / (10 + norms[0]))
    norms = [0.9 * (1 - 0.75 + 0.75 * ratio) for ratio in (2, 1)]
    assert long == pytest.approx((200 + norms[1]) / (200 + norms[0]))


def test_a_long_query_gets_the_usual_length_norm() -> None:
    long_norm = 0.9 * (1 - 0.75 + 0.75 * 40 / 20)
    document = lexical_document(" ".join(f"w{number}" for number in range(40)), average_length=20)
    assert document.weights[0] * long_query_factor(document.length, 20) == pytest.approx(1.9 / (1 + long_norm))
    assert long_query_factor(20, 20) == 1.0
    assert long_query_factor(400, 200) == 1.0
    assert long_query_factor(40, 20) < 1.0 < long_query_factor(10, 20)
    assert len(query_weights("我们上周去西湖边上喝了新的龙井茶叶")) > LONG_QUERY > len(query_weights("喝茶 tea"))


@pytest.mark.parametrize("text", ["green tea", "绿茶好喝"])
def test_without_an_average_a_text_is_average(text: str) -> None:
    unknown = lexical_document(text, average_length=0)
    assert unknown == lexical_document(text, average_length=unknown.length)


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
