"""Who does what to whom, and what comes first: whether two clauses with the same words say it alike."""

from __future__ import annotations

from .align import keys
from .frames import Frame
from .lexicon import Role

_ROLES = frozenset({Role.PERSON, Role.KIN, Role.CODE, Role.IDENT, Role.CHAR})
_ACTORS = frozenset({Role.PERSON, Role.KIN, Role.CODE, Role.IDENT})
_UNKNOWN = frozenset({Role.WORD, Role.CODE})
_SEQUENCE = frozenset({"before", "after"})


def same_order(old: Frame, new: Frame) -> bool:
    """Whether two frames with the same words say who does what to whom, and what comes first, alike.

    A change of order is harmless when it swaps the sides of a copula, when a block moves (a rotation), or in a list.
    """
    if old.order and old.order == new.order:
        return _in_order(old) == _in_order(new)
    if _SEQUENCE & old.keys():
        return _turned(_in_order(old), _in_order(new))
    if old.replacing and new.replacing:
        return _in_order(old) == _in_order(new)
    if old.linked or new.linked:
        if _sides(old) == _sides(new):
            # "Jo is Kim's boss" and "Kim is Jo's boss": the noun of the attribute says whose it is
            return not (old.topic and new.topic) or keys(old.subject) == keys(new.subject)
        if self_moved(old, new):
            return False
    elif old.passive == new.passive and _turned_round(old, new):
        return False
    if old.passive != new.passive:
        return _in_order(old) == _in_order(new)[::-1]
    if old.conjoined and new.conjoined:
        return _listed(old, new)
    names = {t.key for t in old.content if t.name} & {t.key for t in new.content if t.name}
    first, second = _roles(old, names), _roles(new, names)
    if first == second:
        return not _swapped(*_moved(_in_order(old), _in_order(new)))
    actors = sum(t.key in names or t.role in _ACTORS for t in old.content)
    # where one lives and with whom may be said in either order
    return (actors < 2 or old.family == new.family == "place") and _turned(first, second)


def _turned_round(old: Frame, new: Frame) -> bool:
    """Whether who does it and to whom it is done have changed places: "Jo helped me" and "I helped Jo"."""
    if old.arity == new.arity == "single" or old.conjoined or new.conjoined:
        return False
    if old.subject and new.subject:
        return keys(old.subject) == keys(new.value) and keys(old.value) == keys(new.subject)
    return self_moved(old, new)


def self_moved(old: Frame, new: Frame) -> bool:
    """Whether the person of the memory has moved past another one, where no copula or passive turns the sides."""
    if old.passive != new.passive:
        return False
    if old.before_self is None or new.before_self is None:
        return False
    return bool((old.before_self ^ new.before_self) & _named(old) & _named(new))


def _listed(old: Frame, new: Frame) -> bool:
    """Whether a list is told in another order: its items are of one kind, or blocks of them change places."""
    first, second = _moved(_in_order(old), _in_order(new))
    kinds = {(t.role, t.group, t.name) for t in old.content if t.key in first}
    return len(first) < 3 or len(kinds) == 1 or _turned(first, second)


def _moved(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Two sequences without what they begin and end with alike."""
    start, end = 0, 0
    while start < min(len(first), len(second)) and first[start] == second[start]:
        start += 1
    while end < min(len(first), len(second)) - start and first[-1 - end] == second[-1 - end]:
        end += 1
    return first[start : len(first) - end], second[start : len(second) - end]


def _swapped(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Whether two words have changed places about others that stay."""
    return len(first) > 2 and first[0] != first[-1] and second == (first[-1], *first[1:-1], first[0])


def _named(frame: Frame) -> set[str]:
    return {t.key for t in frame.content if t.role is Role.PERSON or (t.name and t.role in _UNKNOWN)}


def _in_order(frame: Frame) -> tuple[str, ...]:
    return tuple(t.key for t in frame.content)


def _roles(frame: Frame, names: set[str]) -> tuple[str, ...]:
    """The persons, names, places and unknown characters: what a swap of roles would swap."""
    return tuple(t.key for t in frame.content if t.key in names or t.role in _ROLES)


def _sides(frame: Frame) -> frozenset[frozenset[str]]:
    return frozenset((keys(frame.subject), keys(frame.value)))


def _turned(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Whether one sequence is the other, begun elsewhere."""
    if len(first) != len(second) or not first:
        return False
    doubled = first + first
    return any(doubled[i : i + len(second)] == second for i in range(len(first)))
