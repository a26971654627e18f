"""How much memory there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from recalld_server import machine


def test_a_container_s_limit_counts(tmp_path: Path) -> None:
    file = tmp_path / "memory.max"
    file.write_text(f"{64 << 20}\n")
    assert machine.memory(file) == 64 << 20


@pytest.mark.parametrize("text", ["max\n", None, f"{1 << 60}\n"])
def test_without_a_limit_it_is_the_machine_s(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "memory.max"
    if text is not None:
        file.write_text(text)
    assert 64 << 20 < machine.memory(file) < 1 << 60
