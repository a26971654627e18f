"""A batch means what the same writes mean one after another."""

from collections.abc import Sequence

import pytest

from recalld import Client

CASES = [
    (["林乔住在杭州"], ["林乔住在上海", "林乔住在北京"], "林乔住在北京"),
    (["林乔住在杭州"], ["林乔住在上海", "林乔住在杭州"], "林乔住在杭州"),
    ([], ["Omar lives in Paris", "Omar lives in Rome", "Omar lives in Paris"], "Omar lives in Paris"),
    ([], ["The office door code is 1357", "The office door code is 2468"], "The office door code is 2468"),
]


@pytest.mark.parametrize(("before", "batch", "last"), CASES)
@pytest.mark.parametrize("together", [True, False])
def test_the_last_word_of_a_batch_holds(
    root: Client, before: Sequence[str], batch: Sequence[str], last: str, together: bool
) -> None:
    for text in before:
        root.write(text)
    previewed = [item.unwrap().outcome for item in root.write_batch(batch, validate_only=True)]
    results = root.write_batch(batch).unwrap() if together else [root.write(text) for text in batch]
    assert [memory.content for memory in root.list()] == [last]
    assert [result.outcome for result in results] == previewed
    assert results[-1].memory_id == next(iter(root.list())).memory_id
    assert len(list(root.list(states=["active", "superseded"]))) == len(before) + len(batch)
