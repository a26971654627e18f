"""For whom a value holds, what is only new, and who says it."""

from __future__ import annotations

import pytest
from tests.unit.core.resolve.pairs import CONFLICT, NEW, SUPERSEDES, verdict


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The ticket costs 14 for adults", "The ticket costs 7 for pensioners"),
        ("The cache for images is Varnish", "The cache for queries is now Valkey"),
        ("The limit is 40", "The limit per user is 10"),
        ("限额是40", "每个用户的限额是10"),
        ("I paid the rent for May", "I paid the rent for June"),
        ("我付了五月的房租", "我付了六月的房租"),
        ("The HTTP port is 8080", "The HTTPS port is 8443"),
        ("这个仓库的负责人是小郑", "那个仓库的负责人是小孙"),
    ],
)
@pytest.mark.parametrize("similarity", [0.6, 0.9])
def test_what_holds_for_another_is_another(old: str, new: str, similarity: float) -> None:
    assert verdict(old, new, similarity) is NEW


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("The ticket costs 14 for adults", "The ticket now costs 16 for adults", SUPERSEDES),
        ("My phone number is 555-0100", "My new phone number is 555-0199", SUPERSEDES),
        ("My boss is Helen", "My new boss is Tomasz", SUPERSEDES),
        ("The office is in Tartu", "The new office is in Ghent", CONFLICT),
        ("办公室在塔林", "办公室现在在根特", SUPERSEDES),
        ("办公室在上海", "新办公室在成都", CONFLICT),
        ("The docs say the port is 7070", "The code says the port is 7060", CONFLICT),
    ],
)
def test_what_is_only_new_may_stand_beside_the_old(old: str, new: str, expected: object) -> None:
    assert verdict(old, new) is expected
