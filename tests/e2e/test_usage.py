"""What was of use: searches are recorded, hits are marked, and Stats tells."""

import subprocess
import sys
import time
from collections.abc import Callable
from uuid import uuid4

import pytest

from recalld import Client, errors
from recalld_server.demo.process import Running


def until(condition: Callable[[], bool]) -> None:
    """Waits until another process has done its part."""
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("hit", "other", "query"),
    [
        ("Lin drinks oolong tea", "the backup runs on Sundays", "which tea does Lin drink?"),
        ("林乔喝乌龙茶", "每周日做备份", "林乔喝什么茶"),
    ],
)
def test_a_hit_that_was_of_use_counts_once(root: Client, hit: str, other: str, query: str) -> None:
    used, unused = root.write(hit).memory_id, root.write(other).memory_id
    assert used is not None
    assert unused is not None
    found = root.search(query, top_k=1)
    assert [each.memory_id for each in found] == [used]
    assert root.mark_used(found.search_id, [used, unused, str(uuid4())]) == 1
    assert root.mark_used(found.search_id, used) == 1
    assert (root.get(used).use_count, root.get(unused).use_count) == (1, 0)
    assert root.get(used).last_use_time is not None
    stats = root.stats()
    assert (stats.searches, stats.hit_rate, stats.never_found) == (1, 1.0, 1)
    assert stats.search_p50_milliseconds > 0
    assert sum(day.searches for day in stats.days) == 1


def test_a_search_that_helped_nobody_lowers_the_hit_rate(root: Client) -> None:
    memory_id = root.write("王师傅保管门禁密码 Omar keeps the door code").memory_id
    assert memory_id is not None
    for query in ("门禁密码", "door code"):
        found = root.search(query)
    root.mark_used(found.search_id, memory_id)
    stats = root.stats()
    assert (stats.searches, stats.hit_rate, stats.never_found) == (2, 0.5, 0)


def test_a_context_is_one_search_and_its_memories_can_be_marked(root: Client) -> None:
    memory_id = root.write("林乔对青霉素过敏。").memory_id
    assert memory_id is not None
    context = root.context("林乔过敏")
    assert root.mark_used(context.search_id, memory_id) == 1
    assert root.stats().searches == 1


def test_a_mark_is_handled_once_by_its_request_id(root: Client) -> None:
    memory_id = root.write("周五不开会 no meetings on Friday").memory_id
    assert memory_id is not None
    search_id = root.search("周五开会").search_id
    assert root.mark_used(search_id, memory_id, request_id="m1") == 1
    assert root.mark_used(search_id, memory_id, request_id="m1") == 1
    with pytest.raises(errors.FailedPrecondition):
        root.mark_used(search_id, str(uuid4()), request_id="m1")


def test_nobody_marks_the_search_of_another(running: Running, root: Client) -> None:
    memory_id = root.write("共享的事 a shared fact").memory_id
    assert memory_id is not None
    found = root.search("shared fact 共享")
    space = root.get(memory_id).namespace
    key = root.keys.create("other", "admin", namespaces=[space]).secret
    with Client(running.address, key=key, namespace=space) as other:
        for search_id in (found.search_id, str(uuid4())):
            with pytest.raises(errors.NotFound) as caught:
                other.mark_used(search_id, memory_id)
            assert caught.value.reason == "RESOURCE_NOT_FOUND"
        assert other.stats().searches == 1, "how often a namespace is searched is no secret in it"
    assert root.get(memory_id).use_count == 0


def test_duplicates_are_counted(root: Client) -> None:
    for text in ("重复的话", "重复的话", "said again", "Said again.", "once"):
        root.write(text)
    assert root.stats().duplicates_skipped == 2


@pytest.mark.parametrize("text", ["The parcel arrives on Monday", "包裹周一到"])
def test_an_accepted_write_is_found_by_meaning_soon(root: Client, text: str) -> None:
    written = root.write(text, durability="accepted")
    assert (written.outcome.name, written.index_state.name) == ("ACCEPTED", "PENDING")
    assert written.memory_id is not None
    until(lambda: root.get(written.memory_id or "").index_state.name == "INDEXED")
    assert root.stats().queue_depth == 0


def test_reindexing_says_what_it_did(running: Running) -> None:
    command = [sys.executable, "-m", "recalld_server", "reindex", "--data-dir", str(running.data_dir)]
    done = subprocess.run([*command, "--failed"], check=True, capture_output=True, text=True)
    assert done.stdout == "0 memories wait to be indexed again\n"
    refused = subprocess.run(command, check=False, capture_output=True, text=True)
    assert refused.returncode == 1
    assert "--failed" in refused.stderr
