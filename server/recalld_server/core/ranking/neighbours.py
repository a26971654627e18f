"""What a turn of a conversation gets from the turns around it."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_WORDS: Final = {1: 0.4, 2: 0.2}
"""Share of a neighbour's lexical score, by distance."""
_GAP_SECONDS: Final = 3600.0
_SHORT: Final = 25.0
"""Words up to which a turn leans on its neighbours in full; longer ones stand for themselves."""


class Neighbourhood:
    """Pairs of candidates within two places in a conversation: a session with two or more speakers, at most an hour
    between the two. Built once per query; all arrays are one value per candidate, in one order."""

    def __init__(self, sessions: Ints, positions: Floats, seconds: Floats, speakers: Ints, words: Floats) -> None:
        """`sessions`: a number per session, negative for memories that stand alone. `speakers`: a number per speaker."""
        order = np.lexsort((positions, sessions))
        talk = _conversations(sessions, speakers)
        earlier, later, distance = [], [], []
        for step in _WORDS:
            a, b = order[:-step], order[step:]
            apart = positions[b] - positions[a]
            near = (sessions[a] == sessions[b]) & talk[a] & (apart >= 1) & (apart <= max(_WORDS))
            near &= np.abs(seconds[b] - seconds[a]) <= _GAP_SECONDS
            earlier.append(a[near])
            later.append(b[near])
            distance.append(apart[near])
        self._earlier, self._later = np.concatenate(earlier), np.concatenate(later)
        self._share = np.where(np.concatenate(distance) == 1, _WORDS[1], _WORDS[2])
        self.shortness = np.minimum(1.0, _SHORT / np.maximum(1.0, words))
        self._need = self.shortness**2

    def lexical(self, scores: Floats) -> Floats:
        """The lexical scores with a share of those of the two turns before and after. Meaning is not lent: the stored
        vector holds the turn before already, and lending more of it made the order worse."""
        lent = np.zeros_like(scores)
        np.add.at(lent, self._later, self._share * scores[self._earlier])
        np.add.at(lent, self._earlier, self._share * scores[self._later])
        return scores + self._need * lent


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
