"""Vectors that this process has read before, so that a write need not read those of its whole namespace again.

Each set says up to which change of its namespace it is right. Whoever uses it reads what changed since (a few rows, by
key) and brings it up to date; what was erased is gone from it by then, and a set that nobody uses goes by itself.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from uuid import UUID

import numpy as np

from recalld_server import machine
from recalld_server.store.base import Vector

READ_ANEW = 2_000
"""Changes of a namespace from which reading its vectors anew is less work than bringing a small set up to date."""
IDLE_SECONDS = 60.0
"""How long a set is kept that nobody asks for."""
BLOCK = 8_192
"""Vectors that are compared at once, which bounds the memory."""
LEAST_BUDGET, MOST_BUDGET = 64 << 20, 192 << 20
"""Bytes of vectors in all sets together, and 1/64 of the memory in between."""

Key = tuple[UUID, *tuple[object, ...]]
"""The namespace, then what else tells the sets apart."""


class VectorSet:
    """The vectors of the memories that a draft may be compared with, as of a change sequence. Norms are 1."""

    def __init__(self, sequence: int, ids: Sequence[UUID], vectors: Vector) -> None:
        """`vectors` has a row for each id."""
        self.sequence = sequence
        self._ids = list(ids)
        self._places = {memory_id: place for place, memory_id in enumerate(ids)}
        self._vectors = vectors
        self._read = len(ids)

    @property
    def grown(self) -> bool:
        """Whether there is far more in it than was read: some of that may be in the index by now."""
        return len(self._ids) > 2 * self._read + READ_ANEW

    def far_behind(self, sequence: int) -> bool:
        """Whether so much has changed up to `sequence` that reading anew is less work than `update`."""
        return sequence - self.sequence > max(READ_ANEW, len(self._ids) // 4)

    @property
    def nbytes(self) -> int:
        return self._vectors.nbytes

    def update(self, sequence: int, changed: Iterable[UUID], ids: Sequence[UUID], vectors: Vector) -> None:
        """Takes over what changed up to that sequence: of the memories `changed`, those that still count are `ids`."""
        if sequence <= self.sequence:
            return  # another reader, who read later, was faster
        still = set(ids)
        for memory_id in changed:
            if memory_id not in still:
                self._remove(memory_id)
        for memory_id, vector in zip(ids, vectors, strict=True):
            self._put(memory_id, vector)
        self.sequence = sequence

    def nearest(self, wanted: Vector, near: int, floor: float) -> list[list[tuple[UUID, float]]]:
        """For each row of `wanted`, at most `near` ids with a cosine of at least `floor`, best first."""
        if not self._ids:
            return [[] for _ in wanted]
        return closest(wanted, self._ids, self._vectors[: len(self._ids)], near, floor)

    def _put(self, memory_id: UUID, vector: Vector) -> None:
        place = self._places.get(memory_id)
        if place is None:
            place = self._places[memory_id] = len(self._ids)
            self._ids.append(memory_id)
            if place >= len(self._vectors):
                room = np.empty((min(max(64, place // 2), BLOCK), len(vector)), np.float32)
                self._vectors = np.concatenate([self._vectors.reshape(-1, len(vector)), room])
        self._vectors[place] = vector

    def _remove(self, memory_id: UUID) -> None:
        place = self._places.pop(memory_id, None)
        if place is None:
            return
        last = self._ids.pop()
        if last != memory_id:
            self._ids[place] = last
            self._places[last] = place
            self._vectors[place] = self._vectors[len(self._ids)]


class KnownVectors:
    """The sets of one process, those that were asked for last."""

    def __init__(self, budget: int | None = None) -> None:
        self._budget = min(MOST_BUDGET, max(LEAST_BUDGET, machine.memory() // 64)) if budget is None else budget
        self._sets: OrderedDict[Key, VectorSet] = OrderedDict()
        self._ends: dict[Key, asyncio.TimerHandle] = {}
        self._sizes: dict[Key, int] = {}
        self._held = 0
        """The sum of the sizes: every write asks for it, and there are as many sets as namespaces written to."""

    def has_room(self, vectors: int, dimensions: int) -> bool:
        """Whether a set of so many may be kept."""
        return (vectors + BLOCK) * dimensions * np.dtype(np.float32).itemsize <= self._budget

    def find(self, key: Key) -> VectorSet | None:
        """The set, which is then kept for another while."""
        known = self._sets.get(key)
        if known is not None:
            self._sets.move_to_end(key)
            self._renew(key)
        return known

    def keep(self, key: Key, known: VectorSet) -> None:
        """Keeps a set, and forgets those that were not asked for the longest when there are too many."""
        if known.nbytes > self._budget:
            self.drop(key)
            return
        self._sets[key] = known
        self._sets.move_to_end(key)
        self._renew(key)
        self._held += known.nbytes - self._sizes.get(key, 0)
        self._sizes[key] = known.nbytes
        while self._held > self._budget:
            self.drop(next(iter(self._sets)))

    def drop(self, key: Key) -> None:
        self._sets.pop(key, None)
        self._held -= self._sizes.pop(key, 0)
        if end := self._ends.pop(key, None):
            end.cancel()

    def forget(self, namespace_id: UUID) -> None:
        """Drops all of a namespace: something there was erased."""
        for key in [key for key in self._sets if key[0] == namespace_id]:
            self.drop(key)

    def clear(self) -> None:
        for key in list(self._sets):
            self.drop(key)

    def _renew(self, key: Key) -> None:
        if end := self._ends.pop(key, None):
            end.cancel()
        self._ends[key] = asyncio.get_running_loop().call_later(IDLE_SECONDS, self.drop, key)


def closest(
    wanted: Vector, ids: Sequence[UUID], vectors: Vector, near: int, floor: float
) -> list[list[tuple[UUID, float]]]:
    """For each row of `wanted`, at most `near` of the ids with a cosine of at least `floor`, best first. Norms are 1."""
    found: list[list[tuple[UUID, float]]] = [[] for _ in wanted]
    for start in range(0, len(ids), BLOCK):
        cosines = wanted @ vectors[start : start + BLOCK].T
        most = min(near, cosines.shape[1])
        best = np.argpartition(-cosines, most - 1, axis=1)[:, :most]
        for each, row, places in zip(found, cosines, best, strict=True):
            each += [(ids[start + place], float(row[place])) for place in places if row[place] >= floor]
    return [sorted(each, key=lambda one: -one[1])[:near] for each in found]
