"""Page tokens belong to the request that they were made for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.core import pages
from recalld_server.errors import InvalidPageToken
from recalld_server.model import Filter


@given(st.lists(st.one_of(st.text(max_size=30), st.integers(-(2**53), 2**53)), max_size=4))
def test_a_place_comes_back(place: list[str | int]) -> None:
    token = pages.encode(place, Filter())
    assert pages.decode(token, Filter(), [type(value) for value in place]) == place


def test_an_empty_token_is_the_beginning() -> None:
    assert pages.decode("", Filter(), (str,)) is None


def test_a_token_of_another_request_is_refused() -> None:
    token = pages.encode(["a"], Filter(all_tags=("家",)))
    with pytest.raises(InvalidPageToken):
        pages.decode(token, Filter(all_tags=("住",)), (str,))


@given(st.text(min_size=1, max_size=60))
def test_a_token_that_was_made_up_is_refused(token: str) -> None:
    with pytest.raises(InvalidPageToken):
        pages.decode(token, "request", (str, str))


@pytest.mark.parametrize("text", ["", "yesterday", "2026-11-30T10:00:00"])
def test_a_moment_needs_a_zone(text: str) -> None:
    with pytest.raises(InvalidPageToken):
        pages.moment(text)
