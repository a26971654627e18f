"""Single values: times, ranges, ids, time zones, enums and prose. Errors name the path of the field."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TypeVar
from uuid import UUID

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from recalld.v1 import memory_pb2
from recalld_server.errors import InvalidField
from recalld_server.model import NumberSpan, TimeSpan
from recalld_server.rpc.validation import time_zones
from recalld_server.text.clean import clean

E = TypeVar("E", bound=enum.IntEnum)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_SECOND = -62_135_596_800
"""0001-01-01T00:00:00Z."""
LAST_SECOND = 253_402_300_799
"""9999-12-31T23:59:59Z."""


def to_timestamp(moment: datetime | None) -> Timestamp | None:
    """Exact, since a datetime has microseconds. A naive datetime is a fault of the server: TypeError."""
    if moment is None:
        return None
    timestamp = Timestamp()
    fill_timestamp(timestamp, moment)
    return timestamp


def fill_timestamp(timestamp: Timestamp, moment: datetime) -> None:
    """As `to_timestamp`, into a message where it stands."""
    since = moment - EPOCH
    timestamp.seconds = since.days * 86_400 + since.seconds
    timestamp.nanos = since.microseconds * 1000


def to_datetime(timestamp: Timestamp, path: str) -> datetime:
    """In UTC, cut to the microsecond. Raises InvalidField outside the years 1 to 9999."""
    seconds, nanos = timestamp.seconds, timestamp.nanos
    if not FIRST_SECOND <= seconds <= LAST_SECOND:
        raise InvalidField(f"{path}.seconds", "must be in the years 1 to 9999")
    if not 0 <= nanos <= 999_999_999:
        raise InvalidField(f"{path}.nanos", "must be from 0 to 999,999,999")
    return EPOCH + timedelta(seconds=seconds, microseconds=nanos // 1000)


def optional_time(message: Message, field: str, prefix: str = "") -> datetime | None:
    """The time in a field of a message, or None when it is unset."""
    return to_datetime(getattr(message, field), prefix + field) if message.HasField(field) else None


def time_span(span: memory_pb2.TimeRange, path: str) -> TimeSpan:
    """Raises InvalidField for a range that ends before it starts."""
    start, end = optional_time(span, "start", f"{path}."), optional_time(span, "end", f"{path}.")
    if start is not None and end is not None and end < start:
        raise InvalidField(f"{path}.end", "is before start")
    return TimeSpan(start, end)


def from_time_span(span: TimeSpan) -> memory_pb2.TimeRange:
    return memory_pb2.TimeRange(start=to_timestamp(span.start), end=to_timestamp(span.end))


def number_span(span: memory_pb2.DoubleRange, path: str) -> NumberSpan:
    """Raises InvalidField for what is no number, and for a range that ends before it starts."""
    low = span.min if span.HasField("min") else None
    high = span.max if span.HasField("max") else None
    for name, value in (("min", low), ("max", high)):
        if value is not None and not math.isfinite(value):
            raise InvalidField(f"{path}.{name}", "must be a finite number")
    if low is not None and high is not None and high < low:
        raise InvalidField(f"{path}.max", "is less than min")
    return NumberSpan(low, high)


def uuids(values: Iterable[str], path: str) -> tuple[UUID, ...]:
    """The ids of a repeated field. Raises InvalidField."""
    return tuple(uuid(value, f"{path}[{place}]") for place, value in enumerate(values))


def distinct_uuids(values: Iterable[str], path: str) -> tuple[UUID, ...]:
    """The ids of a repeated field, each in one spelling only. Raises InvalidField."""
    found = uuids(values, path)
    if len(set(found)) < len(found):
        raise InvalidField(path, "must not hold the same item twice")
    return found


def uuid(value: str, path: str) -> UUID:
    """Raises InvalidField."""
    try:
        return UUID(value)
    except ValueError as error:
        raise InvalidField(path, "must be a UUID") from error


def optional_uuid(value: str, path: str) -> UUID | None:
    return uuid(value, path) if value else None


def to_id(value: UUID | None) -> str:
    return "" if value is None else str(value)


def enum_or(kind: type[E], value: int, default: E) -> E:
    """The member, or the default when the field is unspecified."""
    return kind(value) if value else default


def optional_enum(kind: type[E], value: int) -> E | None:
    return kind(value) if value else None


def time_zone(name: str, path: str) -> str:
    """The name of an IANA zone; empty: UTC. Raises InvalidField."""
    if name and name not in time_zones():
        raise InvalidField(path, "is not an IANA time zone: give a name such as Asia/Shanghai or Europe/Berlin")
    return name or "UTC"


def prose(text: str) -> str:
    """A text for reading that is not a memory's own: without control characters."""
    return clean(text) if text else ""
