"""Builds what reflects: the distiller, the keeper and the runner over a store and a model."""

from __future__ import annotations

from recalld_server.core.distill import ChatDistiller, Distiller, RulesDistiller
from recalld_server.core.reflect.keeping import Keeper
from recalld_server.core.reflect.runner import Runner, RunnerOptions
from recalld_server.core.resolve import Lines, RulesResolver
from recalld_server.models.base import ChatModel, Embedder
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
    chat: ChatModel | None = None,
    options: RunnerOptions | None = None,
) -> Runner:
    """The worker of reflections. Without a distiller: that of the rules, or with a chat model that which asks it."""
    resolver = RulesResolver()
    rules = RulesDistiller(embedder, resolver, lines)
    by = "rules" if chat is None else "chat"
    keeper = Keeper(store, embedder, resolver, lines, content_limit=content_limit, by=by)
    distiller = distiller or (rules if chat is None else ChatDistiller(chat, rules))
    return Runner(store, directory, jobs, session_jobs, distiller, keeper, options)
