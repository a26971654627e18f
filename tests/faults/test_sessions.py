"""Whatever is killed between two turns, none is lost and none is there twice."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from recalld import Client, RetryPolicy, errors
from recalld_server.demo import process
from recalld_server.embedded import start_valkey, stop_valkey

pytestmark = pytest.mark.embedded

FAST = {"RECALLD_EMBEDDER": "hash"}
ONCE = RetryPolicy(attempts=1)


def said(running: process.Running, session_id: str = "s") -> list[str]:
    with Client(running.address, key=running.root_key) as client:
        turns = client.session(session_id).get(max_turns=1000).turns
        assert [turn.sequence for turn in turns] == list(range(1, len(turns) + 1))
        return [turn.content for turn in turns]


def test_the_server_is_killed_while_turns_come_in(tmp_path: Path) -> None:
    running = process.start(tmp_path, FAST)
    texts = [f"turn {n}: 第 {n} 句" for n in range(40)]
    kills = iter((5, 6, 17, 30))
    kill_at = next(kills)
    try:
        client = Client(running.address, key=running.root_key, retry=ONCE)
        done = 0
        while done < len(texts):
            if done == kill_at:
                # while the next call is under way, at a moment that the test does not choose
                threading.Timer(0.001 * (done % 4), running.process.send_signal, [signal.SIGKILL]).start()
            try:
                client.session("s").add(texts[done], request_id=f"r-{done}", timeout=5)
            except (errors.Unavailable, errors.DeadlineExceeded):
                client.close()
                running.process.kill()  # where the call only took too long
                running.process.wait()
                running = process.start(tmp_path, FAST)
                client = Client(running.address, key=running.root_key, retry=ONCE)
                kill_at = next(kills, -1) if done >= kill_at else kill_at
            else:
                done += 1
        client.close()
        assert said(running) == texts
    finally:
        process.stop(running.process)


def test_valkey_is_killed_between_turns(tmp_path: Path) -> None:
    running = process.start(tmp_path, FAST)
    try:
        with Client(running.address, key=running.root_key, retry=ONCE) as client:
            session = client.session("s")
            texts: list[str] = []

            def go_on(count: int) -> None:
                for _ in range(count):
                    texts.append(f"turn {len(texts)}: 第 {len(texts)} 句")
                    session.add(texts[-1])
                    assert [turn.content for turn in session.get().turns] == texts

            go_on(3)
            os.kill(start_valkey(tmp_path).pid, signal.SIGKILL)
            go_on(3)
            session.set_variables({"城市": "上海"})
            valkey = start_valkey(tmp_path)
            go_on(3)
            os.kill(valkey.pid, signal.SIGSTOP)
            go_on(3)
            os.kill(valkey.pid, signal.SIGCONT)
            go_on(3)
            assert session.get().session.variables == {"城市": "上海"}
            assert session.end().session.turn_count == len(texts)
    finally:
        process.stop(running.process)
        stop_valkey(tmp_path)


def test_a_look_back_that_was_due_is_due_after_a_crash(tmp_path: Path) -> None:
    with process.serving(tmp_path, FAST) as running, Client(running.address, key=running.root_key) as client:
        reflection_id = client.session("s").add("记住:周五不发版").reflection_id
        assert reflection_id
        running.process.kill()
        running.process.wait()
    with process.serving(tmp_path, FAST) as again, Client(again.address, key=again.root_key) as client:
        ended = client.session("s").end()
        assert ended.reflection_id in ("", reflection_id)  # "": it was begun, and has its turns already
        assert said(again) == ["记住:周五不发版"]
