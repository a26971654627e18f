"""PostgreSQL keeps as many pages as the machine can spare."""

from __future__ import annotations

import pytest

from recalld_server.embedded.memory import LEAST, MOST, SHARE, shared_buffers


@pytest.mark.parametrize(
    ("available", "megabytes"),
    [
        (64 << 20, LEAST >> 20),
        ((LEAST * SHARE) + (SHARE << 20), (LEAST >> 20) + 1),
        (MOST * SHARE * 2, MOST >> 20),
    ],
)
def test_it_is_a_share_of_what_there_is(available: int, megabytes: int) -> None:
    assert shared_buffers(available) == f"{megabytes}MB"


def test_what_is_not_given_is_the_machine_s() -> None:
    assert LEAST >> 20 <= int(shared_buffers().removesuffix("MB")) <= MOST >> 20
