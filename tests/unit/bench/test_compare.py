"""Comparing two results of a benchmark, and judging a soak."""

from __future__ import annotations

from bench.compare import compare
from bench.soak import Sample, judge


def test_what_moved_is_named_by_its_direction() -> None:
    old = {"machine": {"cores": 2}, "single": {"Write": {"p50": 10.0, "per_second": 100.0}}, "batch": {"1000": 500.0}}
    new = {
        "machine": {"cores": 8},
        "single": {"Write": {"p50": 5.0, "per_second": 50.0}},
        "batch": {"1000": 510.0},
        "x": 1,
    }
    assert compare(old, new) == [
        ["single / Write / p50", "10", "5", "0.50", "better"],
        ["single / Write / per_second", "100", "50", "0.50", "worse"],
        ["batch / 1000", "500", "510", "1.02", ""],
        ["x", "", "1", "", "new"],
    ]


def test_a_figure_that_is_gone_and_one_that_was_zero() -> None:
    assert compare({"a": 1.0, "b": 0}, {"b": 2}) == [["a", "1", "", "", "gone"], ["b", "0", "2", "inf", "worse"]]


def test_growth_over_the_second_half_is_found() -> None:
    steady = [Sample(n, 100.0, 20, 40, 5.0, 100, 50.0, 2000) for n in range(40)]
    assert {row[-1] for row in judge(steady)} == {"ok"}
    leaking = [Sample(n, 100.0 + n, 20, 40, 5.0, 100, 50.0, 2000) for n in range(40)]
    assert [row[0] for row in judge(leaking) if row[-1] == "GREW"] == ["rss megabytes"]
