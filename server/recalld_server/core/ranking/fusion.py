"""From what the arms measured to one order.

    arms      = lexical + vector
    relevance = (arms + session x (best lexical + best vector of its session)) / (1 + session)
                + speaker + time + exact - question - brevity
    score     = relevance x priors

Both arms are on a scale that does not depend on the other candidates, so a score means the same in every answer: the
vector arm is a cosine, the lexical arm is counted in units of the query.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from datetime import datetime
from math import isnan
from typing import Final
from uuid import UUID

import numpy as np
import numpy.typing as npt

from recalld_server.core.ranking import collapse, recency
from recalld_server.core.ranking.neighbours import Neighbourhood
from recalld_server.core.ranking.speakers import named
from recalld_server.core.ranking.types import Arm, QueryFeatures, Ranked, Weights
from recalld_server.store.base import Found

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_MANY_USES: Final = 99.0


def rank(
    candidates: Sequence[Found],
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
            namespace_id=candidates[index].namespace_id,
            score=min(1.0, max(0.0, scores[index])),
            arms=arms,
            folded_ids=tuple(candidates[other].memory_id for other in folded.get(index, ())),
        )
        for index, arms in zip(order, signals.arms(order, scores), strict=True)
    ]


class _Signals:
    """Every signal as one array over the candidates, weighed."""

    def __init__(self, candidates: Sequence[Found], query: QueryFeatures, weights: Weights, now: datetime) -> None:
        size = len(candidates)
        column = dict(zip(Found._fields, zip(*candidates, strict=True), strict=True))

        def numbers(name: str) -> Floats:
            return np.array(column[name], dtype=np.float64)  # None becomes NaN

        def ones(flags: Sequence[bool]) -> Floats:
            return np.array(flags, dtype=np.float64)

        lexical, cosine, words, importance = map(numbers, ("lexical", "cosine", "words", "importance"))
        confidence, uses = numbers("confidence"), numbers("use_count")
        self.seconds: Floats = np.array([time.timestamp() for time in column["event_time"]])
        half_lives = np.array([weights.half_life_days.get(kind, np.inf) for kind in column["kind"]])
        spaces = _numbers(column["namespace_id"])
        sessions = _sessions(spaces, column["session_id"])
        speakers: Sequence[str] = column["speaker"]
        around = Neighbourhood(sessions, numbers("position"), self.seconds, _numbers(speakers), words)
        units = _units(spaces, column["namespace_id"], lexical, query)
        lexical_norm = around.lexical(np.nan_to_num(lexical)) / units
        cosine_norm = np.nan_to_num(cosine)
        names = named(query.text, speakers)
        said = ones([one in names for one in speakers]) if names else np.zeros(size)
        in_time = (
            recency.within(self.seconds, query.time_range, weights.told_later) if query.time_range else np.zeros(size)
        )
        exact = ones(["identifier" in arms for arms in column["arms"]])
        asks = ones(column["asks"]) * around.shortness
        fresh = recency.freshness(self.seconds, half_lives, now)
        used = np.minimum(1.0, np.log1p(uses) / np.log1p(_MANY_USES))

        whole = 1.0 + weights.session
        lexical_share, vector_share = weights.lexical * lexical_norm / whole, weights.vector * cosine_norm / whole
        # each arm by itself: the turn that has the words and the one that means it need not be the same
        own_words = weights.lexical * np.nan_to_num(lexical) / units
        best = (_best(sessions, own_words) + _best(sessions, weights.vector * cosine_norm)) / whole
        parts: dict[str, tuple[Floats, Floats, Floats]] = {
            "lexical": (lexical, lexical_norm, lexical_share),
            "vector": (cosine, cosine_norm, vector_share),
            "session": (best, best, weights.session * best),
            "speaker": (said, said, weights.speaker * said),
            "time": (in_time, in_time, weights.time * in_time),
            "exact": (exact, exact, weights.exact * exact),
            "question": (asks, asks, -weights.question * asks),
            "brevity": (words, around.brevity, -weights.brevity * around.brevity),
        }
        relevance = np.sum([part[2] for part in parts.values()], axis=0)
        gain = np.maximum(0.0, relevance)
        parts["recency"] = (now.timestamp() - self.seconds) / recency.DAY, fresh, gain * weights.recency * fresh
        parts["importance"] = importance, importance - 0.5, gain * weights.importance * (importance - 0.5)
        parts["confidence"] = confidence, confidence - 1.0, gain * weights.confidence * (confidence - 1.0)
        parts["use"] = uses, used, gain * weights.use * used
        self.score: Floats = np.sum([part[2] for part in parts.values()], axis=0)
        self._parts = parts

    def arms(self, chosen: Sequence[int], final: Sequence[float]) -> list[dict[str, Arm]]:
        """For each chosen candidate the signals that speak of it, and "order": what newest-first and succession
        changed. `final`: the scores of all."""
        found: list[dict[str, Arm]] = [{} for _ in chosen]
        at = np.array(chosen, dtype=np.int64)
        for name, (raw, norm, share) in self._parts.items():
            if not share[at].any():
                continue
            places = 1 + (norm > norm[at, None]).sum(axis=1)
            told = zip(raw[at].tolist(), places.tolist(), norm[at].tolist(), share[at].tolist(), strict=True)
            for arms, (measured, place, normalised, contribution) in zip(found, told, strict=True):
                if contribution != 0.0:
                    # an arm that did not look at a memory measured nothing, whatever its neighbours lend it
                    arms[name] = Arm(0.0 if isnan(measured) else measured, place, normalised, contribution)
        for arms, index in zip(found, chosen, strict=True):
            moved = final[index] - float(self.score[index])
            if moved != 0.0:
                arms["order"] = Arm(moved, 0, moved, moved)
        return found


def _numbers(values: Sequence[Hashable]) -> Ints:
    """A number for each value that differs."""
    numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
    return np.array([numbers[value] for value in values])


def _sessions(spaces: Ints, names: Sequence[str]) -> Ints:
    """A number per session of a namespace; -1 for memories that stand alone."""
    keys = _numbers(names) * (int(spaces.max()) + 1) + spaces
    keys[[not name for name in names]] = -1
    return keys


def _units(spaces: Ints, namespace_ids: Sequence[UUID], lexical: Floats, query: QueryFeatures) -> Floats:
    """The lexical unit of each candidate's namespace."""
    units = np.ones(len(spaces))
    for space in range(int(spaces.max()) + 1):
        inside = spaces == space
        unit = query.lexical_units.get(namespace_ids[int(inside.argmax())], 0.0)
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
