"""Builds what reflects: the distiller, the keeper and the runner over a store and a model."""

from __future__ import annotations

from recalld_server.core.distill import Distiller, RulesDistiller
from recalld_server.core.reflect.keeping import Keeper
from recalld_server.core.reflect.runner import Runner, RunnerOptions
from recalld_server.core.resolve import Lines, RulesResolver
from recalld_server.models.base import Embedder
from recalld_server.store.base import Directory, ReflectionJobs, SessionJobs, Store


def build_runner(
    store: Store,
    directory: Directory,
    jobs: ReflectionJobs,
    session_jobs: SessionJobs,
    embedder: Embedder,
    lines: Lines,
    *,
    content_limit: int,
    distiller: Distiller | None = None,
    by: str = "rules",
    options: RunnerOptions | None = None,
) -> Runner:
    """The worker of reflections. Without a distiller: that of the rules. `by` names it, for the record."""
    resolver = RulesResolver()
    keeper = Keeper(store, embedder, resolver, lines, content_limit=content_limit, by=by)
    distiller = distiller or RulesDistiller(embedder, resolver, lines)
    return Runner(store, directory, jobs, session_jobs, distiller, keeper, options)
