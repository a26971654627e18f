"""Ids that writers choose: each names one text, wherever and however it is sent."""

from uuid import uuid4

import pytest

from recalld import Client, MemoryInput
from recalld.errors import AlreadyExists, InvalidArgument
from recalld_server.demo.process import Running

TEXTS = [
    ("The heron nests by the pond.", "Omar plays the cello on Sundays."),
    ("苍鹭在池塘边筑巢。", "奥马尔周日拉大提琴。"),
]


@pytest.mark.parametrize(("first", "second"), TEXTS)
@pytest.mark.parametrize("validate_only", [True, False])
def test_a_batch_keeps_the_first_of_two_texts_under_one_id_and_refuses_the_other(
    root: Client, first: str, second: str, validate_only: bool
) -> None:
    chosen = str(uuid4())
    items: list[MemoryInput | str] = [
        MemoryInput(first, memory_id=chosen),
        MemoryInput(second, memory_id=chosen.upper()),
        second,
    ]
    kept, refused, other = root.write_batch(items, validate_only=validate_only)
    assert kept.unwrap().outcome == other.unwrap().outcome == "created"
    assert isinstance(refused.error, AlreadyExists)
    assert {each.content for each in root.list()} == (set() if validate_only else {first, second})


@pytest.mark.parametrize(("first", "second"), TEXTS)
def test_a_trial_says_that_an_id_is_taken(root: Client, first: str, second: str) -> None:
    held = root.write(MemoryInput(first, memory_id=str(uuid4())))
    again = root.write(MemoryInput(first, memory_id=held.memory_id), validate_only=True)
    assert (again.outcome, again.reason) == ("duplicate", "same_id")
    with pytest.raises(AlreadyExists):
        root.write(MemoryInput(second, memory_id=held.memory_id), validate_only=True)


@pytest.mark.parametrize(("first", "second"), TEXTS)
def test_an_id_of_another_place_or_time_says_nothing_about_this_text(root: Client, first: str, second: str) -> None:
    """What is compared is what was sent now, not what the id said in a trial, elsewhere, or before it was erased."""
    chosen = str(uuid4())
    elsewhere = root.namespace(f"{root.namespaces.create(f'e2e/{uuid4().hex}').name}")
    elsewhere.write(MemoryInput(first, memory_id=chosen))
    elsewhere.write(f"{first} …")
    root.write(MemoryInput(first, memory_id=chosen))
    root.forget(chosen, mode="erase")
    held = root.write(f"{first}!")
    result = root.write(MemoryInput(second, memory_id=chosen))
    assert result.outcome == "created"
    assert {each.memory_id for each in root.list()} == {held.memory_id, chosen}


def test_an_id_in_two_spellings_is_one(root: Client) -> None:
    held = root.write("喜鹊偷勺子。 The magpie steals spoons.").memory_id
    with pytest.raises(InvalidArgument, match="memory_ids: must not hold the same item twice"):
        root.forget([held, held.upper()], mode="erase")
    assert root.forget(held.upper()).memory_ids == (held,)


@pytest.mark.parametrize(("first", "second"), TEXTS)
@pytest.mark.parametrize("streamed", [False, True])
def test_an_id_that_another_agent_keeps_to_itself_fails_its_item_alone(
    root: Client, running: Running, first: str, second: str, streamed: bool
) -> None:
    """The items beside it are stored, also one that says what the failed item would have said; nothing is told of the memory."""
    hidden = root.write(first, visibility="private").memory_id
    key = root.keys.create(f"agent-{uuid4().hex}", "writer").secret
    with Client(running.address, key=key, namespace=root.name) as other:
        with pytest.raises(AlreadyExists) as alone:
            other.write(MemoryInput(second, memory_id=hidden))
        items: list[MemoryInput | str] = ["A wren sings. 鹪鹩唱歌。", MemoryInput(second, memory_id=hidden), second]
        results = list(other.write_stream(items)) if streamed else other.write_batch(items)
        before, refused, after = results
        assert before.unwrap().outcome == after.unwrap().outcome == "created"
        assert (type(refused.error), str(refused.error)) == (AlreadyExists, str(alone.value))
        assert {each.content for each in other.list()} == {"A wren sings. 鹪鹩唱歌。", second}


@pytest.mark.parametrize(("first", "second"), TEXTS)
def test_a_named_request_that_stored_nothing_fails_for_the_same_reason_again(
    root: Client, first: str, second: str
) -> None:
    held, request_id = root.write(first).memory_id, str(uuid4())
    for _ in range(2):
        with pytest.raises(AlreadyExists):
            root.write(MemoryInput(second, memory_id=held), request_id=request_id)


@pytest.mark.parametrize(("first", "second"), TEXTS)
def test_a_named_batch_with_a_hidden_id_gets_its_first_answer_again(
    root: Client, running: Running, first: str, second: str
) -> None:
    hidden, request_id = root.write(first, visibility="private").memory_id, str(uuid4())
    key = root.keys.create(f"agent-{uuid4().hex}", "writer").secret
    with Client(running.address, key=key, namespace=root.name) as other:
        items: list[MemoryInput | str] = [MemoryInput(second, memory_id=hidden), second]
        told = [other.write_batch(items, request_id=request_id) for _ in range(2)]
        assert all(isinstance(refused.error, AlreadyExists) for refused, _ in told)
        assert len({kept.unwrap().memory_id for _, kept in told}) == 1
