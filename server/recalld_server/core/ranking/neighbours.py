"""What a turn of a conversation gets from the turns around it."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_FROM_BEFORE: Final = (0.5, 0.25)
"""Shares of the lexical scores of the turn before and of the one before that: a turn takes up what was just said."""
_FROM_AFTER: Final = (0.25, 0.15)
_REACH: Final = len(_FROM_BEFORE)
_GAP_SECONDS: Final = 3600.0
_SHORT: Final = 25.0
"""Words up to which a turn leans on its neighbours in full, longer ones less."""
_FULL: Final = 30.0
"""Words from which a turn says as much as any."""


class Neighbourhood:
    """Pairs of candidates within two places in a conversation: a session with two or more speakers, at most an hour
    between the two. Built once per query; all arrays are one value per candidate, in one order."""

    def __init__(self, sessions: Ints, positions: Floats, seconds: Floats, speakers: Ints, words: Floats) -> None:
        """`sessions`: a number per session, negative for memories that stand alone. `speakers`: a number per speaker."""
        order = np.lexsort((positions, sessions))
        talk = _conversations(sessions, speakers)
        earlier, later, distance = [], [], []
        for step in range(1, _REACH + 1):
            a, b = order[:-step], order[step:]
            apart = positions[b] - positions[a]
            near = (sessions[a] == sessions[b]) & talk[a] & (apart >= 1) & (apart <= _REACH)
            near &= np.abs(seconds[b] - seconds[a]) <= _GAP_SECONDS
            earlier.append(a[near])
            later.append(b[near])
            distance.append(apart[near])
        self._earlier, self._later = np.concatenate(earlier), np.concatenate(later)
        apart_by = np.concatenate(distance).astype(np.int64) - 1
        self._to_later, self._to_earlier = np.array(_FROM_BEFORE)[apart_by], np.array(_FROM_AFTER)[apart_by]
        self.shortness = np.minimum(1.0, _SHORT / np.maximum(1.0, words))
        self.brevity: Floats = talk * (1.0 - np.log1p(np.minimum(words, _FULL)) / np.log1p(_FULL))
        """0 for a turn of 30 words or more and for what is no turn of a conversation, up to 1 for one without words."""

    def lexical(self, scores: Floats) -> Floats:
        """The lexical scores with a share of those of the two turns before and after. Meaning is not lent: the stored
        vector holds the turn before already, and lending more of it made the order worse."""
        lent = np.zeros_like(scores)
        np.add.at(lent, self._later, self._to_later * scores[self._earlier])
        np.add.at(lent, self._earlier, self._to_earlier * scores[self._later])
        return scores + self.shortness * lent


def _conversations(sessions: Ints, speakers: Ints) -> npt.NDArray[np.bool_]:
    """Whether a candidate's session shows two speakers or more."""
    talk = np.zeros(len(sessions), dtype=bool)
    if len(sessions) == 0:
        return talk
    size = int(sessions.max(initial=0)) + 1
    first = np.full(size, -1, dtype=np.int64)
    placed = sessions >= 0
    first[sessions[placed]] = speakers[placed]
    several = np.zeros(size, dtype=bool)
    several[sessions[placed][speakers[placed] != first[sessions[placed]]]] = True
    talk[placed] = several[sessions[placed]]
    return talk
