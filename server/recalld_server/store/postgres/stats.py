"""Figures of namespaces: sums of counters, however many rows there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from recalld_server.model import DayCount, Kind, KindCount, Scope, State, Stats
from recalld_server.store.postgres.models import Model
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.transaction import Row, Transaction

SQL = load("stats.sql")


async def stats(
    transaction: Transaction, scopes: Sequence[Scope], model: Model, *, since: datetime, until: datetime
) -> Stats:
    """See View.stats. An ACTIVE memory past its expire_time counts as EXPIRED, as List shows it."""
    ids = [transaction.check(scope) for scope in scopes]
    if not ids:
        return Stats(embedding_model=model.name)
    held = _held(await transaction.fetch(SQL["held"], ids))
    searched = _searched(await transaction.fetch(SQL["searches"], ids, since, until))
    created = {row["day"]: row["created"] for row in await transaction.fetch(SQL["days"], ids, since, until)}
    others = await transaction.row(SQL["others"], ids, since, until)
    assert others is not None
    return Stats(
        total=held.total,
        counts=tuple(
            KindCount(Kind(kind), State(state), n) for (kind, state), n in sorted(held.numbers.items()) if n > 0
        ),
        mean_confidence=held.confidence / held.total if held.total else 0.0,
        days=tuple(
            DayCount(day, created.get(day, 0), searched.by_day[day]) for day in sorted(created.keys() | searched.by_day)
        ),
        duplicates_skipped=others["duplicates"],
        conflicts_open=others["conflicts"],
        reviews_waiting=others["reviews"],
        searches=searched.by_day.total(),
        hit_rate=searched.used / searched.by_day.total() if searched.by_day else 0.0,
        never_found=held.total - held.found,
        queue_depth=held.waiting,
        queue_age_seconds=others["queue_age"],
        dead_jobs=held.failed,
        content_bytes=held.bytes,
        model_tokens=others["tokens"],
        search_p50_milliseconds=_median(searched.by_milliseconds),
        namespaces=len(ids),
        embedding_model=model.name,
    )


@dataclass(slots=True)
class _Held:
    """Sums over the memories; those from `confidence` on over the live ones, `bytes` over all."""

    numbers: Counter[tuple[int, int]] = field(default_factory=Counter)
    bytes: int = 0
    confidence: float = 0.0
    found: int = 0
    waiting: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        return sum(n for (_, state), n in self.numbers.items() if state == State.ACTIVE)


def _held(rows: Sequence[Row]) -> _Held:
    held = _Held()
    for row in rows:
        held.numbers[row["kind"], row["state"]] = row["n"]
        held.bytes += row["bytes"]
        if row["state"] == State.ACTIVE:
            held.confidence += row["confidence"]
            held.found += row["found"]
            held.waiting += row["waiting"]
            held.failed += row["failed"]
    return held


@dataclass(slots=True)
class _Searched:
    """Sums over searches."""

    by_day: Counter[datetime] = field(default_factory=Counter)
    by_milliseconds: Counter[float] = field(default_factory=Counter)
    used: int = 0


def _searched(rows: Sequence[Row]) -> _Searched:
    searched = _Searched()
    for row in rows:
        searched.by_day[row["day"]] += row["searches"]
        searched.by_milliseconds[row["milliseconds"]] += row["searches"]
        searched.used += row["used"]
    return searched


def _median(numbers: Mapping[float, int]) -> float:
    """Of values that occur so many times; of an even number, the middle of the two in the middle. 0.0 for none."""
    total = sum(numbers.values())
    if not total:
        return 0.0
    low, high, seen = None, 0.0, 0
    for value in sorted(numbers):
        seen += numbers[value]
        if low is None and seen > (total - 1) // 2:
            low = value
        if seen > total // 2:
            high = value
            break
    assert low is not None
    return (low + high) / 2
