"""What the server depends on, and whether it is there: seen in health by a service for each, and in the metrics.

Without its database a server serves nothing, so it says NOT_SERVING as a whole; without the model or Redis it goes on,
and only the health of that dependency says so.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import structlog

from recalld_server import telemetry
from recalld_server.errors import Unavailable

log = structlog.get_logger(__name__)

DATABASE, MODEL, REDIS = "database", "model", "redis"
PING_SECONDS = 2.0
LOOK_SECONDS = 1.0
COUNT_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Dependency:
    """Something that may be away. `ping` asks it, so that one that is back is noticed without a caller; raises Unavailable."""

    name: str
    available: Callable[[], bool]
    ping: Callable[[], Awaitable[object]]
    vital: bool = False


class Dependencies:
    """Looks after them; `look` is a chore."""

    def __init__(
        self, dependencies: Sequence[Dependency], report: Callable[[Mapping[str, bool], bool], Awaitable[None]]
    ) -> None:
        """`report` is told which are there by name, and whether all that is vital is."""
        self._dependencies = dependencies
        self._report = report
        self._known: dict[str, bool] = {}

    async def look(self) -> int:
        """Asks those that are vital or away, and reports what has changed."""
        found = {each.name: await self._there(each) for each in self._dependencies}
        telemetry.observe("recalld.breaker.open", [(not up, {"dependency": name}) for name, up in found.items()])
        if found != self._known:
            for name, up in found.items():
                if self._known.get(name, True) != up:
                    log.warning("a dependency is back" if up else "a dependency is away", dependency=name)
            self._known = found
            await self._report(found, all(found[each.name] for each in self._dependencies if each.vital))
        return 0

    async def _there(self, dependency: Dependency) -> bool:
        if dependency.vital or not dependency.available():
            try:
                async with asyncio.timeout(PING_SECONDS):
                    await dependency.ping()
            except (Unavailable, TimeoutError):
                return False
        return dependency.available()


class Lag:
    """How late the event loop gets to a task, and how many it has; `measure` is a chore."""

    async def measure(self) -> int:
        """Sleeps for a moment and tells how much longer that took."""
        telemetry.observe("recalld.loop.tasks", [(len(asyncio.all_tasks()), {})])
        begin = time.perf_counter()
        await asyncio.sleep(0.05)
        telemetry.observe("recalld.loop.lag", [(max(0.0, time.perf_counter() - begin - 0.05), {})])
        return 0


class Counting:
    """Counts what only the database knows, while somebody asks for figures; `count` is a chore."""

    def __init__(self, observe: Callable[[], Awaitable[None]]) -> None:
        self._observe = observe

    async def count(self) -> int:
        """Observes the gauges of the store; they keep their last values while it is away."""
        if telemetry.measuring():
            with suppress(Unavailable):
                await self._observe()
        return 0
