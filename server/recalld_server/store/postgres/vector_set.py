"""The vectors of an audience in memory, and the nearest of them to many drafts by one product of matrices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt

from recalld_server.store.base import Vector

READ_ANEW = 2_000
"""Changes of a namespace from which reading its vectors anew is less work than bringing a small set up to date."""
BLOCK = 8_192
"""Vectors that are compared at once, which bounds the memory."""
HALVED = 2 * BLOCK
"""Vectors from which a set is kept in half precision, as the database has them: making them whole again takes longer than comparing
them with a draft, and next to nothing beside a batch."""

Vectors = npt.NDArray[np.floating[Any]]
"""A row each."""


class VectorSet:
    """The vectors of the memories that a draft may be compared with, as of a change sequence. Norms are 1."""

    def __init__(self, sequence: int, ids: Sequence[UUID], vectors: Vectors) -> None:
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

    def update(self, sequence: int, changed: Iterable[UUID], ids: Sequence[UUID], vectors: Vectors) -> None:
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
                room = np.empty((min(max(64, place // 2), BLOCK), len(vector)), self._vectors.dtype)
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


def precision(vectors: int) -> np.dtype[np.floating[Any]]:
    """In what a set of so many is kept."""
    return np.dtype(np.float16 if vectors >= HALVED else np.float32)


def normalised(halves: npt.NDArray[np.float16]) -> Vectors:
    """Vectors of norm 1, a row each, in the precision of their set; those of norm 0 stay."""
    made = np.empty(halves.shape, precision(len(halves)))
    for start in range(0, len(halves), BLOCK):
        vectors = halves[start : start + BLOCK].astype(np.float32)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        made[start : start + BLOCK] = vectors / np.where(norms > 0.0, norms, 1.0)
    return made


def closest(
    wanted: Vector, ids: Sequence[UUID], vectors: Vectors, near: int, floor: float
) -> list[list[tuple[UUID, float]]]:
    """For each row of `wanted`, at most `near` of the ids with a cosine of at least `floor`, best first. Norms are 1."""
    found: list[list[tuple[UUID, float]]] = [[] for _ in wanted]
    for start in range(0, len(ids), BLOCK):
        cosines = wanted @ vectors[start : start + BLOCK].astype(np.float32, copy=False).T
        most = min(near, cosines.shape[1])
        best = np.argpartition(-cosines, most - 1, axis=1)[:, :most]
        for each, row, places in zip(found, cosines, best, strict=True):
            each += [(ids[start + place], float(row[place])) for place in places if row[place] >= floor]
    return [sorted(each, key=lambda one: -one[1])[:near] for each in found]
