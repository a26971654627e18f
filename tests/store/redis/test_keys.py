"""Keys are literal: whatever the names hold, two of them never meet."""

from __future__ import annotations

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from recalld_server.store.redis.keys import key, owner

ACME, ORION = UUID(int=1), UUID(int=2)
SPACE = UUID(int=7)
ODD = [
    "a|b",
    "a*",
    "{a}",
    "a:b",
    "a b",
    "[ab]",
    "-@x",
    "a\nb",
    "ab",
    "a",
    "b",
    "",
    "%3A",
    "a%2A",
    "?",
    "-",
    "记忆",
    "ａ",
]

ids = st.uuids()
spaces = st.none() | ids
parts = st.lists(st.sampled_from(ODD) | st.text(st.characters(exclude_categories=["Cs"])), max_size=4).map(tuple)


@given(st.tuples(ids, spaces, parts), st.tuples(ids, spaces, parts))
def test_different_names_have_different_keys(
    one: tuple[UUID, UUID | None, tuple[str, ...]], other: tuple[UUID, UUID | None, tuple[str, ...]]
) -> None:
    assert (key(one[0], one[1], *one[2]) == key(other[0], other[1], *other[2])) == (one == other)


@given(ids, spaces, parts)
def test_no_character_of_a_name_means_anything_to_redis(
    tenant: UUID, space: UUID | None, names: tuple[str, ...]
) -> None:
    tail = key(tenant, space, *names).removeprefix(owner(tenant)).partition("}")[2]
    assert not set(tail) & set("*?[]^\\{}|@ \r\n\t\0")
    assert tail.count(":") == len(names)
    assert tail.isascii()


def test_a_border_lies_where_it_was_drawn() -> None:
    assert (
        len({key(ACME, SPACE, *names) for names in [("a", "b"), ("a:b",), ("ab",), ("a", "b", ""), ("", "a", "b")]})
        == 5
    )


def test_no_tenants_keys_begin_like_anothers() -> None:
    assert not key(ACME, None, "x").startswith(owner(ORION))
    assert key(ACME, None, "x") != key(ACME, SPACE, "x")
