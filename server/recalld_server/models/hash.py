"""An embedder without a model, for tests: texts that share words, word parts or Chinese characters are near."""

from __future__ import annotations

import hashlib
import itertools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from recalld_server.models.base import EmbeddingBatch
from recalld_server.models.vectors import BLANK, checked, usable

DIMENSIONS: Final = 384

_WORD: Final = re.compile(r"[^\W_]+")
_HAN: Final = re.compile(r"[\u3400-\u9fff]")


class HashEmbedder:
    """Deterministic feature hashing. Knows no meaning: "car" and "automobile" are strangers."""

    def __init__(self, dimensions: int = DIMENSIONS) -> None:
        self.dimensions = dimensions
        self.id = f"hash:{dimensions}:1"

    @property
    def knows_dimensions(self) -> bool:
        return True

    def expect(self, dimensions: int) -> None:
        """The length is known from the beginning."""

    async def start(self) -> None:
        """Nothing to load."""

    async def close(self) -> None:
        """Nothing to give back."""

    async def embed_passages(self, texts: Sequence[str], *, timeout: float | None = None) -> EmbeddingBatch:
        return checked([self._vector(text) for text in texts], self.dimensions)

    async def embed_queries(self, texts: Sequence[str], *, timeout: float | None = None) -> EmbeddingBatch:
        return await self.embed_passages(texts, timeout=timeout)

    def _vector(self, text: str) -> object:
        counts = Counter(features(usable(text)))
        if not counts:
            return BLANK
        vector = np.zeros(self.dimensions)
        for feature, count in counts.items():
            place = int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest()) % self.dimensions
            vector[place] += 1.0 + math.log(count)
        return vector


def features(text: str) -> list[str]:
    """Words and their trigrams, Chinese characters and their bigrams; the text itself when it has no word."""
    normal = unicodedata.normalize("NFKC", text).lower()
    found: list[str] = []
    for word in _WORD.findall(normal):
        if _HAN.search(word):
            found += [*word, *map("".join, itertools.pairwise(word))]
        else:
            marked = f"<{word}>"
            found += [word, *(marked[at : at + 3] for at in range(len(marked) - 2))]
    return found or ([normal] if normal else [])
