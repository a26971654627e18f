"""The query as it is asked in one namespace: its terms weighed, its vector centred."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recalld_server.store.base import CandidateQuery, Vector
from recalld_server.text.lexical import idf, lexical_unit

_SMALLEST = 1e-6


@dataclass(frozen=True, slots=True)
class Statistics:
    """What is known of a namespace when a search begins."""

    live: int
    ann: bool
    mean: Vector | None
    frequencies: dict[int, int]


class Words:
    """The query's terms with their weights in this namespace."""

    def __init__(self, query: CandidateQuery, known: Statistics, budget: int) -> None:
        # a term that was never counted occurs once at most
        self._frequencies = {term: max(1, known.frequencies.get(term, 1)) for term in query.terms}
        live = max(known.live, 1)
        self.weights = {
            term: weight * idf(live, self._frequencies[term]) for term, weight in query.terms.items() if weight > 0
        }
        self.unit = lexical_unit(self.weights.values())
        """See Candidates.lexical_units."""
        self.rarest = self._rarest(query.lexical_limit, budget)
        """Terms from the rarest on until they bring in enough rows, at least one; all of them where that is affordable."""

    def _rarest(self, limit: int, budget: int) -> list[int]:
        ordered = sorted((self._frequencies[term], term) for term in self.weights)
        chosen: list[int] = []
        total = 0
        for frequency, term in ordered:
            if chosen and total >= limit and total + frequency > budget:
                break
            chosen.append(term)
            total += frequency
        return chosen

    @property
    def all(self) -> bool:
        """Whether the rarest are all there are."""
        return len(self.rarest) == len(self.weights)

    def take_all(self) -> None:
        """From now on the rarest are all."""
        self.rarest = sorted(self.weights)


class Centre:
    """The cosine of query and stored vector after half of the namespace's mean was taken off both (the whole of it took
    too much away from the meaning that a namespace is about; measured), written as one inner product with the stored
    vector, so that an index can serve it: `vector @ stored - offset`.

    The stored vector's own length after centring is replaced by that of a unit vector whose product with the mean is
    the average one.
    """

    def __init__(self, query: Vector | None, mean: Vector | None) -> None:
        """`query`: norm 1, or None: the arm is off, and so is `vector`."""
        self.vector = query
        self.offset = 0.0
        if query is None or mean is None or mean.shape != query.shape:
            return
        half = mean / 2
        turned = query - half
        length = float(np.linalg.norm(turned)) * float(np.sqrt(1 - 0.75 * min(1.0, float(mean @ mean))))
        if length < _SMALLEST:
            return
        self.vector = np.asarray(turned / length, np.float32)
        # as the database holds it, with half the digits
        self.offset = float(half @ self.vector.astype(np.float16).astype(np.float32))
