"""Ids that writers choose: each names one text, wherever and however it is sent."""

from uuid import uuid4

import pytest

from recalld import Client, MemoryInput
from recalld.errors import AlreadyExists, InvalidArgument

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
    items = [MemoryInput(first, memory_id=chosen), MemoryInput(second, memory_id=chosen.upper()), second]
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
