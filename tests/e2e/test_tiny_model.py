"""The paths that ask a chat model, with a real one that is far too small for them. It is the plumbing that is tested: whatever
the model says, good or bad, each step ends in time, says which it was, and loses nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from tests.e2e import tiny_model

from recalld import Client, Reflection, TurnInput
from recalld_server.demo import process

WEIGHTS = tiny_model.weights()
SAID = {
    "en": ["Hello!", "I prefer window seats and I am allergic to nuts.", "From now on, send the report before 9."],
    "zh": ["你好！", "我对花生过敏，喜欢靠窗的座位。", "以后周报都用中文写。"],
}
SECONDS = 120
"""For a reflection, which may be tried three times."""
FAILURES = (
    "the model's answer could not be used: ",
    "the budget is spent: ",
    "the model did not answer in time",
    "the model has failed repeatedly",
)
"""How a reflection may say that it failed."""

pytestmark = pytest.mark.skipif(WEIGHTS is None, reason=f"the tiny chat model is not installed: {tiny_model.HOW}")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    assert WEIGHTS is not None
    with tiny_model.serving(WEIGHTS) as url:
        yield url


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory, url: str) -> Iterator[process.Running]:
    environment = {
        "RECALLD_EMBEDDER": "hash",
        "RECALLD_RESOLVER": "llm",
        "RECALLD_CHAT_URL": url,
        "RECALLD_CHAT_MODEL": "smollm2",
        "RECALLD_CHAT_RUN_CALLS": "2",
        "RECALLD_CHAT_RUN_SECONDS": "60",
        "RECALLD_CHAT_TIMEOUT_SECONDS": "60",
    }
    with process.serving(tmp_path_factory.mktemp("tiny"), environment) as server:
        yield server


@pytest.fixture
def memory(asking: process.Running) -> Iterator[Client]:
    name = f"tiny/{uuid4().hex}"
    with Client(asking.address, key=asking.root_key, namespace=name) as client:
        client.namespaces.create(name)
        yield client


def check(memory: Client, done: Reflection, turns: list[str]) -> None:
    """It ended in one of the ways that there are, and what is told of it is so."""
    ids = {turn.turn_id for turn in memory.session("s").get().turns}
    assert done.counts["read"] == len(turns) == len(ids)
    for insight in done.insights:
        assert insight.content.strip()
        assert 0 <= insight.confidence <= 1
        assert ids.issuperset(insight.source_ids)
        assert insight.source_ids
        if insight.memory_id:
            assert memory.get(insight.memory_id).source_ids
    assert done.counts["created"] == sum(each.outcome == "created" for each in done.insights)
    if done.state == "failed":
        assert done.error.startswith(FAILURES)
        assert not any(text in done.error for text in turns)
        assert done.counts["failed"] >= 1
    else:
        assert (done.state, done.error, done.counts["failed"]) == ("succeeded", "", 0)


@pytest.mark.parametrize("tongue", SAID)
def test_a_session_is_looked_back_on(memory: Client, tongue: str) -> None:
    turns = SAID[tongue]
    memory.session("s").add_turns([TurnInput(text) for text in turns])
    done = memory.reflect(session_id="s").wait(timeout=SECONDS)
    check(memory, done, turns)
    assert memory.stats().model_tokens > 0
    assert [turn.content for turn in memory.session("s").get().turns] == turns
    again = memory.reflect(session_id="s").wait(timeout=SECONDS)
    left = 0 if done.state == "succeeded" else done.counts["failed"]
    assert again.skipped.get("already_reflected", 0) == len(turns) - left


@pytest.mark.parametrize(
    ("known", "new"), [("I live in Turin.", "I live in Genoa."), ("林乔住在杭州。", "林乔住在上海。")]
)
def test_what_it_says_of_a_statement_is_one_of_four_things(memory: Client, known: str, new: str) -> None:
    held = memory.write(known)
    said = memory.write(new, timeout=150)
    assert said.outcome in ("created", "duplicate", "superseded", "conflict")
    state = "superseded" if said.outcome == "superseded" else "active"
    assert memory.get(held.memory_id).state == state
    assert memory.get(said.memory_id).content == (known if said.outcome == "duplicate" else new)


def test_what_it_could_not_say_the_rules_find(tmp_path: Path) -> None:
    """The same data with another distiller: what the model failed on is there to be looked at."""
    assert WEIGHTS is not None
    plain = {"RECALLD_EMBEDDER": "hash"}
    with (
        # so few tokens are no answer, so the model fails for certain
        tiny_model.serving(WEIGHTS, tokens=5) as url,
        process.serving(tmp_path, plain | {"RECALLD_CHAT_URL": url, "RECALLD_CHAT_MODEL": "smollm2"}) as running,
        Client(running.address, key=running.root_key, namespace="tiny") as memory,
    ):
        memory.namespaces.create("tiny")
        memory.session("s").add_turns([TurnInput(text) for text in SAID["zh"]])
        done = memory.reflect(session_id="s").wait(timeout=SECONDS)
        check(memory, done, SAID["zh"])
        assert (done.state, memory.stats().total) == ("failed", 0)
    with (
        process.serving(tmp_path, plain) as running,
        Client(running.address, key=running.root_key, namespace="tiny") as memory,
    ):
        done = memory.reflect(session_id="s").wait(timeout=60)
        check(memory, done, SAID["zh"])
        assert done.counts["created"] >= 1
