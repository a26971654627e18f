"""Which memories are meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias, TypedDict, TypeVar

from recalld._json import Json
from recalld.enums import IndexStateLike, KindLike, StateLike, VisibilityLike
from recalld.errors import InvalidArgument

T = TypeVar("T")
OneOrMany: TypeAlias = T | Iterable[T]


class TimeRange(NamedTuple):
    """A half-open range of time: start ≤ t < end. None leaves a side open. A plain pair will do."""

    start: datetime | None = None
    end: datetime | None = None


class Range(NamedTuple):
    """A range of numbers, both ends included. None leaves a side open. A plain pair will do."""

    min: float | None = None
    max: float | None = None


TimeRangeLike: TypeAlias = TimeRange | tuple[datetime | None, datetime | None]
RangeLike: TypeAlias = Range | tuple[float | None, float | None]


class Operator(StrEnum):
    """How one metadata value is compared. Types are never mixed: 10 is not "10" and true is not 1."""

    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    IN = "in"
    EXISTS = "exists"
    MISSING = "missing"
    IS_NULL = "is_null"
    CONTAINS = "contains"


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition on a memory's metadata, made by `where`."""

    path: tuple[str, ...]
    operator: Operator
    value: Json = None

    def __bool__(self) -> bool:
        raise TypeError(
            "a condition is neither true nor false: `1 < where(…) < 9` and `and` do not work, give metadata=[…, …]"
        )


@dataclass(frozen=True, slots=True, eq=False)
class where:  # noqa: N801 - reads as a word: where("rank") > 9
    """Starts a condition on a memory's metadata.

    >>> where("rank") > 9
    Condition(path=('rank',), operator=<Operator.GT: 'gt'>, value=9)

    The key is literal: `where("a.b")` is the key `a.b`. A tuple goes down: `where(("a", "b"))` is b inside a.
    """

    path: str | tuple[str, ...]

    def _make(self, operator: Operator, value: Any = None) -> Condition:
        path = (self.path,) if isinstance(self.path, str) else tuple(self.path)
        if value is None and operator not in (Operator.EXISTS, Operator.MISSING, Operator.IS_NULL):
            raise InvalidArgument.of("filter.metadata", "is compared with None: use .is_null() or .missing()")
        return Condition(path, operator, value)

    def __eq__(self, value: Json) -> Condition:  # type: ignore[override]
        return self._make(Operator.EQ, value)

    def __ne__(self, value: Json) -> Condition:  # type: ignore[override]
        return self._make(Operator.NE, value)

    def __lt__(self, value: float | str) -> Condition:
        return self._make(Operator.LT, value)

    def __le__(self, value: float | str) -> Condition:
        return self._make(Operator.LE, value)

    def __gt__(self, value: float | str) -> Condition:
        return self._make(Operator.GT, value)

    def __ge__(self, value: float | str) -> Condition:
        return self._make(Operator.GE, value)

    __hash__ = None  # type: ignore[assignment]

    def in_(self, values: OneOrMany[Json]) -> Condition:
        """Equal to one of these; none of them: matches nothing. A text, a number or an object alone is one value."""
        return self._make(Operator.IN, _several(values))

    def contains(self, value: Json) -> Condition:
        """A list that holds this."""
        return self._make(Operator.CONTAINS, value)

    def exists(self) -> Condition:
        """The key is present, whatever its value, null included."""
        return self._make(Operator.EXISTS)

    def missing(self) -> Condition:
        """The key is absent."""
        return self._make(Operator.MISSING)

    def is_null(self) -> Condition:
        """The key is present and null."""
        return self._make(Operator.IS_NULL)


def _several(values: Any) -> list[Any]:
    if isinstance(values, Iterable) and not isinstance(values, str | Mapping):
        return list(values)
    return [values]


class FilterFields(TypedDict, total=False):
    """The parts of a Filter as keyword arguments: `search("…", kinds="episodic", user_ids=["u1"])`."""

    kinds: OneOrMany[KindLike]
    all_tags: OneOrMany[str]
    any_tags: OneOrMany[str]
    user_ids: OneOrMany[str]
    session_ids: OneOrMany[str]
    agent_ids: OneOrMany[str]
    any_entities: OneOrMany[str]
    states: OneOrMany[StateLike]
    index_states: OneOrMany[IndexStateLike]
    visibility: VisibilityLike | None
    confidence: RangeLike | None
    importance: RangeLike | None
    event_time: TimeRangeLike | None
    create_time: TimeRangeLike | None
    metadata: OneOrMany[Condition]
    any_source_ids: OneOrMany[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which memories are meant. Every part that is given must hold; a part that is empty does not restrict.

    Where several values are asked for, one will do: `Filter(kinds="episodic")`.
    """

    kinds: OneOrMany[KindLike] = ()
    """One of these kinds."""
    all_tags: OneOrMany[str] = ()
    """All of these tags."""
    any_tags: OneOrMany[str] = ()
    """At least one of these tags."""
    user_ids: OneOrMany[str] = ()
    """About one of these people."""
    session_ids: OneOrMany[str] = ()
    """From one of these sessions."""
    agent_ids: OneOrMany[str] = ()
    """Written by one of these agents."""
    any_entities: OneOrMany[str] = ()
    """Speaking of at least one of these entities."""
    states: OneOrMany[StateLike] = ()
    """In one of these states. Empty: ACTIVE only."""
    index_states: OneOrMany[IndexStateLike] = ()
    """With one of these index states."""
    visibility: VisibilityLike | None = None
    """With this visibility."""
    confidence: RangeLike | None = None
    """With a confidence in this range."""
    importance: RangeLike | None = None
    """With an importance in this range."""
    event_time: TimeRangeLike | None = None
    """Happened in this range."""
    create_time: TimeRangeLike | None = None
    """Written in this range."""
    metadata: OneOrMany[Condition] = ()
    """All of these conditions on the caller's own data; see `where`."""
    any_source_ids: OneOrMany[str] = ()
    """Derived from at least one of these memories or turns."""


def combine(filter: Filter | None, parts: Mapping[str, Any]) -> Filter | None:
    """The filter that a call means: one given whole, or by keyword arguments, or neither.

    Raises TypeError for both at once, and for a keyword that is not a part of a filter, with the one that was meant.
    """
    if not parts:
        return filter
    names = FilterFields.__annotations__
    for name in parts:
        if name not in names:
            meant = next(
                (each for each in (f"{name}s", f"any_{name}s", f"any_{name}", f"{name}_ids") if each in names), ""
            )
            hint = f"; did you mean {meant!r}?" if meant else ""
            raise TypeError(f"unexpected keyword argument {name!r}{hint}")
    if filter is not None:
        raise TypeError("give filter= or the parts of a filter as keyword arguments, not both")
    return Filter(**parts)
