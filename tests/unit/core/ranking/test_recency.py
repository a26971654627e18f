from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.core.ranking.samples import NOW

from recalld_server.core.ranking.recency import freshness, within
from recalld_server.model import TimeSpan

DAY = 86_400.0


def test_freshness_halves_and_the_future_is_fresh() -> None:
    seconds = NOW.timestamp() - np.array([-5.0, 0.0, 30.0, 60.0, 9999.0]) * DAY
    half_lives = np.array([30.0, 30.0, 30.0, 30.0, np.inf])
    assert freshness(seconds, half_lives, NOW).tolist() == pytest.approx([1.0, 1.0, 0.5, 0.25, 1.0])


@given(st.floats(0, 10_000), st.floats(0, 10_000))
def test_the_newer_is_never_less_fresh(a: float, b: float) -> None:
    fresh = freshness(NOW.timestamp() - np.array([a, b]) * DAY, np.array([30.0, 30.0]), NOW)
    assert (fresh[0] >= fresh[1]) == (a <= b) or fresh[0] == fresh[1]


def test_a_span_is_half_open() -> None:
    span = TimeSpan(NOW, NOW + timedelta(days=1))
    seconds = NOW.timestamp() + np.array([-1.0, 0.0, DAY - 1, DAY, 15 * DAY - 1, 15 * DAY])
    assert within(seconds, span, 0.6).tolist() == [0.0, 1.0, 1.0, 0.6, 0.6, 0.0]


def test_open_ends_are_open() -> None:
    seconds = NOW.timestamp() + np.array([-DAY, DAY])
    assert within(seconds, TimeSpan(NOW, None), 0.6).tolist() == [0.0, 1.0]
    assert within(seconds, TimeSpan(None, NOW), 0.6).tolist() == [1.0, 0.6]
