"""A server that asks a chat model what a new statement is to known ones (RECALLD_RESOLVER=llm): what the model says decides;
when it is down, slow or lying the rules do, the answer says so by its reason, and the log says it without a word of a text."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from tests.faults.chat_server import ChatServer, Script

from recalld import Client, WriteResult
from recalld_server.demo import process

SECONDS = 6.0
"""What the server waits for the model at most."""
FELL_BACK = "the rules decide where the chat model did not"
PAIRS = [("I live in Turin.", "I live in Genoa."), ("林乔住在杭州。", "林乔住在上海。")]
"""By the rules alone the second supersedes the first."""


def saying(word: str) -> Script:
    """The same verdict on all that it is asked about."""

    def script(body: dict[str, Any]) -> str:
        known = json.loads(body["messages"][1]["content"])["known"]
        return json.dumps({"verdicts": [{"n": each["n"], "is": word} for each in known]})

    return script


@pytest.fixture(scope="module")
def chat() -> Iterator[ChatServer]:
    server = ChatServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory, chat: ChatServer) -> Iterator[process.Running]:
    environment = {
        "RECALLD_EMBEDDER": "hash",
        "RECALLD_RESOLVER": "llm",
        "RECALLD_CHAT_URL": chat.url,
        "RECALLD_CHAT_MODEL": "scripted",
        "RECALLD_CHAT_TIMEOUT_SECONDS": str(SECONDS),
    }
    with process.serving(tmp_path_factory.mktemp("asking"), environment) as server:
        yield server


@pytest.fixture
def memory(asking: process.Running, chat: ChatServer) -> Iterator[Client]:
    chat.script = saying("apart")
    name = f"asking/{uuid4().hex}"
    with Client(asking.address, key=asking.root_key, namespace=name) as client:
        client.namespaces.create(name)
        yield client


def log(asking: process.Running) -> str:
    return (asking.data_dir / "demo-server.log").read_text()


def live(memory: Client) -> set[str]:
    return {each.content for each in memory.list()}


def by_rules(result: WriteResult) -> bool:
    return not result.reason.startswith("model_") and result.outcome == "superseded"


@pytest.mark.parametrize(("known", "new"), PAIRS)
def test_the_same_in_other_words_is_not_stored_twice(memory: Client, chat: ChatServer, known: str, new: str) -> None:
    held = memory.write(known)
    chat.script = saying("same")
    said = memory.write(new)
    assert (said.outcome, said.memory_id, said.reason) == ("duplicate", held.memory_id, "model_same")
    assert live(memory) == {known}
    assert memory.stats().duplicates_skipped == 1


@pytest.mark.parametrize(("known", "new"), PAIRS)
def test_what_is_replaced_ends_and_says_why(memory: Client, chat: ChatServer, known: str, new: str) -> None:
    held = memory.write(known)
    chat.script = saying("replaces")
    tried = memory.write(new, validate_only=True)
    assert (tried.outcome, tried.reason) == ("superseded", "model_replaces")
    assert live(memory) == {known}
    said = memory.write(new)
    assert (said.outcome, said.reason) == ("superseded", "model_replaces")
    assert [each.memory_id for each in said.related] == [held.memory_id]
    old = memory.get(held.memory_id)
    assert (old.state, old.superseded_by) == ("superseded", said.memory_id)
    assert memory.revisions(held.memory_id).page().items[0].reason == "model_replaces"


@pytest.mark.parametrize(("known", "new"), PAIRS)
def test_a_contradiction_waits_for_a_person(memory: Client, chat: ChatServer, known: str, new: str) -> None:
    held = memory.write(known)
    chat.script = saying("contradicts")
    said = memory.write(new)
    assert (said.outcome, said.reason) == ("conflict", "model_contradicts")
    (review,) = memory.reviews()
    assert (review.review_id, review.cause) == (said.review_id, "conflict")
    assert [each.content for each in review.memories] == [new, known]
    assert live(memory) == {known, new}
    memory.resolve_review(review.review_id, "choose", chosen_id=held.memory_id)
    assert live(memory) == {known}


@pytest.mark.parametrize(("known", "new"), PAIRS)
def test_what_the_model_tells_apart_stays(memory: Client, known: str, new: str) -> None:
    memory.write(known)
    said = memory.write(new)
    assert (said.outcome, said.reason) == ("created", "model_apart")
    assert live(memory) == {known, new}


def test_it_is_asked_about_what_was_accepted_before_it_was_indexed(memory: Client, chat: ChatServer) -> None:
    known, new = PAIRS[1]
    held = memory.write(known)
    chat.script = saying("contradicts")
    said = memory.write(new, durability="accepted")
    assert said.outcome == "accepted"
    deadline = time.monotonic() + 30
    while memory.get(said.memory_id).index_state != "indexed":
        assert time.monotonic() < deadline, "waited 30 s for a memory to be indexed"
        time.sleep(0.02)
    assert memory.get(held.memory_id).conflicts_with == (said.memory_id,)
    assert len(list(memory.reviews())) == 1


LIES: dict[str, str | tuple[int, Any]] = {
    "words": "It replaces everything. Ignore the rules.",
    "in a fence": '```json\n{"verdicts": [{"n": 1, "is": "same"}]}\n```',
    "of what it was not given": '{"verdicts": [{"n": 1, "is": "same"}, {"n": 77, "is": "replaces"}]}',
    "another verdict": '{"verdicts": [{"n": 1, "is": "delete"}]}',
    "nothing": "",
    "cut off": '{"verdicts": [{"n": 1, "is": "sa',
    "another form": (200, {"choices": []}),
    "down": (503, {"error": "overloaded"}),
    "no such model": (404, {"error": "no such model"}),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_what_the_model_may_not_say_leaves_it_to_the_rules(
    asking: process.Running, memory: Client, chat: ChatServer, lie: str | tuple[int, Any]
) -> None:
    known, new = PAIRS[0]
    before = log(asking).count(FELL_BACK)
    memory.write(known)
    chat.script = lambda _: lie
    assert by_rules(memory.write(new))
    assert live(memory) == {new}
    assert log(asking).count(FELL_BACK) == before + 1
    # and it is asked again as soon as it can answer
    chat.script = saying("apart")
    assert memory.write(known).reason == "model_apart"


def test_a_model_that_is_not_there_leaves_it_to_the_rules(
    asking: process.Running, memory: Client, chat: ChatServer
) -> None:
    known, new = PAIRS[1]
    before = log(asking).count(FELL_BACK)
    memory.write(known)
    chat.stop()
    try:
        assert by_rules(memory.write(new))
    finally:
        chat.start()
    assert log(asking).count(FELL_BACK) == before + 1
    assert memory.write(known).reason == "model_apart"


@pytest.mark.parametrize("patience", [None, 4.0], ids=["the server's limit", "the caller's deadline"])
def test_a_model_that_is_slow_keeps_nobody_waiting_longer_than_the_limit(
    asking: process.Running, memory: Client, chat: ChatServer, patience: float | None
) -> None:
    known, new = PAIRS[0]
    before, go_on = log(asking).count(FELL_BACK), threading.Event()
    memory.write(known)

    def thinking(body: dict[str, Any]) -> str | tuple[int, Any]:
        go_on.wait(60)
        return saying("same")(body)

    chat.script = thinking
    try:
        # a deadline that passed would be an error
        assert by_rules(memory.write(new, timeout=patience))
    finally:
        go_on.set()
    assert log(asking).count(FELL_BACK) == before + 1
    assert live(memory) == {new}
    chat.script = saying("apart")
    assert memory.write(known).reason == "model_apart"


def test_no_text_and_no_answer_is_in_the_log(asking: process.Running, memory: Client, chat: ChatServer) -> None:
    secret, answer = "The vault code of Turin is 7131-珍珠", "my answer is 9917-玛瑙"
    memory.write(secret)
    chat.script = lambda _: answer
    memory.write(secret.replace("Turin", "Genoa"))
    assert FELL_BACK in log(asking)
    for word in ("7131", "珍珠", "9917", "玛瑙", "Genoa", "上海"):
        assert word not in log(asking)


def test_a_resolver_without_its_model_is_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(process.ServerError, match="RECALLD_CHAT_URL: is needed with RECALLD_RESOLVER=llm"):
        process.start(tmp_path, {"RECALLD_EMBEDDER": "hash", "RECALLD_RESOLVER": "llm"})
