"""Several processes on one port: each is a whole server of its own, the kernel shares the connections out (SO_REUSEPORT).

The first one migrates, makes the root key and finds out whether the settings can be; the others start when it serves.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass

import structlog

from recalld_server import notify
from recalld_server.app import Endpoints
from recalld_server.settings import PREFIX, Settings

log = structlog.get_logger(__name__)

LOOK_SECONDS = 0.2
RESTART_PAUSE, LONGEST_PAUSE = 1.0, 30.0
"""Seconds before a worker that ended by itself is started again; twice as long each time, until it serves."""
LAST_SECONDS = 20.0
"""What a worker may take to end beyond its drain and its grace, before it is killed."""


def run_workers(settings: Settings, endpoints: Endpoints) -> int:
    """Runs `settings.workers` servers until SIGTERM or SIGINT; starts one that ends by itself again. Returns an exit code:
    that of the first worker when it cannot start, whose own line says why."""
    group = _Group(settings, endpoints)
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, group.stop)
    return group.run()


@dataclass(slots=True)
class _Worker:
    process: subprocess.Popen[bytes]
    ears: socket.socket
    """Where it says that it serves."""
    ready: bool = False
    pause: float = RESTART_PAUSE
    again_at: float | None = None
    """When it is started again; None: it runs."""


class _Group:
    def __init__(self, settings: Settings, endpoints: Endpoints) -> None:
        self._settings = settings
        self._environment = _environment(settings, endpoints)
        self._workers: list[_Worker] = []
        self._stopping = False

    def stop(self, *_: object) -> None:
        """A signal's handler."""
        self._stopping = True

    def run(self) -> int:
        self._workers.append(self._launch(0))
        first = self._workers[0]
        while not self._stopping and not self._hears(first):
            if first.process.poll() is not None:
                return first.process.returncode
            time.sleep(LOOK_SECONDS)
        if not self._stopping:
            self._workers += [self._launch(place) for place in range(1, self._settings.workers)]
            notify.tell(notify.READY)
        while not self._stopping:
            for place in range(len(self._workers)):
                self._look_after(place)
            time.sleep(LOOK_SECONDS)
        return self._end()

    def _look_after(self, place: int) -> None:
        worker = self._workers[place]
        if worker.again_at is None and worker.process.poll() is not None:
            log.warning("a worker ended and is started again", pid=worker.process.pid, code=worker.process.returncode)
            worker.again_at = time.monotonic() + worker.pause
        elif worker.again_at is not None and worker.again_at <= time.monotonic():
            worker.ears.close()
            self._workers[place] = self._launch(place)
            self._workers[place].pause = min(2 * worker.pause, LONGEST_PAUSE)
        elif self._hears(worker):
            worker.pause = RESTART_PAUSE

    def _hears(self, worker: _Worker) -> bool:
        """Whether it serves, or has served."""
        with suppress(BlockingIOError):
            while message := worker.ears.recv(256):
                worker.ready |= notify.READY.encode() in message
        return worker.ready

    def _launch(self, place: int) -> _Worker:
        name = f"recalld-{os.getpid()}-{secrets.token_hex(8)}"
        ears = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        ears.bind(f"\0{name}")
        own = {
            notify.VARIABLE: f"@{name}",
            f"{PREFIX}METRICS_LISTEN": _counted_up(self._settings.metrics_listen, place),
        }
        command = [sys.executable, "-m", "recalld_server.worker", str(os.getpid())]
        return _Worker(subprocess.Popen(command, env=self._environment | own), ears)  # noqa: S603 - our own program

    def _end(self) -> int:
        notify.tell(notify.STOPPING)
        for worker in self._workers:
            worker.process.send_signal(signal.SIGTERM)
        end = time.monotonic() + self._settings.drain_seconds + self._settings.grace_seconds + LAST_SECONDS
        for worker in self._workers:
            try:
                worker.process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                log.warning("a worker did not end and is killed", pid=worker.process.pid)
                worker.process.kill()
                worker.process.wait()
        # one that had ended before it was told to, or was told before it could listen, is no failure of the stop
        codes = [each.process.returncode for each in self._workers if each.again_at is None]
        return max((abs(code) for code in codes if code != -signal.SIGTERM), default=0)


def _environment(settings: Settings, endpoints: Endpoints) -> dict[str, str]:
    """What every worker is given: what the command line and the embedded servers add, and what was read from files."""
    environment = dict(os.environ)
    for name in ("DATABASE_URL_FILE", "MIGRATION_DATABASE_URL_FILE", "REDIS_URL_FILE"):
        environment.pop(f"{PREFIX}{name}", None)
    threads = settings.embedding_threads or max(1, (os.cpu_count() or 1) // settings.workers)
    environment |= {
        f"{PREFIX}DATABASE_URL": endpoints.database_url,
        f"{PREFIX}MIGRATION_DATABASE_URL": endpoints.migration_database_url,
        f"{PREFIX}DATA_DIR": str(endpoints.data_dir),
        f"{PREFIX}LISTEN": settings.listen,
        f"{PREFIX}WORKERS": str(settings.workers),
        f"{PREFIX}EMBEDDING_THREADS": str(threads),
    }
    if endpoints.redis_url:
        environment[f"{PREFIX}REDIS_URL"] = endpoints.redis_url
    return environment


def _counted_up(address: str, place: int) -> str:
    """Where the worker at this place is asked for its figures: each has a port of its own."""
    host, _, port = address.rpartition(":")
    return f"{host}:{int(port) + place}" if port else ""
