"""Several processes and threads share one data directory."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.faults.embedded.standing import QUICK, peer, query

from recalld_server.embedded import (
    start_postgres,
    start_valkey,
    stop_postgres,
)

pytestmark = pytest.mark.embedded


def test_threads_that_start_at_once_share_one_server(data: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        handles = list(pool.map(lambda _: start_postgres(data, settings=QUICK), range(4)))
        caches = list(pool.map(lambda _: start_valkey(data), range(4)))
    assert len(set(handles)) == 1
    assert len(set(caches)) == 1
    assert query(handles[0].dsn(), "SELECT 1") == 1


def test_processes_that_start_at_once_on_nothing_share_one_server(empty: Path) -> None:
    with peer(empty) as one, peer(empty) as two:
        one.ask()
        two.ask()
        answers = [one.answer(), two.answer()]
        for name in ("postgres", "valkey"):
            assert answers[0][name]["pid"] == answers[1][name]["pid"]
            assert sorted(answer[name]["adopted"] for answer in answers) == [False, True]


def test_one_that_adopted_leaves_the_server_to_the_one_that_started_it(data: Path) -> None:
    with peer(data) as one, peer(data) as two:
        mine = one.start()
        theirs = two.start()
        assert theirs["postgres"] == {**mine["postgres"], "adopted": True}
        two.leave()
        assert one.start() == mine
        assert query(mine["postgres"]["at"], "SELECT '还在'") == "还在"


def test_a_forked_worker_leaves_the_server_to_its_parent(data: Path) -> None:
    mine = start_postgres(data, settings=QUICK)
    worker = os.fork()
    if worker == 0:
        code = 1
        try:
            stop_postgres(data)
            found = start_postgres(data)
            code = 0 if found.adopted and found.pid == mine.pid else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) == 0
    assert start_postgres(data) == mine


def test_when_the_one_that_started_it_leaves_another_starts_it_again(data: Path) -> None:
    with peer(data) as one, peer(data) as two:
        query(one.start()["postgres"]["at"], "CREATE TABLE kept AS SELECT '上海' AS city", "SELECT 1")
        before = two.start()
        one.leave()
        after = two.start()
    for name in ("postgres", "valkey"):
        assert not after[name]["adopted"]
        assert after[name]["pid"] != before[name]["pid"]
