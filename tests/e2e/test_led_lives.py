"""Lives of a namespace that are led by hand where chance seldom comes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.e2e.life import AGENTS, Namespace
from tests.e2e.reference import Held

from recalld import Client, ForgetMode, Kind, Outcome, errors

TEA = Held("", "", False, "林乔喝乌龙茶", Kind.SEMANTIC, "林乔", ("work", "茶"), {"a.b": [1, "x"], "rank": 1}, 0.9)


TWIN = replace(TEA, content="林乔喝乌龙茶。")
"""The same, typed in another way."""


WINDOW = replace(TEA, content="Omar prefers window seats", user_id="omar", kind=Kind.PROCEDURAL)


EACH: dict[str, Any] = {
    "content": "周五下午不开会",
    "kind": Kind.EPISODIC,
    "user_id": "omar",
    "tags": ("O'Hara",),
    "metadata": {"类别": True},
    "importance": 0.2,
}


@pytest.fixture
def life(clients: dict[str, Client]) -> Iterator[Namespace]:
    """A namespace that is led by hand where chance seldom comes."""

    class Led(Namespace):
        pass

    Led.clients = clients
    led = Led()
    led.begin()
    yield led
    led.teardown()


@pytest.mark.parametrize("wanted", [None, 1, 2])
def test_what_is_restored_keeps_how_often_it_was_used(life: Namespace, wanted: int | None) -> None:
    life.write(who="ann", draft=TEA, preview=False)
    life.write(who="ben", draft=TWIN, preview=False)
    life.update(who="ben", place=0, change={"importance": 0.8}, stale=None)
    life.write(who="ann", draft=TWIN, preview=False)
    life.forget(who="ann", places=[0], mode=ForgetMode.FORGET, preview=False)
    life.restore(who="ben", place=0, wanted=wanted, stale=0)
    life.get(who="ann", place=0)
    life.write(who="ann", draft=TEA, preview=False)
    life.get(who="ben", place=0)
    life.revisions(who="ann", place=0)


@pytest.mark.parametrize("name", sorted(EACH))
def test_an_update_changes_what_it_names_and_nothing_else(life: Namespace, name: str) -> None:
    life.write(who="ann", draft=TEA, preview=False)
    life.update(who="ben", place=0, change={name: EACH[name]}, stale=0)
    life.get(who="ann", place=0)
    life.revisions(who="ben", place=0)
    life.search(who="ann", content=EACH["content"] if name == "content" else TEA.content)
    life.update(who="ann", place=0, change={"importance": 0.8}, stale=1)
    life.restore(who="ann", place=0, wanted=1, stale=None)
    life.get(who="ben", place=0)


def test_who_erases_a_memory_frees_the_requests_that_spoke_of_it_and_no_others(life: Namespace) -> None:
    life.write(who="ann", draft=TEA, preview=False)
    life.write(who="ann", draft=WINDOW, preview=False)
    life.update(who="ben", place=0, change={"importance": 0.8}, stale=None)
    gone = next(iter(life.reference.history))
    written, kept, updated = life.calls
    life.forget(who="ben", places=[0], mode=ForgetMode.ERASE, preview=False)
    assert kept.send(kept.request_id) == kept.answer
    with pytest.raises(errors.NotFound):
        updated.send(updated.request_id)
    anew = written.send(written.request_id)
    assert (anew.outcome, anew.memory_id == gone) == (Outcome.CREATED, False)
    life.reference.store(replace(TEA, memory_id=anew.memory_id, owner="ann", actor="ann"))
    again = written.send(written.request_id)
    assert again == anew
    life.figures(who="ann")


def test_a_retry_gets_the_first_answer_though_much_has_happened_since(life: Namespace) -> None:
    life.write(who="ann", draft=TEA, preview=False)
    life.write_batch(who="ben", batch=[TWIN, WINDOW])
    life.update(who="ann", place=0, change={"content": "周五下午不开会"}, stale=None)
    life.forget(who="ben", places=[0], mode=ForgetMode.ARCHIVE, preview=False)
    life.restore(who="ann", place=0, wanted=None, stale=None)
    life.forget(who="ann", places=[1], mode=ForgetMode.FORGET, preview=False)
    for place in range(len(life.calls)):
        life.retry(place=place, same=True)
        life.retry(place=place, same=False)
    for who in AGENTS:
        life.get(who=who, place=0)


def test_one_text_is_live_once_whoever_brings_it_back(life: Namespace) -> None:
    life.write(who="ann", draft=TEA, preview=False)
    life.forget(who="ann", places=[0], mode=ForgetMode.FORGET, preview=False)
    life.write(who="ben", draft=TWIN, preview=False)
    life.restore(who="ann", place=0, wanted=None, stale=None)  # refused: the other one says it
    life.write(who="ben", draft=replace(TEA, private=True), preview=False)  # of another audience
    life.update(who="ben", place=1, change={"content": "周五下午不开会"}, stale=None)
    life.restore(who="ann", place=0, wanted=None, stale=None)
    life.update(who="ben", place=1, change={"content": TWIN.content}, stale=None)  # refused
    for who in AGENTS:
        for place in range(3):
            life.get(who=who, place=place)


def test_a_moment_is_as_it_was(life: Namespace) -> None:
    life.write(who="ann", draft=TEA, preview=False)
    life.remember_the_moment()
    life.update(who="ben", place=0, change={"content": "周五下午不开会", "tags": ()}, stale=None)
    life.write(who="ben", draft=replace(WINDOW, private=True), preview=False)
    life.remember_the_moment()
    life.forget(who="ann", places=[0], mode=ForgetMode.ARCHIVE, preview=False)
    life.remember_the_moment()
    life.restore(who="ann", place=0, wanted=1, stale=None)
    for place in range(3):
        for who in AGENTS:
            life.look_back(who=who, place=place)
