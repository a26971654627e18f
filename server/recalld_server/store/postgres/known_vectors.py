"""Vectors that this process has read before, so that a write need not read those of its whole namespace again.

Each set says up to which change of its namespace it is right. Whoever uses it reads what changed since (a few rows, by
key) and brings it up to date; what was erased is gone from it by then, and a set that nobody uses goes by itself.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from uuid import UUID

from recalld_server import machine
from recalld_server.store.postgres.vector_set import BLOCK, VectorSet, precision

IDLE_SECONDS = 60.0
"""How long a set is kept that nobody asks for."""
LEAST_BUDGET, MOST_BUDGET = 64 << 20, 192 << 20
"""Bytes of vectors in all sets together, and 1/64 of the memory in between."""

Key = tuple[UUID, *tuple[object, ...]]
"""The namespace, then what else tells the sets apart."""


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
        return (vectors + BLOCK) * dimensions * precision(vectors).itemsize <= self._budget

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
