"""The base of all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar


class RecalldError(Exception):
    """Base of all. `str(error)` is what the caller reads."""

    reason: ClassVar[str] = "INTERNAL"

    def __init__(self, message: str, **metadata: str | int | float) -> None:
        super().__init__(message)
        self.metadata: Mapping[str, str] = {key: str(value) for key, value in metadata.items()}
