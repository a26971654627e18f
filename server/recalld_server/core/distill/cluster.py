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
    middles: dict[Hashable, list[tuple[int, Vector]]] = {}
    for place, (vector, key) in enumerate(zip(vectors, keys, strict=True)):
        if vector is None:
            groups.append([place])
            continue
        near = middles.setdefault(key, [])
        cosines = [float(middle @ vector) / (float(np.linalg.norm(middle)) or 1.0) for _, middle in near]
        best = int(np.argmax(cosines)) if cosines else -1
        if best >= 0 and cosines[best] >= line:
            group, middle = near[best]
            groups[group].append(place)
            near[best] = (group, middle + vector)
        else:
            near.append((len(groups), vector))
            groups.append([place])
    return groups


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
