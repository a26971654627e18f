"""Times. Inside Python they are aware datetimes in UTC; a naive datetime that is given is read as UTC."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from recalld._duration import Duration
from recalld.errors import InvalidArgument


def to_timestamp(value: datetime | None, field: str) -> Timestamp | None:
    """The instant of a datetime; naive means UTC."""
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise InvalidArgument.of(field, f"takes a datetime, not a {type(value).__name__}")
    aware = value.replace(tzinfo=UTC) if value.tzinfo is None else value
    try:
        instant = aware.astimezone(UTC)
    except OverflowError:
        raise InvalidArgument.of(field, "is before the year 1 or after the year 9999 in UTC") from None
    stamp = Timestamp()
    stamp.FromDatetime(instant.replace(tzinfo=None))
    return stamp


def from_timestamp(message: Message, name: str) -> datetime | None:
    """The aware datetime in a message's field, to the microsecond; None when it is unset."""
    if not message.HasField(name):
        return None
    stamp: Timestamp = getattr(message, name)
    return stamp.ToDatetime(tzinfo=UTC)


def to_seconds(value: Duration | None, field: str) -> int | None:
    """Whole seconds, rounded up, so that a short life does not become an endless one."""
    if value is None:
        return None
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise InvalidArgument.of(field, f"takes a timedelta or a number of seconds, not a {type(value).__name__}")
    if not math.isfinite(seconds) or seconds <= 0:
        raise InvalidArgument.of(field, "takes a length of time above 0; leave it out for no end")
    return math.ceil(seconds)
