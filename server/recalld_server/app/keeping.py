"""Keeps the embedded servers running: one that ended, killed by whatever, is started again, or adopted where another
process on the same data directory was faster."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog

from recalld_server.embedded import EmbeddedError

log = structlog.get_logger(__name__)

LOOK_SECONDS = 0.5
AGAIN_SECONDS = 5.0
"""After a start that failed."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An embedded server. It was started before."""

    name: str
    ended: Callable[[], bool]
    start: Callable[[], object]
    """Starts or adopts it. Raises EmbeddedError."""


def keep(servers: Sequence[Kept]) -> None:
    """Looks after servers from now on until this process ends."""
    for server in servers:
        # a thread and no task: starting one blocks, and with several workers there is no loop in this process
        threading.Thread(target=_keep, args=(server,), name=f"recalld-keeps-{server.name}", daemon=True).start()


def _keep(server: Kept) -> None:
    while True:
        time.sleep(LOOK_SECONDS)
        if not server.ended():
            continue
        log.warning("an embedded server has ended and is started again", server=server.name)
        try:
            server.start()
        except EmbeddedError as error:
            log.error("an embedded server cannot be started", server=server.name, cause=str(error))
            time.sleep(AGAIN_SECONDS)
