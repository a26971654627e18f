"""Order among memories that say nearly the same: the newest first, the same words once, a successor above its past."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Final
from uuid import UUID

from recalld_server.model import Kind
from recalld_server.store.base import Found

_DEPTH: Final = 30
"""Places from the top that are looked at."""
_ALIKE: Final = 0.4
"""Share of common terms from which two statements are about the same."""
_GAP: Final = 0.05
"""Difference of score within which two alike statements answer the query equally well."""


def newest_first(order: Sequence[int], scores: list[float], candidates: Sequence[Found]) -> list[int]:
    """`order` (indices, best first) with each group of near-identical statements near the top put newest first. Places
    and scores stay where they are; `scores` (by index) is changed to fit."""
    result, done = list(order), set[int]()
    for place, index in enumerate(result[:_DEPTH]):
        if place in done or not candidates[index].terms:
            continue
        group = [place]
        for other in range(place + 1, min(_DEPTH, len(result))):
            if scores[index] - scores[result[other]] > _GAP:
                break
            if other not in done and _alike(candidates[index], candidates[result[other]]):
                group.append(other)
        if len(group) == 1:
            continue
        done.update(group)
        members = sorted((result[at] for at in group), key=lambda at: _age(candidates[at]), reverse=True)
        values = [scores[result[at]] for at in group]
        for at, member, value in zip(group, members, values, strict=True):
            result[at] = member
            scores[member] = value
    return result


def fold(
    order: Sequence[int], scores: list[float], candidates: Sequence[Found]
) -> tuple[list[int], dict[int, list[int]]]:
    """Of the memories with the same words the newest stays, at the place and score of the best (`scores`, by index, is
    changed to fit); tells which ones went into it. Events of different days stay apart: the same thing happened twice."""
    times = Counter([one.terms for one in candidates])
    if len(times) == len(candidates):
        return list(order), {}
    groups: dict[object, list[int]] = {}
    for index in order:
        one = candidates[index]
        alone = not one.terms or times[one.terms] == 1
        groups.setdefault(index if alone else (one.terms, _subject(one), _day(one)), []).append(index)
    kept: list[int] = []
    folded: dict[int, list[int]] = {}
    for group in groups.values():
        newest = max(group, key=lambda index: _age(candidates[index])) if len(group) > 1 else group[0]
        scores[newest] = scores[group[0]]
        kept.append(newest)
        if len(group) > 1:
            folded[newest] = [index for index in group if index != newest]
    return kept, folded


def successors_first(
    order: Sequence[int], scores: list[float], candidates: Sequence[Found], folded: Mapping[int, Sequence[int]]
) -> list[int]:
    """`order` with every superseded memory below the one that superseded it (or that one was folded into), where both are
    there. Its score is lowered to the successor's at most."""
    past = [index for index in order if candidates[index].superseded_by is not None]
    if not past:
        return list(order)
    at = {candidates[index].memory_id: index for index in order}
    at |= {candidates[other].memory_id: index for index, others in folded.items() for other in others}
    chains = {index: follower for index in past if (follower := candidates[index].superseded_by) in at}
    depth: dict[int, int] = {}
    for index in order:
        bound, step, walked = scores[index], index, {index}
        while (follower := chains.get(step)) is not None and at[follower] not in walked:
            step = at[follower]
            walked.add(step)
            bound = min(bound, scores[step])
        scores[index], depth[index] = bound, len(walked)
    place = {index: number for number, index in enumerate(order)}
    return sorted(order, key=lambda index: (-scores[index], depth[index], place[index]))


def _alike(a: Found, b: Found) -> bool:
    common = len(a.terms & b.terms)
    return common > 0 and common >= _ALIKE * (len(a.terms) + len(b.terms) - common) and _subject(a) == _subject(b)


def _subject(one: Found) -> tuple[UUID, str, str]:
    return one.namespace_id, one.user_id, one.speaker


def _day(one: Found) -> date | None:
    return one.event_time.date() if one.kind is Kind.EPISODIC else None


def _age(one: Found) -> tuple[datetime, datetime, UUID]:
    return one.event_time, one.create_time, one.memory_id
