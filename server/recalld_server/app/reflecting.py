"""What looks back by itself: the worker of reflections, and the schedules."""

from __future__ import annotations

from recalld_server.core.distill import Limits
from recalld_server.core.reflect import Runner, RunnerOptions, build_runner
from recalld_server.core.resolve import Lines
from recalld_server.models.base import Calibration, ChatModel, Embedder
from recalld_server.settings import Settings
from recalld_server.store.postgres import PostgresStore

LEAST_SECONDS = 60.0
"""For one question about a conversation: its answer is longer than most."""


def build_worker(
    store: PostgresStore,
    embedder: Embedder,
    calibration: Calibration,
    settings: Settings,
    chat: ChatModel | None = None,
) -> Runner:
    """The worker that carries out reflections."""
    limits = Limits(
        settings.chat_run_tokens, settings.chat_run_seconds, settings.chat_run_calls, settings.chat_tenant_tokens
    )
    return build_runner(
        store,
        store,
        store.reflection_jobs(),
        store.session_jobs(),
        embedder,
        Lines(calibration.duplicate_line, calibration.conflict_line),
        content_limit=settings.content_limit_bytes,
        chat=chat,
        options=RunnerOptions(model_timeout=max(LEAST_SECONDS, settings.chat_timeout_seconds), limits=limits),
    )
