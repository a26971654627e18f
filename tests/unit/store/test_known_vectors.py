"""How many vectors a process keeps, and whose."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest

from recalld_server.store.postgres.known_vectors import KnownVectors
from recalld_server.store.postgres.vector_set import BLOCK, HALVED, READ_ANEW, VectorSet

ROW = 8 * 4


def a_set(rows: int) -> VectorSet:
    return VectorSet(0, [uuid4() for _ in range(rows)], np.eye(max(rows, 8), 8, dtype=np.float32)[:rows])


def key(number: int) -> tuple[UUID, str]:
    return UUID(int=number), "model"


async def test_those_not_asked_for_the_longest_go_when_there_are_too_many() -> None:
    known = KnownVectors(budget=100 * ROW)
    for number in range(10):
        known.keep(key(number), a_set(10))
    assert known.find(key(0)) is not None
    known.keep(key(10), a_set(10))
    assert known.find(key(1)) is None
    assert all(known.find(key(number)) is not None for number in (0, *range(2, 11)))


async def test_a_set_that_grew_or_went_counts_as_what_it_is_now() -> None:
    known = KnownVectors(budget=100 * ROW)
    for _ in range(20):  # the same one again and again is one
        known.keep(key(0), a_set(40))
    known.keep(key(1), a_set(40))
    assert known.find(key(0)) is not None
    known.forget(key(0)[0])
    known.drop(key(0))
    known.keep(key(2), a_set(40))
    assert known.find(key(1)) is not None
    grown = a_set(10)
    known.keep(key(3), grown)
    grown.update(1, (), [uuid4() for _ in range(91)], np.ones((91, 8), np.float32))
    known.keep(key(3), grown)
    assert known.find(key(3)) is None, "one that takes more than there is room for is not kept"
    assert known.find(key(2)) is not None
    known.clear()
    for number in range(2):
        known.keep(key(number), a_set(50))
    assert known.find(key(0)) is not None


def test_there_is_room_for_what_will_be_kept_when_it_has_grown() -> None:
    known = KnownVectors(budget=(BLOCK + 100) * ROW)
    assert known.has_room(100, 8)
    assert not known.has_room(101, 8)
    known = KnownVectors(budget=(BLOCK + HALVED) * ROW // 2)
    assert not known.has_room(HALVED - 1, 8)
    assert known.has_room(HALVED, 8), "it takes half as much"


def test_a_set_is_read_anew_when_a_quarter_of_it_or_many_have_changed() -> None:
    small = a_set(10)
    assert not small.far_behind(READ_ANEW)
    assert small.far_behind(READ_ANEW + 1)
    large = VectorSet(0, [uuid4()] * 8 * READ_ANEW, np.ones((1, 8), np.float32))
    assert not large.far_behind(2 * READ_ANEW)
    assert large.far_behind(2 * READ_ANEW + 1)


async def test_keeping_one_looks_at_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    known = KnownVectors()
    for number in range(1_000):
        known.keep(key(number), a_set(1))
    looked: list[VectorSet] = []
    size: Any = VectorSet.__dict__["nbytes"]

    def told(each: VectorSet) -> int:
        looked.append(each)
        return int(size.fget(each))

    monkeypatch.setattr(VectorSet, "nbytes", property(told))
    mine = a_set(1)
    known.keep(key(0), mine)
    assert set(looked) == {mine}
