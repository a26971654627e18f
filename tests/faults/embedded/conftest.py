"""Data directories for the tests of the embedded servers."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.embedded.standing import QUICK, data_folder, folder

from recalld_server.embedded import (
    start_postgres,
    stop_postgres,
)


@pytest.fixture(scope="session")
def template() -> Iterator[Path]:
    """A data directory with a finished cluster, to copy: making one takes a second."""
    with folder() as path, data_folder(path):
        start_postgres(path, settings=QUICK)
        stop_postgres(path)
        yield path


@pytest.fixture
def empty() -> Iterator[Path]:
    with folder() as path, data_folder(path):
        yield path


@pytest.fixture
def data(template: Path, empty: Path) -> Path:
    subprocess.run(["cp", "-a", template / "postgres", empty], check=True)
    return empty
