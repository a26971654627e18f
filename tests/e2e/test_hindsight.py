"""Looking back with a chat model, on a server that is killed, and what a session leaves behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.faults.chat_server import ChatServer, answer, insight

from recalld import Client, TurnInput
from recalld_server.demo import process

WITHOUT = "Otherwise the knee would have hurt."


@pytest.fixture
def chat() -> Iterator[ChatServer]:
    server = ChatServer()
    server.start()
    yield server
    server.stop()


def environment(chat: ChatServer) -> dict[str, str]:
    return {"RECALLD_EMBEDDER": "hash", "RECALLD_CHAT_URL": chat.url, "RECALLD_CHAT_MODEL": "scripted"}


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_server_that_is_killed_while_it_looks_back_does_so_once(tmp_path: Path, chat: ChatServer) -> None:
    held = threading.Event()

    def script(_: dict[str, Any]) -> str:
        held.wait(60)
        return answer(insight("I want aisle seats.", counterfactual=WITHOUT))

    chat.script = script
    first = process.start(tmp_path, environment(chat))
    try:
        with Client(first.address, key=first.root_key, namespace="trips") as client:
            client.namespaces.create("trips")
            client.session("s").add_turns([TurnInput("I want aisle seats, my knee hurts.")])
            reflection_id = client.session("s").end().reflection_id
            until(lambda: len(chat.asked) == 1)
        first.process.kill()
        first.process.wait(20)
    finally:
        process.stop(first.process)
        held.set()
    with (
        process.serving(tmp_path, environment(chat)) as second,
        Client(second.address, key=second.root_key, namespace="trips") as client,
    ):
        done = client.reflection(reflection_id).wait(timeout=90)
        assert (done.state, done.counts["created"], done.counts["read"]) == ("succeeded", 1, 1)
        assert len(chat.asked) == 2
        [memory] = client.list()
        assert memory.counterfactual == done.insights[0].counterfactual == WITHOUT
        assert memory.source_ids == done.insights[0].source_ids
        assert client.stats().model_tokens == 100
        plain, told = (client.context("which seat?", include_counterfactuals=each).text for each in (False, True))
        assert WITHOUT in told
        assert WITHOUT not in plain
        again = client.reflect(session_id="s").wait(timeout=30)
        assert (again.insights, len(chat.asked)) == ((), 2)


@pytest.fixture
def running(tmp_path: Path, chat: ChatServer) -> Iterator[process.Running]:
    with process.serving(tmp_path, environment(chat)) as server:
        yield server


@pytest.fixture
def client(running: process.Running) -> Iterator[Client]:
    with Client(running.address, key=running.root_key, namespace="trips") as client:
        client.namespaces.create("trips")
        yield client


def test_nothing_to_keep_a_model_that_fails_and_something_to_keep_look_different(
    client: Client, chat: ChatServer
) -> None:
    client.session("talk").add_turns([TurnInput("hello"), TurnInput("好的，谢谢")])
    client.session("seat").add_turns([TurnInput("I want aisle seats."), TurnInput("我对花生过敏。")])
    talk = client.reflect(session_id="talk").wait(timeout=60)
    assert (talk.state, talk.counts["created"], talk.error, chat.asked) == ("succeeded", 0, "", [])
    chat.replies("no idea, sorry")
    unread = client.reflect(session_id="seat").wait(timeout=60)
    assert (unread.state, unread.counts["failed"], unread.counts["created"]) == ("failed", 2, 0)
    assert "could not be used" in unread.error
    chat.script = lambda _: (500, {"error": "I want aisle seats."})
    broken = client.reflect(session_id="seat").wait(timeout=60)
    assert (broken.state, broken.error) == ("failed", "the model answered with HTTP 500")
    assert client.stats().total == 0
    chat.replies(answer(insight("I want aisle seats.", "s1"), insight("我对花生过敏。", "s2", category="fact")))
    until(lambda: client.reflect(session_id="seat").wait(timeout=60).state == "succeeded")
    assert {memory.content for memory in client.list()} == {"I want aisle seats.", "我对花生过敏。"}
    asked = len(chat.asked)
    assert client.reflect(session_id="seat").wait(timeout=60).skipped["already_reflected"] == 2
    assert len(chat.asked) == asked


def test_who_stops_following_can_go_on_later_and_elsewhere(
    running: process.Running, client: Client, chat: ChatServer
) -> None:
    held = threading.Event()

    def script(_: dict[str, Any]) -> str:
        held.wait(60)
        return answer(insight("我要靠过道的座位"))

    chat.script = script
    client.session("s").add_turns([TurnInput("我要靠过道的座位")])
    handle = client.reflect(session_id="s")
    until(lambda: len(chat.asked) == 1)
    assert next(handle.progress(timeout=30)).state == "running"
    with Client(running.address, key=running.root_key, namespace="trips") as other:
        states = []
        for each in other.reflection(handle.reflection_id).progress(timeout=30):
            states.append(each.state)
            held.set()
    assert (states[0], states[-1]) == ("running", "succeeded")
    assert [each.state for each in handle.progress(timeout=30)] == ["succeeded"]
    assert len(chat.asked) == 1


def test_a_reflection_that_is_cancelled_while_the_model_thinks_stores_nothing(client: Client, chat: ChatServer) -> None:
    held = threading.Event()

    def script(_: dict[str, Any]) -> str:
        held.wait(60)
        return answer(insight("I want aisle seats."))

    chat.script = script
    client.session("s").add_turns([TurnInput("I want aisle seats.")])
    handle = client.reflect(session_id="s")
    until(lambda: len(chat.asked) == 1)
    assert handle.get().state == "running"
    assert handle.cancel().state == "cancelled"
    held.set()
    assert [each.state for each in handle.progress(timeout=30)] == ["cancelled"]
    assert client.stats().total == 0
