"""Names of what is kept in Redis. Every key is built here, and read, written and removed by its full name only: nothing
ever looks for keys by a pattern."""

from __future__ import annotations

from urllib.parse import quote
from uuid import UUID

EVERYWHERE = "-"
"""Stands for the namespace in keys that belong to the tenant as a whole."""


def key(tenant_id: UUID, namespace_id: UUID | None, *parts: str) -> str:
    """The key of `parts` in a namespace (None: of the tenant). Different arguments give different keys, whatever
    characters the parts hold: all but letters, digits and `_.-~` are percent-encoded.

    Keys of one namespace share a hash tag, so that a cluster keeps them together and one script may use several.
    """
    space = namespace_id.hex if namespace_id else EVERYWHERE
    return ":".join((f"{owner(tenant_id)}{space}}}", *(quote(part, safe="") for part in parts)))


def owner(tenant_id: UUID) -> str:
    """What all keys of a tenant begin with."""
    return f"recalld:{{{tenant_id.hex}."
