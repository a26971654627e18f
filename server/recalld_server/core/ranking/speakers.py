"""Who is named in a query."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_LABELS: Final = frozenset(
    {"", "user", "assistant", "system", "human", "ai", "agent", "bot", "tool", "model", "用户", "助手", "系统", "客服"}
)
"""Roles, not names: a query that says "user" does not name a speaker."""

_LETTER: Final = r"[0-9A-Za-z\u00c0-\u024f]"
_LATIN: Final = re.compile(_LETTER)


def named(query: str, speakers: Iterable[str]) -> frozenset[str]:
    """Those of `speakers` that `query` names, by the full name or its first word. A Latin name must stand as a word, and
    with its capital unless the query has none at all: "will" is not Will."""
    plain = query == query.lower()
    return frozenset(one for one in set(speakers) if one.strip().lower() not in _LABELS and _says(query, one, plain))


def _says(query: str, speaker: str, plain: bool) -> bool:
    name = speaker.split()[0]
    if not _LATIN.match(name):
        return len(name) > 1 and name in query
    if plain:
        name = name.lower()
    return re.search(rf"(?<!{_LETTER}){re.escape(name)}(?!{_LETTER})", query) is not None
