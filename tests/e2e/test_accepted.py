"""What was accepted is indexed, also by the next server when the first one was killed."""

import time
from pathlib import Path

import pytest

from recalld import Client
from recalld_server.demo import process

from .conftest import FAST

pytestmark = pytest.mark.embedded

COUNT = 300


def test_after_kill_9_in_the_middle_of_indexing(tmp_path: Path) -> None:
    texts = [f"accepted fact {number * 7919}: 已接受 {number * 104729}" for number in range(COUNT)]
    with process.serving(tmp_path, FAST) as running, Client(running.address, key=running.root_key) as client:
        batch = client.write_batch(texts, durability="accepted")
        ids = {item.result.memory_id for item in batch if item.result}
        assert client.stats().queue_depth > 0
        running.process.kill()
        running.process.wait()
    with process.serving(tmp_path, FAST) as again, Client(again.address, key=again.root_key) as client:
        deadline = time.monotonic() + 90
        while client.stats().queue_depth:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        memories = list(client.list(index_states=["indexed"], states=["active", "superseded"]))
        assert {memory.memory_id for memory in memories} == ids
        assert client.stats().dead_jobs == 0
