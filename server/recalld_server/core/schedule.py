"""When a cron line is due: "0 3 * * *" in Europe/Berlin is three in the morning there, summer and winter."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from croniter import CroniterBadDateError, croniter

_FIELDS: Final = 5
_FIELD: Final = re.compile(r"(?:[0-9*/,\-]|[a-zA-Z]{3})+")
"""Figures, signs, names of months and weekdays; not what only this library's cron knows."""


def is_schedule(line: str) -> bool:
    """Whether a text is a cron line of five fields (minute, hour, day, month, weekday) that comes true at some time."""
    fields = line.split()
    if len(fields) != _FIELDS or not all(_FIELD.fullmatch(field) for field in fields) or not croniter.is_valid(line):
        return False
    try:
        croniter(line, datetime(2024, 1, 1)).get_next(datetime)
    except CroniterBadDateError:
        return False
    return True


def latest(line: str, zone: ZoneInfo, now: datetime) -> datetime | None:
    """The last moment up to `now` at which the line was due, in UTC; None when there is none. Where clocks go back, an
    hour that comes twice counts once; where they go forward, what falls into the gap is due behind it."""
    # cron lines speak of what a clock on the wall shows: reckoned without a zone, then placed in it
    wall = now.astimezone(zone).replace(tzinfo=None, microsecond=0, fold=0) + timedelta(seconds=1)
    try:
        tick: datetime = croniter(line, wall).get_prev(datetime)
        moment = tick.replace(tzinfo=zone).astimezone(UTC)
        if moment > now:
            moment = croniter(line, tick).get_prev(datetime).replace(tzinfo=zone).astimezone(UTC)
    except CroniterBadDateError:
        return None
    return moment if moment <= now else None
