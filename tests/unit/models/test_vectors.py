"""What becomes of the numbers that a model gives."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recalld_server.models.vectors import checked, unit, usable


@pytest.mark.parametrize(
    "numbers",
    [
        [1.0, 2.0],
        [1.0, 2.0, 3.0, 4.0],
        [0.0, 0.0, 0.0],
        [1.0, math.nan, 0.0],
        [math.inf, 0.0, 0.0],
        [[1.0, 2.0, 3.0]],
        ["1", "x", "2"],
        [1.0, None, 2.0],
        None,
        {"a": 1},
        [],
        5,
    ],
)
def test_what_is_no_vector_is_an_error_of_its_text_alone(numbers: object) -> None:
    batch = checked([[3.0, 0.0, 4.0], numbers], 3)
    assert batch.errors[0] is None
    np.testing.assert_allclose(np.asarray(batch.vectors[0]), [0.6, 0.0, 0.8], rtol=1e-6)
    assert batch.vectors[1] is None
    assert batch.errors[1]


def test_an_error_stays_an_error() -> None:
    assert checked(["the text is blank"], 3).errors == ("the text is blank",)


@settings(deadline=None)
@given(st.lists(st.floats(-1e30, 1e30), min_size=4, max_size=4).filter(lambda v: max(map(abs, v)) > 1e-9))
def test_every_vector_gets_norm_one(numbers: list[float]) -> None:
    vector = unit(np.array(numbers))
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


@settings(deadline=None)
@given(st.text(st.characters()))
def test_usable_text_can_be_sent(text: str) -> None:
    assert "\x00" not in usable(text)
    usable(text).encode()
