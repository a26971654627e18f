"""Tables for people, JSON for programs."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Of terminals, of lines, and of the direction of writing, which would turn around what follows in the row."""
WIDTH_WITHOUT_TERMINAL = 160


class Output:
    """Where a command's result goes. What is said to the person who waits goes to stderr."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self.console = _console(sys.stdout)
        self.err = _console(sys.stderr)

    def json(self, value: object) -> None:
        """One JSON value on one line."""
        self.console.file.write(json.dumps(plain(value), ensure_ascii=False) + "\n")
        self.console.file.flush()

    def text(self, text: str, style: str = "") -> None:
        """A text, whole."""
        self.console.print(safe(text, style), soft_wrap=True)

    def note(self, text: str) -> None:
        """Something beside the result, for the person who waits."""
        self.err.print(safe(text, "dim"), soft_wrap=True)

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[object]], empty: str = "(none)") -> None:
        """A table; the last column takes the room and wraps, nothing is cut off."""
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for index, name in enumerate(columns):
            last = index == len(columns) - 1
            table.add_column(name, overflow="fold", no_wrap=not last, ratio=1 if last else None)
        for row in rows:
            table.add_row(*(safe(shown(cell)) for cell in row))
        self.console.print(table if table.row_count else safe(empty, "dim"))

    def facts(self, facts: Mapping[str, object]) -> None:
        """Names and values, one a line; what is empty is left out."""
        table = Table(box=None, show_header=False, pad_edge=False)
        table.add_column(style="bold", no_wrap=True)
        table.add_column(overflow="fold")
        for name, value in facts.items():
            if value not in (None, "", (), {}, []):
                table.add_row(name, safe(shown(value)))
        self.console.print(table)


def _console(file: Any) -> Console:
    return Console(file=file, width=None if file.isatty() else WIDTH_WITHOUT_TERMINAL, highlight=False, markup=False)


def safe(text: str, style: str = "") -> Text:
    """A text that cannot steer the terminal: memories are written by others."""
    return Text(_CONTROLS.sub("�", text), style=style)


def shown(value: object) -> str:
    """A value as people read it; times in UTC to the minute."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, Mapping):
        return json.dumps(plain(value), ensure_ascii=False)
    if isinstance(value, list | tuple):
        return ", ".join(shown(each) for each in value)
    return str(value)


def plain(value: object) -> Any:
    """What JSON can hold: dataclasses as objects, times in ISO 8601."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return str(value) if isinstance(value, str) else value
