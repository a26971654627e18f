"""Reads what people type: times, lengths of time, metadata and conditions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import typer

from recalld.filters import Condition, where

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_COMPARISONS: dict[str, Callable[[where, Any], Condition]] = {
    "=": where.__eq__,
    "==": where.__eq__,
    "!=": where.__ne__,
    "<": where.__lt__,
    "<=": where.__le__,
    ">": where.__gt__,
    ">=": where.__ge__,
    "~": where.contains,
}
_CONDITION = re.compile(r"(?P<key>\[.*?\]|.+?)\s*(?P<operator>==|!=|<=|>=|=|<|>|~)\s*(?P<value>.*)", re.DOTALL)


def duration(text: str | None) -> timedelta | None:
    """ "90s", "30m", "12h", "7d", "2w"; None for "0", which means never."""
    if text is None or text.strip() == "0":
        return None
    match = re.fullmatch(r"(\d{1,9})([smhdw])", text.strip().lower())
    if not match:
        raise typer.BadParameter(f"{text!r} is not a length of time: write 90s, 30m, 12h, 7d or 2w, or 0 for never")
    try:
        return timedelta(**{_UNITS[match[2]]: int(match[1])})
    except OverflowError:
        raise typer.BadParameter(f"{text!r} is longer than the calendar") from None


def instant(text: str | None) -> datetime | None:
    """An ISO date or time, UTC unless it says otherwise, or a length of time ago ("7d")."""
    if text is None:
        return None
    if re.fullmatch(r"\d{1,9}[smhdw]", text.strip().lower()):
        ago = duration(text)
        assert ago is not None
        try:
            return datetime.now(UTC) - ago
        except OverflowError:
            raise typer.BadParameter(f"{text!r} is before the year 1") from None
    try:
        value = datetime.fromisoformat(text.strip())
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not a time: write 2025-03-01, 2025-03-01T09:30+08:00, or 7d for a week ago"
        ) from None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def value(text: str) -> Any:
    """JSON where it is JSON, else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def pairs(texts: Sequence[str] | None) -> dict[str, Any] | None:
    """KEY=VALUE, each value as in `value`."""
    found: dict[str, Any] = {}
    for text in texts or ():
        key, sign, rest = text.partition("=")
        if not sign or not key:
            raise typer.BadParameter(f"{text!r} is not KEY=VALUE")
        found[key] = value(rest)
    return found or None


def conditions(texts: Sequence[str] | None) -> list[Condition]:
    """`rank>9`, `tier=pro`, `tags~"a"` (a list that holds it), `key` (is there), `!key` (is not there).

    A key is literal; a JSON list goes down: `["plan","tier"]=pro`.
    """
    return [_condition(text.strip()) for text in texts or ()]


def _condition(text: str) -> Condition:
    match = _CONDITION.fullmatch(text)
    if not match:
        if not text.lstrip("!"):
            raise typer.BadParameter("a condition needs a key: rank>9, tier=pro, key, !key")
        return where(_path(text[1:])).missing() if text.startswith("!") else where(_path(text)).exists()
    operator = match["operator"]
    if match["value"].startswith(("=", "<", ">", "~")):
        raise typer.BadParameter(f"{text!r} has two comparisons: write a value that begins so in double quotes")
    start, given = where(_path(match["key"])), value(match["value"])
    if given is None:
        if operator in ("=", "=="):
            return start.is_null()
        raise typer.BadParameter(f"{text!r}: null can only be compared with =")
    return _COMPARISONS[operator](start, given)


def _path(key: str) -> str | tuple[str, ...]:
    if key.startswith("["):
        steps = value(key)
        if isinstance(steps, list) and steps and all(isinstance(step, str) for step in steps):
            return tuple(steps)
        raise typer.BadParameter(f'{key!r} is not a path: write ["plan","tier"]')
    return key
