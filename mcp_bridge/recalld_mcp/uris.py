"""The addresses of resources."""

from __future__ import annotations

import re
from urllib.parse import unquote

NAMESPACES = "memory://namespaces"
RECENT = "memory://{+namespace}/recent"
STATS = "memory://{+namespace}/stats"
MEMORY = "memory://memory/{memory_id}"

_VIEW = re.compile(r"memory://(?P<namespace>.+)/(?:recent|stats)")


def recent(namespace: str) -> str:
    """The latest memories of a namespace."""
    return RECENT.replace("{+namespace}", namespace)


def stats(namespace: str) -> str:
    """The figures of a namespace."""
    return STATS.replace("{+namespace}", namespace)


def memory(memory_id: str) -> str:
    """One memory of the default namespace."""
    return MEMORY.replace("{memory_id}", memory_id)


def namespace_of(uri: str) -> str | None:
    """The namespace that an address speaks of; None: the default one."""
    match = _VIEW.fullmatch(uri)
    return unquote(match["namespace"]) if match else None


def touched(namespace: str, memory_id: str, default: str) -> set[str]:
    """The addresses whose content changes when this memory changes."""
    encoded = namespace.replace("/", "%2F")
    places = {view(name) for view in (recent, stats) for name in (namespace, encoded)}
    return {*places, NAMESPACES, *([memory(memory_id)] if namespace == default else [])}
