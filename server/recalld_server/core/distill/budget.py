"""How much of a chat model one run may use."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one run; and `tenant_tokens` of all runs of a tenant within 24 hours, 0: no limit."""

    tokens: int = 200_000
    seconds: float = 600.0
    calls: int = 50
    tenant_tokens: int = 0


class Budget:
    """What is left of the limits. `spent` is checked before each call; a call that is under way is never cut for tokens."""

    def __init__(
        self, limits: Limits | None = None, *, tenant_spent: int = 0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`tenant_spent`: tokens of the tenant's other runs within 24 hours."""
        self._limits = limits or Limits()
        self._tenant_spent = tenant_spent
        self._clock = clock
        self._begin = clock()
        self.tokens = 0
        self.calls = 0

    def count(self, tokens: int) -> None:
        """One call was made."""
        self.tokens += tokens
        self.calls += 1

    @property
    def seconds_left(self) -> float:
        return self._limits.seconds - (self._clock() - self._begin)

    @property
    def spent(self) -> str:
        """Which limit is reached; empty: none."""
        limits = self._limits
        if self.calls >= limits.calls:
            return "calls"
        if self.tokens >= limits.tokens:
            return "tokens"
        if self.seconds_left <= 0:
            return "seconds"
        if limits.tenant_tokens and self._tenant_spent + self.tokens >= limits.tenant_tokens:
            return "tenant tokens"
        return ""
