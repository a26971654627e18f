"""Starts the reflections that namespaces have scheduled: one for each time that is due, whichever server sees it first;
and after a time without servers, one for all the times that were missed."""

from __future__ import annotations

from collections.abc import Callable
from zoneinfo import ZoneInfo

from recalld_server.core.reflect.material import SCHEDULE
from recalld_server.core.reflect.targets import USUAL
from recalld_server.core.schedule import is_schedule, latest
from recalld_server.model import EVERY_AGENT, Reflection, ReflectionScope, ReflectionState, new_id, utc_now
from recalld_server.store.base import ReflectionSchedules, Scheduled


class Scheduler:
    """Every server runs one."""

    def __init__(self, schedules: ReflectionSchedules, on_started: Callable[[], None] = lambda: None) -> None:
        self._schedules = schedules
        self._on_started = on_started

    async def run(self) -> int:
        """Starts what is due. Returns how many this server started; another may have been faster."""
        started = 0
        for each in await self._schedules.scheduled():
            started += await self._start(each)
        if started:
            self._on_started()
        # nothing is due a second time now
        return 0

    async def _start(self, each: Scheduled) -> bool:
        now = utc_now()
        if not each.known:
            # switched on, or changed, just now: what was due before is none of its business
            await self._schedules.take(each, now, None)
            return False
        if not is_schedule(each.line):
            return False
        tick = latest(each.line, ZoneInfo(each.time_zone), now)
        if tick is None or each.tick is None or tick <= each.tick:
            return False
        reflection = Reflection(
            new_id(),
            each.scope.namespace,
            ReflectionState.PENDING,
            ReflectionScope(since_last=True),
            USUAL,
            EVERY_AGENT,
            SCHEDULE,
            now,
        )
        return await self._schedules.take(each, tick, reflection)
