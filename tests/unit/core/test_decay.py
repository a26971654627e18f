"""The formula by which memories fade and hold."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.core.decay import recency, semantic_weight, strength, use_boost
from recalld_server.model import Kind, Memory, State, Visibility, new_id

NOW = datetime(2025, 6, 1, tzinfo=UTC)
DAYS = st.floats(0, 100_000)


def memory(days: float, **fields: object) -> Memory:
    then = NOW - timedelta(days=days)
    made = Memory(new_id(), "n", "茶 tea", Kind.EPISODIC, State.ACTIVE, Visibility.SHARED, "ann", then, then, then, 1)
    return replace(made, **fields)  # type: ignore[arg-type]


def test_the_documented_figures() -> None:
    assert recency(30, 30) == 0.5
    assert semantic_weight(90) == pytest.approx(0.8)
    assert semantic_weight(180) == pytest.approx(0.64)
    assert use_boost(0) == 1.0
    assert strength(memory(30, importance=0.8), NOW, 30) == pytest.approx(0.4)


def test_use_makes_young_again() -> None:
    used = memory(60, importance=0.8, use_count=1, last_use_time=NOW)
    assert strength(used, NOW, 30) > 4 * strength(memory(60, importance=0.8), NOW, 30)


@given(DAYS, DAYS, st.integers(0, 10**6))
def test_age_only_weakens_and_use_only_strengthens(one: float, other: float, uses: int) -> None:
    younger, older = sorted((one, other))
    assert 0.0 <= recency(older, 30) <= recency(younger, 30) <= 1.0
    assert 0.0 <= semantic_weight(older) <= semantic_weight(younger) <= 1.0
    assert use_boost(uses) <= use_boost(uses + 1)


def test_a_time_to_come_counts_as_now() -> None:
    assert strength(memory(-5, importance=1.0), NOW, 30) == 1.0
