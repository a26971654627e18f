"""The drafts before one in the same request: what it meets among them, without comparing one by one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np

from recalld_server.core.drafts import is_episodic
from recalld_server.core.items import Item
from recalld_server.model import Memory, Visibility
from recalld_server.store.base import Near, Surroundings, Vector

_Group = tuple[bool, str, Visibility]


@dataclass(slots=True)
class _Met:
    """Drafts that are compared among themselves. `vectors` has a row for each of `memories`, and room for more."""

    exact: dict[bytes, Memory] = field(default_factory=dict)
    memories: list[Memory] = field(default_factory=list)
    vectors: Vector | None = None

    def add(self, memory: Memory, vector: Vector) -> None:
        count = len(self.memories)
        if self.vectors is None:
            self.vectors = np.empty((16, len(vector)), np.float32)
        elif count == len(self.vectors):
            self.vectors = np.concatenate([self.vectors, np.empty_like(self.vectors)])
        self.vectors[count] = vector
        self.memories.append(memory)


class Earlier:
    """New drafts of one request, in order; those that may be compared have the kind group, user and audience in common."""

    def __init__(self) -> None:
        self._groups: dict[_Group, _Met] = {}

    def add(self, item: Item) -> None:
        """The drafts after this one meet it."""
        met = self._groups.setdefault(_group(item), _Met())
        met.exact[item.prepared.content_hash] = item.memory
        if item.text is not None:
            met.add(item.memory, item.text)

    def around(self, item: Item, *, near: int, floor: float, ended: Collection[UUID] = ()) -> Surroundings:
        """The one with the same text, and at most `near` with a cosine of at least `floor`, best first; without those
        that are `ended`."""
        met = self._groups.get(_group(item))
        if met is None:
            return Surroundings(None, ())
        exact = met.exact.get(item.prepared.content_hash)
        if exact is not None and exact.memory_id in ended:
            exact = None
        if exact is not None or item.text is None or met.vectors is None:
            return Surroundings(exact, ())
        cosines = met.vectors[: len(met.memories)] @ item.text
        best = np.argsort(-cosines, kind="stable")[:near]
        found = (Near(met.memories[at], float(cosines[at])) for at in best if cosines[at] >= floor)
        return Surroundings(None, tuple(each for each in found if each.memory.memory_id not in ended))


def _group(item: Item) -> _Group:
    memory = item.memory
    return is_episodic(memory.kind), memory.user_id, memory.visibility
