"""Where an insight came from, what came of a source, and how long a doubt waits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from tests.e2e.test_recall import recall

from recalld import Client, Policy, TurnInput, errors
from recalld_server.demo.process import Running


@pytest.mark.parametrize("said", ["I'm allergic to nuts.", "我对花生过敏。"])
def test_lineage_is_followed_both_ways(running: Running, root: Client, said: str) -> None:
    session = root.session("trip")
    session.add_turns([TurnInput("你好, hello!"), TurnInput(said)])
    greeting, turn = (each.turn_id for each in session.get().turns)
    handle = root.reflect(session_id="trip")
    [insight] = handle.wait(timeout=30).insights
    assert insight.source_ids == root.get(insight.memory_id).source_ids == (turn,)
    assert [each.memory_id for each in root.list(any_source_ids=turn)] == [insight.memory_id]
    assert [each.memory_id for each in root.search(said, any_source_ids=[greeting, turn])] == [insight.memory_id]
    assert list(root.list(any_source_ids=greeting)) == []
    assert said in recall(running, root.name, "list", "--source-id", turn)
    assert said not in recall(running, root.name, "list", "--source-id", greeting)
    assert insight.memory_id in recall(running, root.name, "reflect", "--attach", handle.reflection_id)
    with pytest.raises(errors.InvalidArgument):
        root.list(any_source_ids="nope").page()


def test_what_came_of_a_memory_is_found_as_long_as_it_may_be_read(running: Running, root: Client) -> None:
    source = root.write("I live in Turin. It rained yesterday.", kind="episodic").memory_id
    [insight] = root.reflect().wait(timeout=30).insights
    key = root.keys.create("ann", "writer", namespaces=[root.name]).secret
    with Client(running.address, key=key, namespace=root.name) as ann:
        own = ann.write("都灵的雨让我想家", visibility="private", source_ids=[source]).memory_id
        assert {each.memory_id for each in ann.list(any_source_ids=source)} == {insight.memory_id, own}
    assert [each.memory_id for each in root.list(any_source_ids=source)] == [insight.memory_id]
    root.forget([source])
    assert list(root.list(any_source_ids=source)) == []
    forgotten = root.list(any_source_ids=source, states=["forgotten"])
    assert insight.memory_id in {each.memory_id for each in forgotten}


def test_a_doubt_waits_as_long_as_the_namespace_says(running: Running) -> None:
    for days, policy in ((7, Policy()), (2, Policy(review_window_days=2))):
        name = f"e2e/{uuid4().hex}"
        with Client(running.address, key=running.root_key, namespace=name) as client:
            client.namespaces.create(name, policy=policy)
            client.session("s").add("Maybe I prefer the train.")
            client.write("The API rate limit is 100 requests a minute.")
            client.write("I think the API rate limit might be 60 requests a minute.")
            client.reflect(session_id="s").wait(timeout=30)
            reviews = list(client.reviews())
            assert {each.cause.name for each in reviews} == {"CONFLICT", "LOW_CONFIDENCE"}
            for review in reviews:
                assert review.expire_time is not None
                left = review.expire_time - datetime.now(UTC)
                assert timedelta(days=days) - timedelta(minutes=5) < left <= timedelta(days=days)
