"""What the server does by itself, and how often."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from recalld_server.app.dependencies import (
    COUNT_SECONDS,
    DATABASE,
    LOOK_SECONDS,
    MODEL,
    REDIS,
    Counting,
    Dependencies,
    Dependency,
    Lag,
)
from recalld_server.core.indexer import Indexer
from recalld_server.core.reflect import Runner, Scheduler
from recalld_server.core.reviews import Reviews
from recalld_server.core.search_log import FLUSH_SECONDS, SearchLog
from recalld_server.core.services import Core
from recalld_server.core.sessions import Sessions
from recalld_server.models.measured import MeasuredEmbedder
from recalld_server.store.base import IndexJobs, ReflectionSchedules
from recalld_server.store.postgres import Maintenance, PostgresStore, ReplicatedReads
from recalld_server.store.redis import RedisClient
from recalld_server.upkeep import Chore

AT_ONCE = 2
"""Reflections that one server runs at a time: one that waits for a slow model must not hold up the rest."""


def chores(maintenance: Maintenance, jobs: IndexJobs, indexer: Indexer, search_log: SearchLog) -> list[Chore]:
    """What the server does by itself, and how often."""
    return [
        Chore("indexing", indexer.run, 1.0, indexer.wake),
        Chore("search log", search_log.flush, FLUSH_SECONDS),
        Chore("statistics", maintenance.refresh_statistics, 1.0),
        Chore("vector index", maintenance.turn_on_ann, 1.0),
        Chore("expired memories", maintenance.sweep_expired, 1.0),
        Chore("old requests", maintenance.sweep_requests, 600.0),
        Chore("old changes", maintenance.sweep_changes, 600.0),
        Chore("old searches", maintenance.sweep_searches, 3600.0),
        Chore("old audit events", maintenance.sweep_audit, 3600.0),
        Chore("finished indexing", jobs.sweep, 60.0),
    ]


def watch_chores(
    store: PostgresStore,
    embedder: MeasuredEmbedder,
    redis: RedisClient | None,
    reads: ReplicatedReads | None,
    report: Callable[[Mapping[str, bool], bool], Awaitable[None]],
) -> list[Chore]:
    """How the server watches itself and what it depends on."""
    watched = [
        Dependency(DATABASE, lambda: store.available, store.ping, vital=True),
        Dependency(MODEL, lambda: embedder.available, embedder.ping),
    ]
    if redis is not None:
        watched.append(Dependency(REDIS, lambda: redis.available, redis.ping))
    standbys = reads.replicas if reads is not None else ()
    watched += [Dependency(each.name, partial(getattr, each, "available"), each.ping) for each in standbys]
    return [
        *([Chore("replicas", reads.look, LOOK_SECONDS)] if reads is not None else []),
        Chore("dependencies", Dependencies(watched, report).look, LOOK_SECONDS),
        Chore("loop lag", Lag().measure, LOOK_SECONDS),
        Chore("figures", Counting(store.observe).count, COUNT_SECONDS),
    ]


def session_chores(sessions: Sessions, reviews: Reviews) -> list[Chore]:
    """What becomes of sessions and reviews by itself."""
    return [
        Chore("ended sessions", sessions.settle, 5.0, sessions.wake),
        Chore("overdue reviews", reviews.expire, 30.0),
    ]


def reflection_chores(runner: Runner, schedules: ReflectionSchedules) -> list[Chore]:
    """What looks back by itself."""
    return [
        *(Chore(f"reflections {number}", runner.run, 1.0, runner.wake) for number in range(1, AT_ONCE + 1)),
        Chore("scheduled reflections", Scheduler(schedules, runner.wake.set).run, 2.0),
        Chore("old reflections", runner.sweep, 3600.0),
    ]


def forgetting_chores(core: Core) -> list[Chore]:
    """What goes by itself, and what was begun by a server that has gone."""
    chores = [
        Chore("orders to forget", core.forgets.resume, 10.0),
        Chore("forgotten memories", core.retention.sweep_forgotten, 60.0),
        Chore("retention", core.retention.run, 60.0),
    ]
    if core.archives is not None:
        chores += [
            Chore("archive", core.archives.run, 300.0),
            Chore("stray files of the archive", core.archives.sweep, 3600.0),
        ]
    return chores
