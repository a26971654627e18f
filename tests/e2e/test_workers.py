"""`--workers N`: several processes on one port, which are one server to whoever calls and to whoever looks after it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recalld import Client, RetryPolicy
from recalld_server.demo import process

WORKERS = 2
TEXT = "the umbrella stands by the door 雨伞在门边"


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data directory that the database's account can reach."""
    path = Path(tempfile.mkdtemp(prefix="recalld-workers-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def until(condition: Callable[[], object], what: str, seconds: float = 90.0) -> None:
    """Returns when it holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s in vain: {what}"
        time.sleep(0.05)


def children(pid: int) -> list[int]:
    """The workers of a server."""
    found = [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [each for each in found if b"recalld_server.worker" in command_of(each)]


def command_of(pid: int) -> bytes:
    """Nothing when it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):  # ended before it was opened, or after
        return True


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return b"recalld_breaker_open" in answer.read()
    except OSError:
        return False


def patient(running: process.Running) -> Client:
    return Client(running.address, key=running.root_key, retry=RetryPolicy(attempts=20, maximum=0.5))


def test_they_serve_together_and_one_that_dies_is_replaced(folder: Path) -> None:
    port = process.free_port()
    environment = {"RECALLD_EMBEDDER": "hash", "RECALLD_METRICS_LISTEN": str(port), "RECALLD_LOG_FORMAT": "json"}
    with process.serving(folder, environment, workers=WORKERS) as running:
        until(lambda: len(children(running.process.pid)) == WORKERS, "both workers run")
        for place in range(WORKERS):
            until(lambda place=place: answers(f"http://127.0.0.1:{port + place}/metrics"), "each exports its figures")  # type: ignore[misc]
        with patient(running) as client:
            client.write(TEXT)
        victim = children(running.process.pid)[0]
        os.kill(victim, signal.SIGKILL)
        # new connections reach the other one, or the one that takes its place
        for _ in range(8):
            with patient(running) as client:
                assert client.search("雨伞 umbrella")[0].content == TEXT
        until(lambda: len(set(children(running.process.pid)) - {victim}) == WORKERS, "another takes its place")
        workers = children(running.process.pid)
        assert process.stop(running.process) == 0
        assert all(map(gone, workers))


def test_they_end_when_the_one_that_started_them_is_killed(folder: Path) -> None:
    with process.serving(folder, {"RECALLD_EMBEDDER": "hash"}, workers=WORKERS) as running:
        until(lambda: len(children(running.process.pid)) == WORKERS, "both workers run")
        workers = children(running.process.pid)
        running.process.kill()
        until(lambda: all(map(gone, workers)), "the workers end")
    # and another one starts in their place
    with process.serving(folder, {"RECALLD_EMBEDDER": "hash"}, workers=WORKERS) as running, patient(running) as client:
        client.write(TEXT)


def test_secrets_reach_them_from_files(folder: Path, database: str) -> None:
    (folder / "url").write_text(f"{database}\n")
    environment = {"RECALLD_EMBEDDER": "hash", "RECALLD_DATABASE_URL_FILE": str(folder / "url")}
    with process.serving(folder, environment, workers=WORKERS) as running, patient(running) as client:
        client.write(TEXT)
        for worker in children(running.process.pid):
            assert database.encode() not in Path(f"/proc/{worker}/cmdline").read_bytes()


def test_what_keeps_them_from_starting_is_said_once_and_ends_it(folder: Path, database: str) -> None:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RECALLD_")}
    command = [sys.executable, "-m", "recalld_server", "serve", "--data-dir", str(folder), "--workers", str(WORKERS)]
    command += ["--listen", f"127.0.0.1:{process.free_port()}"]
    environment = {"RECALLD_DATABASE_URL": database, "RECALLD_EMBEDDER": "hash", "RECALLD_TLS_CERT_FILE": "/not/there"}
    ended = subprocess.run(
        command,
        env=inherited | environment | {"RECALLD_TLS_KEY_FILE": "/not/there"},
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert ended.returncode == 1
    assert [line for line in ended.stderr.splitlines() if line.startswith("recalld: ")] == [
        "recalld: cannot read /not/there (No such file or directory)"
    ]
    assert "Traceback" not in ended.stderr
