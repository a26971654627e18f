"""Lock files, sockets and servers that others left."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.faults.embedded.standing import AS_ROOT, QUICK, query, wait_free

from recalld_server.embedded import (
    DataDirectoryError,
    postgres,
    start_postgres,
    start_valkey,
    stop_postgres,
    valkey,
)
from recalld_server.embedded.binaries import find_postgres

pytestmark = pytest.mark.embedded


def run_as_owner(data: Path, *command: str | Path) -> subprocess.Popen[bytes]:
    owner = (data / "postgres").stat()
    options: dict[str, Any] = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []} if AS_ROOT else {}
    return subprocess.Popen(command, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)


def test_a_stale_lock_file_with_the_id_of_a_foreign_process_is_removed(data: Path) -> None:
    first = start_postgres(data, settings=QUICK)
    os.kill(first.pid, signal.SIGKILL)
    wait_free(data / "postgres.lock")
    foreign = run_as_owner(data, "/bin/sleep", "600")
    try:
        for path in (data / "postgres/postmaster.pid", first.socket_dir / ".s.PGSQL.5432.lock"):
            _, rest = path.read_text().split("\n", 1)
            path.write_text(f"{foreign.pid}\n{rest}")
        second = start_postgres(data, settings=QUICK)
        assert not second.adopted
        assert query(second.dsn(), "SELECT 1") == 1
        assert foreign.poll() is None
    finally:
        foreign.kill()
        foreign.wait()


@pytest.mark.parametrize("content", ["", "\n", "不是数字\n", "-1\n", "99999999999999999999\n"])
def test_a_lock_file_that_names_no_process_is_removed(data: Path, content: str) -> None:
    (data / "postgres/postmaster.pid").write_text(content)
    assert query(start_postgres(data, settings=QUICK).dsn(), "SELECT 1") == 1


def test_a_postgres_that_was_started_by_hand_is_neither_adopted_nor_harmed(data: Path) -> None:
    program = find_postgres().bin / "postgres"
    sockets = start_postgres(data, settings=QUICK).socket_dir
    stop_postgres(data)
    by_hand = run_as_owner(
        data, program, "-D", data / "postgres", "-c", "listen_addresses=", "-c", f"unix_socket_directories={sockets}"
    )
    try:
        while postgres.answering(sockets) is None:
            assert by_hand.poll() is None
        with pytest.raises(DataDirectoryError, match=f"process {by_hand.pid}.*Stop it"):
            start_postgres(data)
        assert postgres.answering(sockets) == by_hand.pid
    finally:
        by_hand.send_signal(signal.SIGINT)
        by_hand.wait()


def test_a_stale_socket_of_valkey_is_replaced(empty: Path) -> None:
    first = start_valkey(empty)
    os.kill(first.pid, signal.SIGKILL)
    wait_free(empty / "valkey.lock")
    assert first.socket.exists()
    second = start_valkey(empty)
    assert second.pid != first.pid
    assert valkey.answering(second.socket) == second.pid
