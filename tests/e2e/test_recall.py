"""`recall` beside a real server: what it prints, and how it ends."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from recalld import Client, Policy
from recalld_server.demo.process import Running


def recall(running: Running, namespace: str, *arguments: str, status: int = 0, **options: Any) -> str:
    """Both outputs of a command that ends with this status."""
    done: subprocess.CompletedProcess[str] = subprocess.run(
        [sys.executable, "-m", "recalld", *arguments],
        env={
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "RECALLD_ADDR": running.address,
            "RECALLD_KEY": running.root_key,
            "RECALLD_NAMESPACE": namespace,
            "LANG": "C.UTF-8",
            "COLUMNS": "200",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        **options,
    )
    assert done.returncode == status, done.stdout
    return done.stdout


@contextmanager
def typing(keys: bytes) -> Iterator[int]:
    """A terminal at which someone types this."""
    person, terminal = pty.openpty()
    try:
        os.write(person, keys)
        yield terminal
    finally:
        os.close(person)
        os.close(terminal)


@pytest.mark.parametrize("said", ["I prefer window seats.", "我对花生过敏，请别放。"])
def test_a_session_is_looked_back_on(running: Running, root: Client, said: str) -> None:
    # what sounds like a wish is looked back on by itself a few seconds later, which may be before the command begins
    root.namespaces.update(root.name, policy=Policy(reflect_every_turns=0))
    root.session("trip").add(said)
    shown = recall(running, root.name, "reflect", "--on-session", "trip")
    assert said in shown
    assert "succeeded" in shown
    assert [memory.content for memory in root.list()] == [said]


def test_a_person_decides_at_the_terminal(running: Running, root: Client) -> None:
    root.write("接口限流是每分钟100次。")
    assert root.write("接口限流好像是每分钟60次。").outcome == "conflict"
    with typing(b"x\nc\n3\n2\n") as terminal:
        shown = recall(running, root.name, "review", stdin=terminal)
    assert "That was all." in shown
    assert [memory.content for memory in root.list()] == ["接口限流是每分钟100次。"]


def test_a_grant_is_made_listed_revoked_and_written_down(running: Running, root: Client) -> None:
    grant_id = recall(running, root.name, "grants", "create", root.name, "reader", "--agent", "planner").strip()
    assert "agent planner" in recall(running, root.name, "grants", "list", root.name)
    recall(running, root.name, "grants", "revoke", root.name, grant_id)
    assert "agent planner" not in recall(running, root.name, "grants", "list", root.name)
    assert "RevokeGrant" in recall(running, root.name, "audit", "--in", root.name)


def test_what_went_wrong_is_told_by_the_exit_code(running: Running, root: Client) -> None:
    there = root.write("Falcon is deployed on Fridays.").memory_id
    assert there is not None
    absent = "01890a5d-ac96-774b-bcce-b302099a8057"
    recall(running, root.name, "show", there)
    recall(running, root.name, "show", absent, status=4)
    recall(running, "no/such", "stats", status=4)
    recall(running, root.name, "show", "nope", status=2)
    recall(running, root.name, "namespaces", "create", root.name, status=5)
    recall(running, root.name, "forget", there, status=2, stdin=subprocess.DEVNULL)
    with typing(b"n\n") as terminal:
        recall(running, root.name, "forget", there, status=1, stdin=terminal)
    assert root.get(there).state == "active"
