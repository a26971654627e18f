"""Several processes on one port: each is a whole server of its own, the kernel shares the connections out (SO_REUSEPORT)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import structlog

from recalld_server.app import Endpoints
from recalld_server.settings import PREFIX, Settings

log = structlog.get_logger(__name__)

RESTART_PAUSE = 1.0
"""Seconds before a worker that ended by itself is started again."""


def run_workers(settings: Settings, endpoints: Endpoints) -> int:
    """Runs `settings.workers` servers until SIGTERM or SIGINT; starts one that ends by itself again. Returns an exit code."""
    environment = {
        **os.environ,
        f"{PREFIX}DATABASE_URL": endpoints.database_url,
        f"{PREFIX}MIGRATION_DATABASE_URL": endpoints.migration_database_url,
        f"{PREFIX}DATA_DIR": str(endpoints.data_dir),
        f"{PREFIX}LISTEN": settings.listen,
        f"{PREFIX}WORKERS": "1",
        f"{PREFIX}EMBEDDING_THREADS": str(
            settings.embedding_threads or max(1, (os.cpu_count() or 1) // settings.workers)
        ),
    }
    if endpoints.redis_url:
        environment[f"{PREFIX}REDIS_URL"] = endpoints.redis_url
    command = [sys.executable, "-m", "recalld_server", "serve"]
    stopping = False

    def launch(place: int) -> subprocess.Popen[bytes]:
        own = {f"{PREFIX}METRICS_LISTEN": _counted_up(settings.metrics_listen, place)}
        return subprocess.Popen(command, env=environment | own)  # noqa: S603

    def stop(*_: object) -> None:
        nonlocal stopping
        stopping = True

    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, stop)
    # the first one migrates and makes the root key, the others find it done
    workers = [launch(place) for place in range(settings.workers)]
    while not stopping:
        for place, worker in enumerate(workers):
            if worker.poll() is not None and not stopping:
                log.warning("a worker ended and is started again", pid=worker.pid, code=worker.returncode)
                time.sleep(RESTART_PAUSE)
                workers[place] = launch(place)
        time.sleep(0.2)
    for worker in workers:
        worker.send_signal(signal.SIGTERM)
    return max(abs(worker.wait()) for worker in workers)


def _counted_up(address: str, place: int) -> str:
    """Where the worker at this place is asked for its figures: each has a port of its own."""
    host, _, port = address.rpartition(":")
    return f"{host}:{int(port) + place}" if port else ""
