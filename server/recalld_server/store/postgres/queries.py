"""SQL statements from sql/*.sql, each under a `-- name: x` header."""

from __future__ import annotations

import re
from importlib.resources import files

_NAMES: dict[str, str] = {}
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
        sql = result[name] = re.sub(r"\{([a-z_]+)\}", lambda match: parts[match[1]], body).strip()
        _NAMES[sql] = f"{_operation(sql)} {file.removesuffix('.sql')}.{name}"
    return result


def name_of(sql: str) -> str:
    """What a statement is called in a trace: its operation and, of one that was loaded from a file, where it stands."""
    return _NAMES.get(sql) or _operation(sql)


def _operation(sql: str) -> str:
    words: list[str] = re.findall(
        r"\b(INSERT|UPDATE|DELETE|SELECT|EXPLAIN|VALUES)\b", sql[:20_000] if sql.startswith("WITH") else sql[:20]
    )
    changes: list[str] = [word for word in words if word in ("INSERT", "UPDATE", "DELETE")]
    return (changes or words or ["OTHER"])[0]
