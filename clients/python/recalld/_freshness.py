"""How new the answers of a client's reads must be, where a service lets standbys of its database answer them.

Calls tell in their trailing metadata how far the database had come when they ended. Reads repeat the greatest of these
tokens, so that a client never reads what is older than what it wrote or was told, whichever server it asks.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass

HEADER = "recalld-read-after"
NOW = "now"
"""What is there when the call comes; it compares as greater than any token."""
ANY = "0" * 16


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that begins: the token that a read gives, and how much had been missed by then."""

    token: str
    missed: int


class Freshness:
    """What one client knows. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._token = ANY
        # what was there before this client is not known either
        self._missed = 1
        self._covered = 0

    @property
    def token(self) -> str:
        """The token that a read gives now."""
        with self._lock:
            return NOW if self._missed > self._covered else self._token

    def begin(self) -> Asked:
        """Before a call."""
        with self._lock:
            return Asked(NOW if self._missed > self._covered else self._token, self._missed)

    def miss(self) -> None:
        """Something happened whose token is not known: a call failed halfway, a stream told of something."""
        with self._lock:
            self._missed += 1

    def note(self, asked: Asked, metadata: Iterable[tuple[str, str | bytes]] | None) -> None:
        """After a call that ended well, with its trailing metadata."""
        token = max((str(value) for key, value in metadata or () if key == HEADER), default="")
        with self._lock:
            if token == NOW:
                self._missed += 1
            elif token or asked.token == NOW:
                # without a token after `now`: nothing but the database itself answers there
                self._token = max(self._token, token)
                self._covered = max(self._covered, asked.missed)

    def at_least(self, token: str) -> None:
        """Takes over what another client knows."""
        with self._lock:
            if token == NOW:
                self._missed += 1
            else:
                self._token = max(self._token, token)
