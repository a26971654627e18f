"""Figures of namespaces."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from recalld_server.model import DayCount, Kind, KindCount, Scope, State, Stats
from recalld_server.store.postgres.models import Model
from recalld_server.store.postgres.pool import Transaction
from recalld_server.store.postgres.queries import load

SQL = load("stats.sql")


async def stats(
    transaction: Transaction, scopes: Sequence[Scope], model: Model, *, since: datetime, until: datetime
) -> Stats:
    """See View.stats. An ACTIVE memory past its expire_time counts as EXPIRED, as List shows it."""
    ids = [transaction.check(scope) for scope in scopes]
    if not ids:
        return Stats(embedding_model=model.name)
    numbers: dict[tuple[int, int], int] = {}
    confidence, size = 0.0, 0
    for row in await transaction.fetch(SQL["counts"], ids):
        numbers[row["kind"], row["state"]] = row["n"]
        size += row["bytes"]
        confidence += row["confidence"] if row["state"] == State.ACTIVE else 0.0
    for row in await transaction.fetch(SQL["expired"], ids):
        kind, n = row["kind"], row["n"]
        numbers[kind, State.ACTIVE] = numbers.get((kind, State.ACTIVE), 0) - n
        numbers[kind, State.EXPIRED] = numbers.get((kind, State.EXPIRED), 0) + n
        confidence -= row["confidence"]
    total = sum(n for (_, state), n in numbers.items() if state == State.ACTIVE)
    created = {row["day"]: row["created"] for row in await transaction.fetch(SQL["days"], ids, since, until)}
    searched = await transaction.fetch(SQL["searches"], ids, since, until)
    overall = next(row for row in searched if row["day"] is None)
    by_day = {row["day"]: row["searches"] for row in searched if row["day"] is not None}
    reviews = await transaction.row(SQL["reviews"], ids)
    queue = await transaction.row(SQL["queue"], ids)
    assert reviews is not None
    assert queue is not None
    return Stats(
        total=total,
        counts=tuple(KindCount(Kind(kind), State(state), n) for (kind, state), n in sorted(numbers.items()) if n > 0),
        mean_confidence=confidence / total if total else 0.0,
        days=tuple(
            DayCount(day, created.get(day, 0), by_day.get(day, 0)) for day in sorted(created.keys() | by_day.keys())
        ),
        duplicates_skipped=int(await transaction.value(SQL["duplicates"], ids)),
        conflicts_open=reviews["conflicts"],
        reviews_waiting=reviews["waiting"],
        searches=overall["searches"],
        hit_rate=overall["used"] / overall["searches"] if overall["searches"] else 0.0,
        never_found=total - int(await transaction.value(SQL["found"], ids)),
        queue_depth=queue["waiting"],
        queue_age_seconds=queue["age"],
        dead_jobs=queue["failed"],
        content_bytes=size,
        model_tokens=int(await transaction.value(SQL["model_tokens"], ids, since, until)),
        search_p50_milliseconds=overall["p50"] or 0.0,
        namespaces=len(ids),
        embedding_model=model.name,
    )
