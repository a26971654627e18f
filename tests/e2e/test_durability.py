"""What was acknowledged is there after anything was killed."""

import os
import select
import signal
from pathlib import Path

import pytest

from recalld import Client
from recalld_server.demo import process

from .conftest import FAST

pytestmark = pytest.mark.embedded

TEXTS = [f"acknowledged fact {number}: 编号 {number * 7919}" for number in range(30)]


def written(running: process.Running) -> None:
    with Client(running.address, key=running.root_key) as client:
        for text in TEXTS:
            client.write(text)


def all_there(running: process.Running) -> None:
    with Client(running.address, key=running.root_key) as client:
        assert sorted(memory.content for memory in client.list()) == sorted(TEXTS)
        assert client.search(TEXTS[7])[0].content == TEXTS[7]


def test_after_kill_9_of_the_server(tmp_path: Path) -> None:
    data_dir = tmp_path
    with process.serving(data_dir, FAST) as running:
        written(running)
        running.process.kill()
        running.process.wait()
    with process.serving(data_dir, FAST) as again:
        all_there(again)


def test_after_kill_9_of_the_database(tmp_path: Path) -> None:
    data_dir = tmp_path
    with process.serving(data_dir, FAST) as running:
        written(running)
        for pid in _postmasters(data_dir):
            os.kill(pid, signal.SIGKILL)
    with process.serving(data_dir, FAST) as again:
        all_there(again)


def test_sigterm_ends_the_server_and_its_children(tmp_path: Path) -> None:
    data_dir = tmp_path
    with process.serving(data_dir, FAST) as running:
        children = _postmasters(data_dir)
        assert children
        assert process.stop(running.process) == 0
    assert all(_ended(pid) for pid in children)


def _postmasters(data_dir: Path) -> list[int]:
    return [int(path.read_text().split()[0]) for path in data_dir.rglob("postmaster.pid")]


def _ended(pid: int) -> bool:
    """Waits until a process that is no child of ours has ended."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], 20)[0])
    finally:
        os.close(descriptor)
