"""The figures that the resolver must keep on labelled pairs, with similarities measured once with the real model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.resolve import Figure, Pair, figures, load_measured, load_pairs, verdicts


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return load_pairs()


async def _figures(pairs: list[Pair]) -> dict[tuple[str, str, str], Figure]:
    rows = figures(pairs, await verdicts(pairs, load_measured()))
    return {(row.split, row.lang, row.verdict): row for row in rows}


async def test_the_held_back_half_keeps_its_figures(pairs: list[Pair]) -> None:
    found = await _figures(pairs)
    supersedes = found["held", "all", "supersedes"]
    assert supersedes.precision >= 0.95
    assert supersedes.recall >= 0.8
    assert found["held", "all", "duplicate"].f1 >= 0.9


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_no_language_pays_for_another(pairs: list[Pair], lang: str) -> None:
    found = await _figures(pairs)
    assert found["held", lang, "supersedes"].precision >= 0.95
    assert found["held", lang, "supersedes"].recall >= 0.75
    assert found["held", lang, "duplicate"].f1 >= 0.85
    assert found["held", lang, "new"].recall >= 0.95


async def test_the_rules_cross_languages_where_the_line_lets_them(pairs: list[Pair]) -> None:
    measured = load_measured()
    wide = replace(measured, lines=replace(measured.lines, conflict=0.3))
    rows = figures(pairs, await verdicts(pairs, wide))
    found = {row.verdict: row for row in rows if (row.split, row.lang) == ("held", "mixed")}
    assert found["supersedes"].precision == 1
    assert found["supersedes"].recall >= 0.8
    assert found["duplicate"].f1 >= 0.9


async def test_nothing_new_is_lost(pairs: list[Pair]) -> None:
    found = await _figures(pairs)
    for split in ("tune", "held"):
        assert found[split, "all", "new"].missed == 0
        assert found[split, "all", "duplicate"].wrong == 0


@pytest.mark.parametrize("split", ["tune", "held"])
async def test_everyday_talk_ends_nothing_wrongly_and_loses_nothing(split: str) -> None:
    everyday = load_pairs("everyday")
    rows = figures(everyday, await verdicts(everyday, load_measured("everyday")))
    found = {row.verdict: row for row in rows if (row.split, row.lang) == (split, "all")}
    assert found["supersedes"].wrong == 0
    assert found["duplicate"].wrong == 0
    assert found["new"].missed == 0
    assert found["supersedes"].recall >= {"tune": 0.85, "held": 0.7}[split]
    assert found["duplicate"].recall >= 0.8


def test_the_set_is_large_balanced_and_measured(pairs: list[Pair]) -> None:
    assert len(pairs) >= 240
    assert len({pair.id for pair in pairs}) == len(pairs)
    assert {lang: sum(p.lang == lang for p in pairs) >= 110 for lang in ("en", "zh")} == {"en": True, "zh": True}
    assert 0.4 <= sum(p.split == "held" for p in pairs) / len(pairs) <= 0.6
    assert {pair.id for pair in pairs} == set(load_measured().cosines)
