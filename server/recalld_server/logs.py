"""Logging: structured, to stderr, without memory texts, queries or credentials (nothing here is ever given one)."""

from __future__ import annotations

import logging
import sys
from typing import Literal

import structlog

from recalld_server import telemetry

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def configure_logs(level: Literal["debug", "info", "warning", "error"], form: Literal["console", "json"]) -> None:
    """Sets up structlog and the standard library's loggers alike."""
    renderer: structlog.typing.Processor = structlog.processors.JSONRenderer(ensure_ascii=False)
    if form == "console":
        # the usual one shows local variables, a connection's password among them
        renderer = structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        )

    def traced(_: object, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
        return {**event, **telemetry.trace_ids()}

    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        traced,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.format_exc_info, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        # looked up for each line: whoever runs a command within a program may put another stream there
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(renderer, foreign_pre_chain=shared))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(max(LEVELS[level], logging.WARNING))
