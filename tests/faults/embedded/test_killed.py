"""The embedded servers, or what started them, are killed."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import closing
from pathlib import Path

import pytest
from tests.faults.embedded.standing import QUICK, client, peer, query, wait_end

from recalld_server.embedded import (
    DataDirectoryError,
    PostgresHandle,
    start_postgres,
    start_valkey,
)

pytestmark = pytest.mark.embedded


def test_a_killed_server_is_started_again_with_all_that_was_committed(data: Path) -> None:
    first, cache = start_postgres(data, settings=QUICK), start_valkey(data)
    query(first.dsn(), "CREATE TABLE kept AS SELECT '搬到上海 moved' AS content", "SELECT 1")
    for pid in (first.pid, cache.pid):
        os.kill(pid, signal.SIGKILL)

    second, again = start_postgres(data, settings=QUICK), start_valkey(data)

    assert not second.adopted
    assert {first.pid, cache.pid}.isdisjoint({second.pid, again.pid})
    assert query(second.dsn(), "SELECT content FROM kept") == "搬到上海 moved"
    with closing(client(again)) as open_cache:
        assert open_cache.ping()


def test_servers_end_with_a_killed_parent_and_another_starts_them_again(data: Path) -> None:
    with peer(data) as one, peer(data) as two:
        mine = one.start()
        query(mine["postgres"]["at"], "CREATE TABLE kept AS SELECT '花生' AS allergy", "SELECT 1")
        assert two.start()["postgres"]["adopted"]

        one.kill()
        for name in ("postgres", "valkey"):
            wait_end(mine[name]["pid"])

        again = two.start()
        assert [again[name]["adopted"] for name in ("postgres", "valkey")] == [False, False]
        assert query(again["postgres"]["at"], "SELECT allergy FROM kept") == "花生"


def test_a_start_right_after_the_parent_was_killed_waits_for_the_old_server(data: Path) -> None:
    with peer(data) as one:
        mine = one.start()
        one.kill()
        handle = start_postgres(data, settings=QUICK)
        assert handle.pid != mine["postgres"]["pid"] or handle.adopted
        # An old server that was adopted in its last moment ends; then the next call starts one.
        wait_end(mine["postgres"]["pid"])
        assert query(start_postgres(data, settings=QUICK).dsn(), "SELECT 1") == 1


def test_a_server_outlives_the_thread_that_started_it(data: Path) -> None:
    started: list[PostgresHandle] = []
    thread = threading.Thread(target=lambda: started.append(start_postgres(data, settings=QUICK)))
    thread.start()
    task = Path("/proc/self/task", str(thread.native_id))
    thread.join()
    while task.exists():
        os.sched_yield()
    assert query(started[0].dsn(), "SELECT 1") == 1
    assert start_postgres(data) == started[0]


def test_an_initdb_whose_parent_was_killed_is_made_anew(empty: Path) -> None:
    with peer(empty) as one:
        one.ask()
        begun = empty / "postgres.unfinished/PG_VERSION"
        while not begun.exists():
            assert one.process.poll() is None
        one.kill()
        assert not (empty / "postgres").exists()
    handle = start_postgres(empty, settings=QUICK)
    assert not handle.adopted
    assert query(handle.dsn(), "SELECT '好'") == "好"
    assert not (empty / "postgres.unfinished").exists()


def test_leftovers_of_an_unfinished_cluster_are_made_anew(empty: Path) -> None:
    unfinished = empty / "postgres.unfinished"
    (unfinished / "base").mkdir(parents=True)
    (unfinished / "PG_VERSION").write_text("18\n")
    assert query(start_postgres(empty, settings=QUICK).dsn(), "SELECT 1") == 1


def test_what_is_no_cluster_is_refused_and_left_alone(empty: Path) -> None:
    (empty / "postgres").mkdir()
    (empty / "postgres/日记.txt").write_text("mine")
    with pytest.raises(DataDirectoryError, match="not empty and not a PostgreSQL cluster"):
        start_postgres(empty)
    assert (empty / "postgres/日记.txt").read_text() == "mine"


def test_a_cluster_of_another_major_is_refused_with_both_versions(data: Path) -> None:
    (data / "postgres/PG_VERSION").write_text("17\n")
    with pytest.raises(DataDirectoryError, match=r"PostgreSQL 17 and the binaries are 18"):
        start_postgres(data)
