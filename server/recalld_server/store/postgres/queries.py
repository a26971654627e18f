"""SQL statements from sql/*.sql, each under a `-- name: x` header."""

from __future__ import annotations

import re
from importlib.resources import files

HEADER = re.compile(r"^-- name: ([a-z][a-z0-9_]*)\n", re.MULTILINE)


def load(file: str, **parts: str) -> dict[str, str]:
    """The statements of a file by name. `{part}` in them stands for text of ours (column lists), never for a value.

    Raises KeyError for a part that was not given, ValueError for a name that comes twice.
    """
    text = files(__package__).joinpath("sql", file).read_text(encoding="utf-8")
    pieces = HEADER.split(text)[1:]
    result: dict[str, str] = {}
    for name, body in zip(pieces[::2], pieces[1::2], strict=True):
        if name in result:
            raise ValueError(f"{file} has two statements named {name}")
        result[name] = re.sub(r"\{([a-z_]+)\}", lambda match: parts[match[1]], body).strip()
    return result
