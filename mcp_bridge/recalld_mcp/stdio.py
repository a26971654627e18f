"""Standard output belongs to the protocol: whatever else is written to it lands on standard error.

Imports nothing but the standard library, so that it can act before any library has a chance to print.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper


class Wire:
    """Standard output as it was when the process began, set aside until the protocol is spoken."""

    def __init__(self) -> None:
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                # The locale may say GBK or ASCII; the protocol is UTF-8. Lines are not held back, so that what a
                # library prints leaves while the descriptor is diverted.
                stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(line_buffering=True)
        self._wire = os.dup(1)
        _divert()

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Standard output is the client's while the block runs, and not a moment longer."""
        os.dup2(self._wire, 1)
        try:
            yield
        finally:
            _divert()


def _divert() -> None:
    with suppress(OSError):
        os.dup2(2, 1)
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)  # standard error is closed too
    os.dup2(nowhere, 1)
    os.close(nowhere)
