"""What is looked for, and which kind of insight answers to which target."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from recalld_server.core.distill import Category
from recalld_server.model import ReflectionTarget

USUAL: Final = (
    ReflectionTarget.PREFERENCES,
    ReflectionTarget.FACTS,
    ReflectionTarget.PATTERNS,
    ReflectionTarget.LESSONS,
)
"""When nobody says what to look for."""

_CATEGORY: Final = {
    ReflectionTarget.PREFERENCES: Category.PREFERENCE,
    ReflectionTarget.FACTS: Category.FACT,
    ReflectionTarget.PATTERNS: Category.PATTERN,
    ReflectionTarget.LESSONS: Category.LESSON,
    ReflectionTarget.COMPRESS_EPISODES: Category.ABSTRACT,
}
TARGET: Final = {category: target for target, category in _CATEGORY.items()}


def categories(targets: Iterable[ReflectionTarget]) -> frozenset[Category]:
    """What a distiller is to look for."""
    return frozenset(_CATEGORY[target] for target in targets if target in _CATEGORY)


def distilled(targets: Iterable[ReflectionTarget]) -> tuple[ReflectionTarget, ...]:
    """Those targets for which sources are looked at."""
    return tuple(target for target in targets if target in _CATEGORY)
