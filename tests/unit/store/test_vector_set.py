"""Sets of vectors in memory, small ones and large ones."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest

from recalld_server.store.postgres import vector_set
from recalld_server.store.postgres.vector_set import VectorSet, normalised

DIMENSIONS = 16


def ids(first: int, last: int) -> list[UUID]:
    return [UUID(int=number) for number in range(first, last)]


@pytest.mark.parametrize(("halved", "precision"), [(41, np.float32), (40, np.float16)])
def test_a_large_set_is_kept_in_half_precision_and_finds_the_same(
    monkeypatch: pytest.MonkeyPatch, halved: int, precision: type
) -> None:
    monkeypatch.setattr(vector_set, "HALVED", halved)
    monkeypatch.setattr(vector_set, "BLOCK", 7)
    halves = np.random.default_rng(3).normal(size=(40, DIMENSIONS)).astype(np.float16)
    halves[5] = 0.0
    known = VectorSet(0, ids(0, 40), normalised(halves))
    assert known._vectors.dtype == precision
    true = halves.astype(np.float32)
    true /= np.maximum(np.linalg.norm(true, axis=1, keepdims=True), 1e-9)
    (found,) = known.nearest(true[3:4], 6, -1.0)
    cosines = true @ true[3]
    assert [each for each, _ in found] == [UUID(int=int(at)) for at in np.argsort(-cosines)[:6]]
    assert [cosine for _, cosine in found] == pytest.approx(sorted(cosines, reverse=True)[:6], abs=1e-3)


def test_it_takes_over_what_came_and_what_went(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_set, "HALVED", 8)
    monkeypatch.setattr(vector_set, "BLOCK", 4)
    axes = np.eye(DIMENSIONS, dtype=np.float16)
    known = VectorSet(0, ids(0, 8), normalised(axes[:8]))
    known.update(1, [UUID(int=2)], ids(8, 16), axes[8:].astype(np.float32))
    known.update(2, [UUID(int=9), UUID(int=7)], [UUID(int=9)], axes[3:4].astype(np.float32))
    met = {
        at: {each.int for each, _ in near}
        for at, near in enumerate(known.nearest(np.eye(16, dtype=np.float32), 2, 0.5))
    }
    assert met == {at: {at} for at in range(16)} | {2: set(), 7: set(), 9: set(), 3: {3, 9}}
    known.update(1, ids(0, 16), [], np.empty((0, DIMENSIONS), np.float32))
    assert known.sequence == 2, "an older view changes nothing"
