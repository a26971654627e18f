"""Which denied calls are worth an event, so that nobody can fill the audit log by asking for what it may not have."""

from __future__ import annotations

import time
from collections.abc import Callable
from uuid import UUID

from recalld_server.model import Principal

NOTED_FOR = 3600.0
"""Seconds for which the same attempt of one principal is not noted again."""
NOTED_AT_MOST = 20
"""Attempts of one principal that are noted in that time."""
PRINCIPALS = 10_000
"""Principals that are remembered; those that were first denied longest ago go first."""

_Who = tuple[UUID, str, str]


class Denials:
    """Remembers, in this process, what each principal was denied lately."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._noted: dict[_Who, tuple[float, set[tuple[str, str, str]]]] = {}

    def is_news(self, principal: Principal, namespace: str, outcome: str) -> bool:
        """Whether this call, in this namespace and with this end, is to be noted. Asked once for each denied call."""
        who = principal.tenant_id, principal.agent_id, principal.key_id
        attempt = principal.method, namespace, outcome
        until, noted = self._noted.get(who, (0.0, set()))
        if until <= self._clock():
            self._noted.pop(who, None)
            if len(self._noted) >= PRINCIPALS:
                self._noted.pop(next(iter(self._noted)))
            noted = set()
            self._noted[who] = self._clock() + NOTED_FOR, noted
        if attempt in noted or len(noted) >= NOTED_AT_MOST:
            return False
        noted.add(attempt)
        return True
