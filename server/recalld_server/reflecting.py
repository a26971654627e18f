"""What looks back by itself: the worker of reflections, the schedules, and the chat model where one is configured."""

from __future__ import annotations

from recalld_server.core.distill import Limits
from recalld_server.core.reflect import Runner, RunnerOptions, Scheduler, build_runner
from recalld_server.core.resolve import Lines
from recalld_server.models.base import Calibration, ChatModel, Embedder
from recalld_server.models.chat import OpenAiChat
from recalld_server.settings import Settings
from recalld_server.store.base import ReflectionSchedules
from recalld_server.store.postgres import PostgresStore
from recalld_server.upkeep import Chore

AT_ONCE = 2
"""Reflections that one server runs at a time: one that waits for a slow model must not hold up the rest."""
LEAST_SECONDS = 60.0
"""For one question about a conversation: its answer is longer than most."""


def reflection_chores(runner: Runner, schedules: ReflectionSchedules) -> list[Chore]:
    """What looks back by itself."""
    return [
        *(Chore(f"reflections {number}", runner.run, 1.0, runner.wake) for number in range(1, AT_ONCE + 1)),
        Chore("scheduled reflections", Scheduler(schedules, runner.wake.set).run, 2.0),
        Chore("old reflections", runner.sweep, 3600.0),
    ]


def make_chat(settings: Settings) -> OpenAiChat | None:
    """The chat model that is configured, if any."""
    if not settings.chat_url:
        return None
    key = settings.chat_api_key.get_secret_value() if settings.chat_api_key else None
    return OpenAiChat(
        base_url=settings.chat_url, model=settings.chat_model, api_key=key, timeout=settings.chat_timeout_seconds
    )


def build_runner_of(
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
