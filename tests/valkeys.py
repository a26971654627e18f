"""A Valkey of its own for the tests."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from recalld_server.embedded import start_valkey, stop_valkey
from recalld_server.store.redis import RedisOptions

PATIENT = RedisOptions(timeout=60, probe_timeout=60)
"""For where it is not looked at what happens to a call that takes too long: on a busy machine any may."""


@pytest.fixture(scope="session")
def valkey() -> Iterator[str]:
    """The URL of a running Valkey."""
    folder = Path(tempfile.mkdtemp(prefix="recalld-tests-"))
    try:
        yield start_valkey(folder).url
    finally:
        stop_valkey(folder)
        shutil.rmtree(folder, ignore_errors=True)
