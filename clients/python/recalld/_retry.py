"""When a failed call is made again, and after how long. Pure: the front ends do the waiting."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from recalld.errors import ConfigurationError, QuotaExceeded, RecalldError, Unavailable


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how fast a call is made again.

    Only failures that a repetition can mend are retried: UNAVAILABLE, and RESOURCE_EXHAUSTED when the server says
    after how long (RetryInfo). A deadline that has passed is never retried. Every mutation carries a request_id, so
    a repetition gets the first answer instead of a second effect. The n-th wait is `initial * multiplier ** n`, at
    most `maximum`, less up to half of it by chance, and never less than the server asks for; a wait that would pass
    the call's deadline is not begun. Calls are never hedged (sent twice at once).
    """

    attempts: int = 5
    """Calls at most, the first included; 1 switches retries off."""
    initial: float = 0.2
    """Seconds before the second call."""
    maximum: float = 5.0
    """Seconds at most before any call, unless the server asks for more."""
    multiplier: float = 2.0

    def __post_init__(self) -> None:
        if self.attempts < 1 or self.initial < 0 or self.maximum < 0 or self.multiplier < 1:
            raise ConfigurationError(
                "RetryPolicy: attempts and multiplier are at least 1, the waits at least 0 seconds"
            )

    def backoff(self, failures: int) -> float:
        """Seconds to wait after this many failures in a row (1 or more), by chance within a range."""
        # Capped before the power is taken: 2.0 ** 5000 is an OverflowError.
        full = min(self.maximum, self.initial * self.multiplier ** min(failures - 1, 64))
        return full * random.uniform(0.5, 1.0)  # noqa: S311 - spreads load, guards nothing

    def delay(self, error: RecalldError, failures: int, remaining: float | None) -> float | None:
        """Seconds until the next call after `failures` failed ones; None: give up and raise the error."""
        if failures >= self.attempts:
            return None
        wait = self.wait(error, failures)
        return None if wait is None or (remaining is not None and wait >= remaining) else wait

    def wait(self, error: RecalldError, failures: int) -> float | None:
        """As `delay`, without a bound on attempts and time: for streams that go on where they were."""
        if isinstance(error, Unavailable):
            return max(self.backoff(failures), error.retry_after or 0.0)
        if isinstance(error, QuotaExceeded) and error.retry_after is not None:
            return max(self.backoff(failures), error.retry_after)
        return None


class Deadline:
    """The end of a call, retries and waits included."""

    __slots__ = ("_end",)

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def remaining(self) -> float | None:
        """Seconds left, never below 0; None: no end."""
        return None if self._end is None else max(0.0, self._end - time.monotonic())
