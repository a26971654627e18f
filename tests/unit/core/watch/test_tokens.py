"""Resume tokens are good for what they were given for, and for nothing else."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.core.watch.tokens import decode, encode
from recalld_server.errors import InvalidResumeToken

ACME, ORION = UUID(int=1), UUID(int=2)
A, B, C = UUID(int=10), UUID(int=11), UUID(int=12)
GIVEN = encode(ACME, {A: 5, B: 7})

positions = st.dictionaries(st.uuids(), st.integers(0, 2**63 - 1), min_size=1, max_size=8)


@given(st.uuids(), positions)
def test_a_token_says_how_far_each_namespace_was_told(tenant: UUID, told: dict[UUID, int]) -> None:
    token = encode(tenant, told)
    assert decode(token, tenant, set(told)) == told
    assert len(token) <= 2000
    assert token == encode(tenant, dict(reversed(told.items())))


@pytest.mark.parametrize(
    ("tenant", "namespaces"),
    [(ORION, {A, B}), (ACME, {A}), (ACME, {A, B, C}), (ACME, {A, C}), (ACME, {C})],
)
def test_a_token_is_of_no_use_elsewhere(tenant: UUID, namespaces: set[UUID]) -> None:
    with pytest.raises(InvalidResumeToken):
        decode(GIVEN, tenant, namespaces)


@given(st.integers(0, len(GIVEN) - 1), st.sampled_from("ABab09-_+/=.%茶"))
def test_a_changed_token_is_refused(at: int, character: str) -> None:
    token = GIVEN[:at] + character + GIVEN[at + 1 :]
    if token != GIVEN:
        with pytest.raises(InvalidResumeToken):
            decode(token, ACME, {A, B})


@given(st.text(max_size=200) | st.integers(1, len(GIVEN)).map(lambda cut: GIVEN[:-cut]) | st.just(GIVEN + "A"))
def test_anything_else_is_refused(token: str) -> None:
    with pytest.raises(InvalidResumeToken):
        decode(token, ACME, {A, B})
