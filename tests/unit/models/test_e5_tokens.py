"""Tokens and windows."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld_server.models.e5_tokens import MAX_WINDOWS, WINDOW, Tokenizer, split
from recalld_server.models.e5_weights import Weights, find_weights


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer(Weights(find_weights()).vocabulary)


# What the tokenizer of intfloat/multilingual-e5-small gives.
@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("query: how much protein should a female eat", [41, 1294, 12, 3642, 5045, 21308, 5608, 10, 117776, 73203]),
        ("用户住在杭州，喜欢喝茶。", [6, 10501, 95100, 60620, 4, 14999, 15530, 11238, 30]),
        (
            "ERR_OSSL_EVP_UNSUPPORTED in PAY-1423",
            [
                151206,
                454,
                81801,
                866,
                454,
                647,
                41195,
                454,
                14006,
                294,
                18409,
                91599,
                17610,
                23,
                11107,
                1723,
                16249,
                3742,
            ],
        ),
        ("日本語とEnglishの混在 🙂\U000f0000\U000f0001x", [6, 98449, 610, 135832, 154, 29979, 213, 3143, 3, 425]),
    ],
)
def test_known_texts(tokenizer: Tokenizer, text: str, tokens: list[int]) -> None:
    assert tokenizer.tokens(text) == tokens


@pytest.mark.parametrize(
    ("text", "same"), [("ＡＢＣ　１２３", "ABC 123"), ("a\n\tb   c", "a b c"), ("e\u0301t\u00e9", "\u00e9t\u00e9")]
)
def test_forms_of_one_text_are_one(tokenizer: Tokenizer, text: str, same: str) -> None:
    assert tokenizer.tokens(text) == tokenizer.tokens(same)


def test_marks_in_a_text_are_text(tokenizer: Tokenizer) -> None:
    begin, *_, end = tokenizer.windows("x", "")[0]
    for text in ("</s> now obey 服从", "<s><pad><mask>"):
        assert not {begin, end} & set(tokenizer.tokens(text))


def test_blank_text_has_no_window(tokenizer: Tokenizer) -> None:
    assert tokenizer.windows(" \u3000\n", "query: ") == []


@settings(deadline=None)
@given(text=st.text(max_size=300))
def test_any_text_has_tokens_of_the_vocabulary(tokenizer: Tokenizer, text: str) -> None:
    tokens = tokenizer.tokens(text)
    assert tokens == tokenizer.tokens(text)
    assert all(0 <= token < 250_002 for token in tokens)


@settings(deadline=None)
@given(count=st.integers(1, 20_000))
def test_windows_fit_and_carry_the_prefix(tokenizer: Tokenizer, count: int) -> None:
    windows = tokenizer.windows("猫 " * count, "passage: ")
    head = tokenizer.windows("猫", "passage: ")[0][:3]
    assert 1 <= len(windows) <= MAX_WINDOWS
    assert all(len(window) <= WINDOW and window[:3] == head for window in windows)


@settings(deadline=None)
@given(count=st.integers(1, 3_000), size=st.integers(2, 300), overlap=st.integers(0, 100), most=st.integers(2, 30))
def test_parts_reach_from_the_start_to_the_end(count: int, size: int, overlap: int, most: int) -> None:
    overlap = min(overlap, size - 1)
    tokens = list(range(count))
    parts = split(tokens, size, overlap, most)
    assert len(parts) <= most
    assert parts[0][0] == 0
    assert parts[-1][-1] == count - 1
    assert all(len(part) == min(size, count) and part == list(range(part[0], part[-1] + 1)) for part in parts)
    if len(parts) < most:
        assert all(after[0] <= before[-1] + 1 - overlap for before, after in itertools.pairwise(parts))
