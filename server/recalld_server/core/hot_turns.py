"""The latest turns of running sessions, kept at hand in a cache beside the store.

The store is asked for the session itself each time, and a copy counts only when it has exactly the turns that the store
counts: what a cache missed, while it was away or full, is read from the store and kept anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from pydantic import TypeAdapter, ValidationError

from recalld_server.model import Scope, Session, Turn
from recalld_server.store.base import Cache

KEPT = 50
"""Turns of a session that are kept: as many as GetSession returns when nothing else is asked for."""
KEPT_BYTES = 256 * 1024
"""A longer copy is not kept: it would cost more than it saves."""
KEPT_FOR = timedelta(minutes=10)
"""After the last use, and so at most after an erasure that found the cache away."""
NAME = "turns"

_TURNS = TypeAdapter(tuple[Turn, ...])


class HotTurns:
    """Copies of turns; without a cache, none."""

    def __init__(self, cache: Cache | None = None) -> None:
        self._cache = cache

    def offers(self, limit: int) -> bool:
        """Whether it is of use to ask for so many turns."""
        return self._cache is not None and self._cache.available and limit <= KEPT

    async def latest(
        self, scope: Scope, session: Session, *, limit: int, tokens: int | None = None
    ) -> tuple[Turn, ...] | None:
        """What `latest_turns` of the store would return; None: it has to be asked."""
        if not self.offers(limit):
            return None
        turns = await self._get(scope, session, session.turn_count)
        return None if turns is None else _window(turns, limit, tokens)

    async def keep(self, scope: Scope, session: Session, turns: Sequence[Turn]) -> None:
        """Takes a copy of the last KEPT turns."""
        if self._cache is None:
            return
        value = _TURNS.dump_json(tuple(turns[-KEPT:]))
        if len(value) <= KEPT_BYTES:
            place = (scope.tenant_id, scope.namespace_id, NAME, session.session_id)
            version = _version(session, session.turn_count)
            await self._cache.set(*place, value=value, ttl=KEPT_FOR, version=version)

    async def extend(self, scope: Scope, session: Session, added: Sequence[Turn]) -> None:
        """Adds turns, which the session already counts, to the copy that has all before them."""
        before = session.turn_count - len(added)
        turns = await self._get(scope, session, before) if before else ()
        if turns is not None:
            numbered = [replace(turn, sequence=before + place) for place, turn in enumerate(added, 1)]
            await self.keep(scope, session, [*turns, *numbered])

    async def drop(self, scope: Scope, session_ids: Sequence[str]) -> None:
        """Drops the copies of erased sessions; call it after the erasure is committed."""
        if self._cache is not None:
            for session_id in session_ids:
                await self._cache.delete(scope.tenant_id, scope.namespace_id, NAME, session_id)

    async def _get(self, scope: Scope, session: Session, turn_count: int) -> tuple[Turn, ...] | None:
        if self._cache is None:
            return None
        place = (scope.tenant_id, scope.namespace_id, NAME, session.session_id)
        stored = await self._cache.get(*place, version=_version(session, turn_count))
        if stored is None:
            return None
        try:
            return _TURNS.validate_json(stored)
        except ValidationError:  # of another release
            return None


def _version(session: Session, turn_count: int) -> bytes:
    return f"{session.create_time.timestamp():.6f}/{turn_count}/{session.erasures}".encode()


def _window(turns: tuple[Turn, ...], limit: int, tokens: int | None) -> tuple[Turn, ...]:
    chosen: list[Turn] = []
    left = tokens
    for turn in reversed(turns[-limit:] if limit else ()):
        if left is not None:
            left -= turn.tokens
            if left < 0:
                break
        chosen.append(turn)
    return tuple(reversed(chosen))
