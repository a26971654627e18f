"""Puts what says the same together, by vectors."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]

NUMBER: Final = re.compile(r"\d+(?:[.,:/-]\d+)*")


def clusters(vectors: Sequence[Vector | None], keys: Sequence[Hashable], line: float) -> list[list[int]]:
    """Groups of places, each in order of the places; groups in order of their first. A place joins the nearest group with
    the same key whose middle has a cosine of at least `line` with it, else it begins one; without a vector it is alone.
    Vectors are L2-normalised."""
    groups: list[list[int]] = []
    middles: dict[Hashable, _Middles] = {}
    for place, (vector, key) in enumerate(zip(vectors, keys, strict=True)):
        if vector is None:
            groups.append([place])
            continue
        near = middles.setdefault(key, _Middles(len(vector)))
        best, cosine = near.nearest(vector)
        if best >= 0 and cosine >= line:
            groups[near.groups[best]].append(place)
            near.join(best, vector)
        else:
            near.begin(len(groups), vector)
            groups.append([place])
    return groups


class _Middles:
    """The middles of groups, as rows of one matrix with room for more."""

    def __init__(self, dimensions: int) -> None:
        self.groups: list[int] = []
        self._sums = np.zeros((16, dimensions), np.float32)
        self._norms = np.ones(16, np.float32)

    def nearest(self, vector: Vector) -> tuple[int, float]:
        """Its row and cosine; -1 when there is none."""
        count = len(self.groups)
        if not count:
            return -1, 0.0
        cosines = (self._sums[:count] @ vector) / self._norms[:count]
        best = int(np.argmax(cosines))
        return best, float(cosines[best])

    def join(self, row: int, vector: Vector) -> None:
        self._sums[row] += vector
        self._norms[row] = float(np.linalg.norm(self._sums[row])) or 1.0

    def begin(self, group: int, vector: Vector) -> None:
        row = len(self.groups)
        if row == len(self._sums):
            self._sums = np.concatenate([self._sums, np.zeros_like(self._sums)])
            self._norms = np.concatenate([self._norms, np.ones_like(self._norms)])
        self.groups.append(group)
        self.join(row, vector)


def medoid(group: Sequence[int], vectors: Sequence[Vector | None]) -> int:
    """The place whose vector is nearest to all others of the group; the latest on a tie, and of two."""
    held = [(place, vector) for place in group if (vector := vectors[place]) is not None]
    if len(held) < 3:
        return group[-1]
    matrix = np.stack([vector for _, vector in held])
    sums = matrix @ matrix.sum(axis=0)
    return held[len(sums) - 1 - int(np.argmax(sums[::-1]))][0]


def numbers(text: str) -> frozenset[str]:
    """The figures of a text: what differs in them does not say the same."""
    return frozenset(NUMBER.findall(text))
