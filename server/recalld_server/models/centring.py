"""Takes most of each language's mean out of the local model's vectors.

The model puts texts of one language near to each other whatever they say, so that across languages meaning is drowned.
The means were measured on `bench/data/centring_sentences.json` by `bench/calibrate.py`; one mean serves stored texts
and queries alike, since a mean of their own for queries lost recall.
"""

from __future__ import annotations

import hashlib
import json
from importlib import resources
from typing import Final

import numpy as np

from recalld_server.models.base import Vector
from recalld_server.models.vectors import unit
from recalld_server.text.language import han_share

SHARE: Final = 0.8
"""Share of the mean that is taken out: all of it loses .01 nDCG on dialogues (measured)."""
LANGUAGES: Final = ("en", "zh")
"""Chinese, and everything else."""


class Centring:
    """What is taken out of one model's vectors, and a digest of that for its id."""

    def __init__(self, means: dict[str, list[float]]) -> None:
        """Means by language, each as long as the model's vectors."""
        self._english, self._chinese = (
            np.float32(SHARE) * np.asarray(means[language], np.float32) for language in LANGUAGES
        )
        numbers = np.stack([self._english, self._chinese])
        self.digest = hashlib.sha256(numbers.tobytes()).hexdigest()

    @classmethod
    def shipped(cls) -> Centring:
        """The means that were measured for the local model."""
        file = resources.files("recalld_server.models") / "data" / "e5_centring.json"
        return cls(json.loads(file.read_text(encoding="utf-8")))

    def apply(self, text: str, vector: Vector) -> Vector:
        """`vector` of `text` less most of the mean of its language; of a mixed text, of the mix of both. Norm 1."""
        share = np.float32(han_share(text))
        return unit(vector - (share * self._chinese + (1 - share) * self._english))
