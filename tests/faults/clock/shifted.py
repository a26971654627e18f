"""A clock that a test sets forward and back, for processes that are started with it."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("shift.c")


@dataclass(frozen=True)
class ShiftedClock:
    """Made by `build`; `environment` is for the process that goes by it."""

    environment: Mapping[str, str]
    _file: Path

    def set(self, shift: timedelta) -> None:
        """How far it is ahead of the true time from now on."""
        with self._file.open("r+b") as file:
            file.write(struct.pack("q", int(shift.total_seconds())))


def build(folder: Path) -> ShiftedClock:
    """Builds the library in a folder that every account can read. Skips the test where there is no C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler to build a clock with")
    library, file = folder / "shift.so", folder / "shift"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], check=True)
    file.write_bytes(bytes(8))
    for path in (library, file):
        path.chmod(0o644)
    return ShiftedClock({"LD_PRELOAD": str(library), "CLOCK_SHIFT": str(file)}, file)
