"""The embedder without a model."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld_server.models.base import Vector
from recalld_server.models.hash import HashEmbedder


async def one(text: str) -> Vector:
    batch = await HashEmbedder().embed_passages([text])
    assert batch.errors == (None,)
    (vector,) = batch.vectors
    assert vector is not None
    return vector


@pytest.mark.parametrize(
    ("text", "alike", "other"),
    [
        ("The user lives in Hangzhou.", "the user is living in Hangzhou", "Backups run at night."),
        ("用户住在杭州。", "这个用户现在住在杭州市", "夜里做备份。"),
    ],
)
async def test_texts_that_share_words_are_near(text: str, alike: str, other: str) -> None:
    vector = await one(text)
    assert vector @ await one(alike) > 0.5 > vector @ await one(other) + 0.2


async def test_the_same_text_has_the_same_vector_in_every_process() -> None:
    vector = await one("Mira 米拉")
    assert np.flatnonzero(vector).tolist() == [64, 175, 198, 220, 250, 289, 313, 369]


@settings(deadline=None)
@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: bool(text.strip("\x00").strip()))
)
async def test_any_text_with_content_has_a_vector(text: str) -> None:
    batch = await HashEmbedder(64).embed_queries([text, " "])
    vector, blank = batch.vectors
    if text.replace("\x00", " ").strip():
        assert vector is not None
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert blank is None
