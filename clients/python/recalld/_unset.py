"""The mark of an argument that was not given, where None means something."""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal, TypeAlias


class _Unset(Enum):
    UNSET = "UNSET"

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET: Final = _Unset.UNSET
"""Not given: leave it as it is."""
Unset: TypeAlias = Literal[_Unset.UNSET]
