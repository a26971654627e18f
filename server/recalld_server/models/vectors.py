"""The one place where a model's numbers become vectors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from recalld_server.models.base import EmbeddingBatch, Vector

BLANK: Final = "the text is blank"
_UNUSABLE: Final = re.compile("[\x00\ud800-\udfff]")
_SMALLEST_NORM: Final = 1e-12


def usable(text: str) -> str:
    """`text` without what no tokenizer or JSON encoder takes: NUL and lone surrogates become spaces."""
    return _UNUSABLE.sub(" ", text).strip()


def unit(vector: npt.NDArray[np.floating]) -> Vector:
    """`vector` as float32 with norm 1. Raises ValueError for one that is not finite or has no direction."""
    wide = vector.astype(np.float64)
    if not np.isfinite(wide).all():
        raise ValueError("the vector holds a number that is not finite")
    norm = float(np.linalg.norm(wide))
    if norm < _SMALLEST_NORM:
        raise ValueError("the vector is zero")
    return (wide / norm).astype(np.float32)


def checked(raw: Sequence[object], dimensions: int) -> EmbeddingBatch:
    """Verify what a model gave for each text and normalise it.

    An entry of `raw` is the numbers of one text, or a str: what went wrong with it. A vector that has another length
    than `dimensions`, is zero, or holds what is not a finite number, becomes the error of its text alone.
    """
    vectors: list[Vector | None] = []
    errors: list[str | None] = []
    for entry in raw:
        vector, error = (None, entry) if isinstance(entry, str) else _one(entry, dimensions)
        vectors.append(vector)
        errors.append(error)
    return EmbeddingBatch(tuple(vectors), tuple(errors))


def _one(entry: object, dimensions: int) -> tuple[Vector | None, str | None]:
    try:
        numbers = np.asarray(entry, dtype=np.float64)
        if numbers.shape != (dimensions,):
            return None, f"the model gave numbers of shape {numbers.shape}, {dimensions} are needed"
        return unit(numbers), None
    except (ValueError, TypeError, OverflowError):
        return None, "the model gave a vector that is zero or not made of finite numbers"
