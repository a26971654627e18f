"""Knowing at once that a namespace has changed, whichever server changed it."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractContextManager
from typing import Protocol
from uuid import UUID


class Ear(Protocol):
    """Hears of some namespaces."""

    async def changed(self, timeout: float) -> frozenset[UUID]:
        """Those in which something may have happened since this was asked last; empty when nothing did for `timeout`
        seconds. Nothing is missed for good: what was not heard of at once is found out soon."""


class Wakes(Protocol):
    """Lets readers sleep until there is something to read."""

    def listen(self, namespace_ids: Collection[UUID]) -> AbstractContextManager[Ear]:
        """An ear for these namespaces. What is committed from now on is heard."""
