"""From what the arms measured to one order.

    relevance = lexical + vector + speaker + time + exact - question
    score     = (relevance x priors + session x best of its session) / (1 + session)

Both arms are on a scale that does not depend on the other candidates, so a score means the same in every answer: the
vector arm is a cosine, the lexical arm is counted in units of the query.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import datetime
from math import isnan
from typing import Final

import numpy as np
import numpy.typing as npt

from recalld_server.core.ranking import collapse, recency
from recalld_server.core.ranking.neighbours import Neighbourhood
from recalld_server.core.ranking.speakers import named
from recalld_server.core.ranking.types import Arm, Candidate, QueryFeatures, Ranked, Weights

Floats = npt.NDArray[np.float64]

_RAREST: Final = 6
"""Terms that make up the lexical unit: a question is met when it is met whole, a dialogue when its rarest words are."""
_MANY_USES: Final = 99.0


def lexical_unit(weights: Iterable[float]) -> float:
    """The unit of the lexical arm for one namespace, from query weight x idf of each of the query's terms (a term that
    no memory holds included)."""
    return sum(sorted(weights, reverse=True)[:_RAREST])


def rank(
    candidates: Sequence[Candidate],
    query: QueryFeatures,
    weights: Weights,
    now: datetime,
    *,
    limit: int | None = None,
) -> list[Ranked]:
    """The candidates in the order of the answer, best first, at most `limit`.

    Pure. Memories of several namespaces may be mixed. At equal score the newer event comes first. A superseded memory is never
    above its successor; memories with the same words are folded into the newest of them.
    """
    if not candidates:
        return []
    signals = _Signals(candidates, query, weights, now)
    scores: list[float] = signals.score.tolist()
    order: list[int] = np.lexsort((-signals.seconds, -signals.score)).tolist()
    folded: Mapping[int, list[int]] = {}
    if weights.fold:
        order, folded = collapse.fold(order, scores, candidates)
    if weights.newest_first:
        order = collapse.newest_first(order, scores, candidates)
    order = collapse.successors_first(order, scores, candidates, folded)[:limit]
    return [
        Ranked(
            memory_id=candidates[index].memory_id,
            score=min(1.0, max(0.0, scores[index])),
            arms=signals.arms(index, scores[index]),
            folded_ids=tuple(candidates[other].memory_id for other in folded.get(index, ())),
        )
        for index in order
    ]


class _Signals:
    """Every signal as one array over the candidates, weighed."""

    def __init__(self, candidates: Sequence[Candidate], query: QueryFeatures, weights: Weights, now: datetime) -> None:
        size = len(candidates)
        table = np.array([_row(one, weights) for one in candidates], dtype=np.float64).T
        lexical, cosine, self.seconds, words, positions, exact, asks, importance, confidence, uses, half_lives = table
        sessions = _sessions(candidates)
        speakers = [one.speaker for one in candidates]
        around = Neighbourhood(sessions, positions, self.seconds, _numbers(speakers), words)
        lexical_norm = around.lexical(np.nan_to_num(lexical)) / _units(candidates, lexical, query)
        cosine_norm = np.nan_to_num(cosine)
        names = named(query.text, speakers)
        said = np.array([one in names for one in speakers], dtype=np.float64) if names else np.zeros(size)
        in_time = recency.within(self.seconds, query.time_range) if query.time_range else np.zeros(size)
        asks = asks * around.shortness
        fresh = recency.freshness(self.seconds, half_lives, now)
        used = np.minimum(1.0, np.log1p(uses) / np.log1p(_MANY_USES))

        parts: dict[str, tuple[Floats, Floats, Floats]] = {
            "lexical": (lexical, lexical_norm, weights.lexical * lexical_norm),
            "vector": (cosine, cosine_norm, weights.vector * cosine_norm),
            "speaker": (said, said, weights.speaker * said),
            "time": (in_time, in_time, weights.time * in_time),
            "exact": (exact, exact, weights.exact * exact),
            "question": (asks, asks, -weights.question * asks),
        }
        relevance = np.sum([part[2] for part in parts.values()], axis=0)
        gain = np.maximum(0.0, relevance)
        parts["recency"] = (now.timestamp() - self.seconds) / recency.DAY, fresh, gain * weights.recency * fresh
        parts["importance"] = importance, importance - 0.5, gain * weights.importance * (importance - 0.5)
        parts["confidence"] = confidence, confidence - 1.0, gain * weights.confidence * (confidence - 1.0)
        parts["use"] = uses, used, gain * weights.use * used
        own = np.sum([part[2] for part in parts.values()], axis=0)
        best = _best(sessions, own)
        parts["session"] = best, best, weights.session * best
        whole = 1.0 + weights.session
        self.score: Floats = (own + weights.session * best) / whole
        self._parts = [
            (name, raw.tolist(), _places(norm), norm.tolist(), (share / whole).tolist())
            for name, (raw, norm, share) in parts.items()
            if share.any()
        ]

    def arms(self, index: int, final: float) -> dict[str, Arm]:
        """The signals that speak of this candidate, and "order": what newest-first and succession changed."""
        found = {
            name: Arm(_number(raw[index]), places[index], norm[index], share[index])
            for name, raw, places, norm, share in self._parts
            if share[index] != 0.0
        }
        moved = final - float(self.score[index])
        if moved != 0.0:
            found["order"] = Arm(moved, 0, moved, moved)
        return found


def _row(one: Candidate, weights: Weights) -> tuple[float | None, ...]:
    """The numbers of a candidate; None becomes NaN."""
    return (
        one.lexical,
        one.cosine,
        one.event_time.timestamp(),
        one.words,
        one.position,
        one.exact,
        one.asks,
        one.importance,
        one.confidence,
        one.use_count,
        weights.half_life_days.get(one.kind, np.inf),
    )


def _places(values: Floats) -> list[int]:
    """Place of each value from the largest on, from 1; equal values share one."""
    places: list[int] = (1 + len(values) - np.searchsorted(np.sort(values), values, side="right")).tolist()
    return places


def _number(value: float) -> float:
    """An arm that did not look at a memory measured nothing, whatever its neighbours lend it."""
    return 0.0 if isnan(value) else value


def _numbers(values: Sequence[Hashable]) -> npt.NDArray[np.int64]:
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values])


def _sessions(candidates: Sequence[Candidate]) -> npt.NDArray[np.int64]:
    """A number per session; -1 for memories that stand alone."""
    keys = _numbers([(one.namespace_id.int, one.session_id) for one in candidates])
    keys[[not one.session_id for one in candidates]] = -1
    return keys


def _units(candidates: Sequence[Candidate], lexical: Floats, query: QueryFeatures) -> Floats:
    """The lexical unit of each candidate's namespace."""
    spaces = _numbers([one.namespace_id.int for one in candidates])
    units = np.ones(len(candidates))
    for space in range(int(spaces.max()) + 1):
        inside = spaces == space
        unit = query.lexical_units.get(candidates[int(inside.argmax())].namespace_id, 0.0)
        if unit <= 0.0:
            unit = float(np.nan_to_num(lexical[inside]).max())
        units[inside] = unit if unit > 0.0 else 1.0
    return units


def _best(groups: npt.NDArray[np.int64], values: Floats) -> Floats:
    """For each candidate the best value in its group; its own where the group is negative."""
    if groups.max() < 0:
        return values.copy()
    best = np.full(int(groups.max()) + 1, -np.inf)
    placed = groups >= 0
    np.maximum.at(best, groups[placed], values[placed])
    result = values.copy()
    result[placed] = best[groups[placed]]
    return result
