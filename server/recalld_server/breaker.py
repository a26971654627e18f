"""A circuit breaker: what keeps failing (a model, the database) is left alone for a while, and callers are told at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from recalld_server.errors import ModelUnavailable, Unavailable

FAILURES: Final = 5
"""Failures in a row that open it."""
PAUSE_SECONDS: Final = 10.0
"""How long it stays open; longer when the model asked for more."""


class Breaker:
    """Closed: calls pass. Open: they are refused. After the pause one call tries; its end closes or opens it again.

    For one event loop: its methods are not meant for several threads.
    """

    def __init__(
        self,
        *,
        failures: int = FAILURES,
        pause: float = PAUSE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        error: type[Unavailable] = ModelUnavailable,
        what: str = "the model",
    ) -> None:
        """`error` is what counts as a failure of `what`, and what callers get while it is left alone."""
        self._error = error
        self._what = what
        self._limit = failures
        self._pause = pause
        self._clock = clock
        self._failures = 0
        self._open_until = 0.0
        self._trying = False

    @property
    def is_open(self) -> bool:
        """Whether calls are refused, or would be but for one that tries."""
        return self._failures >= self._limit

    @contextmanager
    def call(self, *, fair: bool = True) -> Iterator[None]:
        """Around one call. Raises the error instead of making it while the breaker is open.

        A normal end closes the breaker, that error is a failure, anything else says nothing.
        `fair` False: there was too little time to blame anybody, so a failure is not counted.
        """
        trial = self._failures >= self._limit
        if trial:
            left = self._open_until - self._clock()
            if left > 0 or self._trying:
                raise self._error(f"{self._what} has failed repeatedly and is left alone for a while", max(left, 1.0))
            self._trying = True
        try:
            yield
        except self._error as error:
            if fair:
                self._failures += 1
                self._open_until = self._clock() + max(self._pause, error.retry_after)
            raise
        else:
            self._failures = 0
        finally:
            if trial:
                self._trying = False
