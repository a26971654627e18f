"""Memories leave and come back as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from recalld import Client, State
from recalld._convert.export import from_line, to_line
from recalld.errors import InvalidArgument
from recalld.types.memories import Memory, MemoryInput
from recalld.types.namespaces import ExportRecord
from recalld_server.demo import process

EVERY_STATE = [state for state in State if state is not State.UNSPECIFIED]
EARLY = datetime(1931, 6, 7, 0, 0, 0, 250_000, tzinfo=UTC)


@pytest.fixture
def copy(running: process.Running, root: Client) -> Iterator[Client]:
    """A second, empty namespace of the same tenant."""
    name = f"e2e/{uuid4().hex}"
    with Client(running.address, key=running.root_key, namespace=name) as client:
        client.namespaces.create(name)
        yield client


def alike(memory: Memory) -> dict[str, Any]:
    """All of a memory but the namespace that it is in."""
    return {field.name: getattr(memory, field.name) for field in fields(Memory) if field.name != "namespace"}


def fill(client: Client) -> None:
    """One memory of every state that a caller can bring about, with all that a memory can carry."""
    client.write(
        MemoryInput(
            "Alice moved to 杭州 in March ✈️",
            kind="episodic",
            user_id="alice",
            session_id="s1",
            speaker="Alice",
            tags=["travel", "搬家"],
            metadata={"n": 2**53 - 1, "f": 0.1, "deep": {"a.b": [1, None, "三", True]}},
            event_time=EARLY,
            importance=0.0,
            confidence=0.25,
        )
    )
    client.write(MemoryInput("Alice's tea is 龙井.", user_id="alice", session_id="s1", speaker="Bob"))
    client.write("Bob lives in Paris.", user_id="bob")
    client.write("Bob lives in Berlin.", user_id="bob")
    client.write(MemoryInput("只给我看的一句", visibility="private"))
    changed = client.write("The build takes 5 minutes.").memory_id
    assert changed is not None
    client.update(changed, content="The build takes 9 minutes.", reason="slower now")
    for mode in ("archive", "forget"):
        gone = client.write(f"to be {mode}d 去掉").memory_id
        assert gone is not None
        client.forget([gone], mode=mode)
    client.write("for one day only 只此一天", ttl=86_400)


def exported(client: Client, **how: Any) -> list[ExportRecord]:
    return list(client.export(states=EVERY_STATE, include_revisions=True, **how))


@pytest.mark.parametrize("vectors", [True, False])
def test_a_round_trip_is_exact(root: Client, copy: Client, vectors: bool) -> None:
    fill(root)
    lines = [to_line(record) for record in exported(root, include_vectors=vectors)]
    results = list(copy.import_([from_line(line) for line in lines]))
    assert [result.outcome for result in results] == ["created"] * len(lines)
    here = {record.memory.memory_id: record for record in exported(root, include_vectors=True)}
    there = {record.memory.memory_id: record for record in exported(copy, include_vectors=True)}
    assert len(here) == len(lines) >= 8
    assert list(here) == list(there)
    for memory_id, record in here.items():
        other = there[memory_id]
        assert alike(other.memory) == alike(record.memory)
        assert [alike(each.memory) for each in other.revisions] == [alike(each.memory) for each in record.revisions]
        said = [(each.action, each.actor, each.reason) for each in other.revisions]
        assert said == [(each.action, each.actor, each.reason) for each in record.revisions]
        assert (other.vector, other.text_vector) == (record.vector, record.text_vector)
    assert copy.stats().total == root.stats().total
    found = copy.search("Alice moved to 杭州")
    assert found.hits[0].memory.content == "Alice moved to 杭州 in March ✈️"
    assert found.hits[0].memory.metadata == {"n": 2**53 - 1, "f": 0.1, "deep": {"a.b": [1, None, "三", True]}}


def test_an_export_has_live_memories_only_unless_asked(root: Client) -> None:
    fill(root)
    contents = {record.memory.content for record in root.export()}
    assert contents == {memory.content for memory in root.list()}
    assert all(record.vector == () and record.revisions == () for record in root.export())


def test_an_import_goes_on_after_a_break(root: Client, copy: Client) -> None:
    for number in range(150):
        root.write(f"记忆 number {number}")
    records = list(root.export())

    def broken() -> Iterator[ExportRecord]:
        yield from records[:100]
        raise ConnectionError

    with pytest.raises(ConnectionError):
        list(copy.import_(broken(), import_id="again"))
    taken = copy.stats().total
    results = list(copy.import_(records, import_id="again"))
    assert [result.outcome for result in results] == ["created"] * 150  # the first answers
    assert [result.memory_id for result in results] == [record.memory.memory_id for record in records]
    assert 0 < taken <= copy.stats().total == 150
    anew = list(copy.import_(records))
    assert {result.outcome for result in anew} == {"duplicate"}
    assert copy.stats().total == 150


def test_what_cannot_be_taken_in_does_not_stop_the_rest(root: Client, copy: Client) -> None:
    root.write("first 一")
    root.write("second 二")
    one, two = root.export()
    wrong = [
        replace(one, version=7),
        replace(one, memory=replace(one.memory, content=" \n")),
        replace(one, memory=replace(one.memory, user_id="x" * 201)),
        replace(one, memory=replace(one.memory, confidence=1.5)),
        replace(one, vector=(float("nan"),), embedding_model="m"),
    ]
    clash = replace(two, memory=replace(two.memory, memory_id=one.memory.memory_id, content="third 三"))
    results = list(copy.import_([*wrong, one, clash, two]))
    assert [result.outcome for result in results] == ["failed"] * 5 + ["created", "failed", "created"]
    assert all(result.error for result in results if result.outcome == "failed")
    assert copy.stats().total == 2
    reused = list(copy.import_([one], import_id="same")) + list(copy.import_([two], import_id="same"))
    assert [result.outcome for result in reused] == ["duplicate", "duplicate"]


def test_a_text_that_is_there_under_another_id_is_a_duplicate(root: Client, copy: Client) -> None:
    root.write("the same words 同一句话")
    held = copy.write("the same words 同一句话").memory_id
    results = list(copy.import_(root.export()))
    assert [(result.outcome, result.memory_id) for result in results] == [("duplicate", held)]


def test_vectors_of_another_model_are_made_anew(root: Client, copy: Client) -> None:
    root.write("Vectors belong to a model. 向量属于模型。")
    (record,) = root.export(include_vectors=True)
    (result,) = copy.import_([replace(record, vector=(1.0, 0.0), embedding_model="another")])
    assert result.outcome == "created"
    (there,) = copy.export(include_vectors=True)
    assert there.vector == record.vector
    assert there.embedding_model == record.embedding_model


def test_private_memories_stay_private(running: process.Running, root: Client, copy: Client) -> None:
    key = root.keys.create("planner", ["writer"]).secret
    with Client(running.address, key=key, namespace=root._namespace) as planner:
        planner.write(MemoryInput("planner's own 私事", visibility="private"))
        planner.write("planner's shared 公事")
        own = list(planner.export())
        assert len(own) == 2
        assert [record.memory.content for record in root.export()] == ["planner's shared 公事"]
    results = list(copy.import_(own))
    assert [result.outcome for result in results] == ["failed", "created"]
    (shared,) = copy.export()
    assert shared.memory.agent_id == "planner"  # an ADMIN key keeps who wrote it
    other = root.keys.create("tester", ["writer"]).secret
    with Client(running.address, key=other, namespace=copy._namespace) as tester:
        assert [result.outcome for result in tester.import_(own)] == ["created", "duplicate"]
        (private,) = [each for each in tester.list() if each.visibility == "private"]
        assert private.agent_id == "tester"


def test_expired_memories_do_not_come_back_to_life(root: Client, copy: Client) -> None:
    root.write("good for a day 一天", ttl=86_400)
    (record,) = root.export()
    past = replace(record, memory=replace(record.memory, expire_time=datetime(2020, 1, 1, tzinfo=UTC)))
    assert [result.outcome for result in copy.import_([past])] == ["created"]
    assert list(copy.list()) == []
    assert list(copy.export()) == []
    assert copy.stats().total == 0


def test_a_key_without_the_right_takes_nothing_in(running: process.Running, root: Client) -> None:
    root.write("a 甲")
    records = list(root.export())
    key = root.keys.create("looker", ["reader"]).secret
    with Client(running.address, key=key, namespace=root._namespace) as reader:
        assert len(list(reader.export())) == 1
        with pytest.raises(Exception, match="WRITER"):
            list(reader.import_(records))


def test_a_line_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidArgument):
        from_line("{not json")
