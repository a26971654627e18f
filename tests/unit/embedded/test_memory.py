"""PostgreSQL keeps as many pages as the machine can spare."""

from __future__ import annotations

from pathlib import Path

import pytest

from recalld_server.embedded.memory import LEAST, MOST, SHARE, shared_buffers


@pytest.mark.parametrize(
    ("limit", "megabytes"),
    [
        (str(64 << 20), LEAST >> 20),
        (str((LEAST * SHARE) + (SHARE << 20)), (LEAST >> 20) + 1),
    ],
)
def test_a_container_s_limit_counts(tmp_path: Path, limit: str, megabytes: int) -> None:
    file = tmp_path / "memory.max"
    file.write_text(limit + "\n")
    assert shared_buffers(file) == f"{megabytes}MB"


@pytest.mark.parametrize("text", ["max\n", None])
def test_without_a_limit_it_is_the_machine_s(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "memory.max"
    if text is not None:
        file.write_text(text)
    assert LEAST >> 20 <= int(shared_buffers(file).removesuffix("MB")) <= MOST >> 20
