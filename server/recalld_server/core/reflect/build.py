"""Builds what reflects: the distiller, the planner, the keeper and the runner over a store and a model."""

from __future__ import annotations

from recalld_server.core.distill import ChatDistiller, Distiller, RulesDistiller
from recalld_server.core.reflect.keeping import Keeper
from recalld_server.core.reflect.planning import Planner
from recalld_server.core.reflect.runner import Runner, RunnerOptions
from recalld_server.core.reflect.steps import Steps
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
    options = options or RunnerOptions()
    resolver = RulesResolver()
    rules = RulesDistiller(embedder, resolver, lines)
    distiller = distiller or (rules if chat is None else ChatDistiller(chat, rules))
    planner = Planner(store, embedder, content_limit=content_limit, by="rules" if chat is None else "chat")
    keeper = Keeper(store, resolver, lines)
    timeout, limits = options.model_timeout, options.limits
    steps = Steps(store, directory, jobs, distiller, planner, keeper, model_timeout=timeout, limits=limits)
    return Runner(store, jobs, session_jobs, steps, options)
