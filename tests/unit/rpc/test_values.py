from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st

from recalld.v1 import memory_pb2, memory_service_pb2
from recalld_server.errors import InvalidField
from recalld_server.model import Kind, NumberSpan, TimeSpan
from recalld_server.rpc.convert.values import (
    enum_or,
    number_span,
    optional_enum,
    optional_time,
    prose,
    time_span,
    time_zone,
    to_datetime,
    to_timestamp,
    uuid,
    uuids,
)

MICROSECOND = timedelta(microseconds=1)


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_time_comes_back_to_the_microsecond(moment: datetime) -> None:
    timestamp = to_timestamp(moment)
    assert timestamp is not None
    assert to_datetime(Timestamp.FromString(timestamp.SerializeToString()), "t") == moment
    assert 0 <= timestamp.nanos < 1_000_000_000


@given(st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29)), st.integers(-14, 14))
def test_a_time_of_another_zone_is_the_same_instant(moment: datetime, hours: int) -> None:
    moment = moment.replace(tzinfo=timezone(timedelta(hours=hours)))
    timestamp = to_timestamp(moment)
    assert timestamp is not None
    assert to_datetime(timestamp, "t") == moment


@pytest.mark.parametrize(
    ("seconds", "nanos", "moment"),
    [
        (0, 0, datetime(1970, 1, 1, tzinfo=UTC)),
        (-1, 999_999_000, datetime(1970, 1, 1, tzinfo=UTC) - MICROSECOND),
        (-62_135_596_800, 0, datetime(1, 1, 1, tzinfo=UTC)),
        (253_402_300_799, 999_999_999, datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC)),
        (1, 1_999, datetime(1970, 1, 1, 0, 0, 1, 1, UTC)),
    ],
)
def test_times_at_the_edges(seconds: int, nanos: int, moment: datetime) -> None:
    assert to_datetime(Timestamp(seconds=seconds, nanos=nanos), "t") == moment


@pytest.mark.parametrize(
    ("seconds", "nanos", "field"),
    [
        (253_402_300_800, 0, "filter.event_time.start.seconds"),
        (-62_135_596_801, 0, "filter.event_time.start.seconds"),
        (2**63 - 1, 0, "filter.event_time.start.seconds"),
        (-(2**63), 0, "filter.event_time.start.seconds"),
        (0, 1_000_000_000, "filter.event_time.start.nanos"),
        (0, -1, "filter.event_time.start.nanos"),
    ],
)
def test_a_time_that_cannot_be_is_refused_with_its_path(seconds: int, nanos: int, field: str) -> None:
    span = memory_pb2.TimeRange(start=Timestamp(seconds=seconds, nanos=nanos))
    with pytest.raises(InvalidField) as caught:
        time_span(span, "filter.event_time")
    assert caught.value.field == field


def test_a_naive_time_is_never_sent() -> None:
    with pytest.raises(TypeError):
        to_timestamp(datetime(2025, 1, 1))


def test_no_time_is_not_the_epoch() -> None:
    assert to_timestamp(None) is None
    assert optional_time(memory_service_pb2.GetRequest(), "as_of") is None
    epoch = memory_service_pb2.GetRequest(as_of=to_timestamp(datetime(1970, 1, 1, tzinfo=UTC)))
    assert epoch.HasField("as_of")
    assert optional_time(epoch, "as_of") == datetime(1970, 1, 1, tzinfo=UTC)


def test_ranges_of_time_may_be_open_and_empty_but_not_turned_round() -> None:
    early, late = Timestamp(seconds=1), Timestamp(seconds=2)
    assert time_span(memory_pb2.TimeRange(), "r") == TimeSpan()
    assert time_span(memory_pb2.TimeRange(start=late), "r") == TimeSpan(to_datetime(late, ""), None)
    assert time_span(memory_pb2.TimeRange(start=late, end=late), "r").end == to_datetime(late, "")
    with pytest.raises(InvalidField) as caught:
        time_span(memory_pb2.TimeRange(start=late, end=early), "range")
    assert caught.value.field == "range.end"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_range_of_numbers_has_numbers(value: float) -> None:
    with pytest.raises(InvalidField) as caught:
        number_span(memory_pb2.DoubleRange(max=value), "filter.confidence")
    assert caught.value.field == "filter.confidence.max"


def test_ranges_of_numbers_may_be_open_but_not_turned_round() -> None:
    assert number_span(memory_pb2.DoubleRange(), "r") == NumberSpan()
    assert number_span(memory_pb2.DoubleRange(min=0), "r") == NumberSpan(0.0, None)
    with pytest.raises(InvalidField) as caught:
        number_span(memory_pb2.DoubleRange(min=0.5, max=0.4), "filter.importance")
    assert caught.value.field == "filter.importance.max"


@pytest.mark.parametrize("name", ["UTC", "Asia/Shanghai", "Europe/Berlin", "America/Argentina/Buenos_Aires"])
def test_zones(name: str) -> None:
    assert time_zone(name, "time_zone") == name


def test_no_zone_is_utc() -> None:
    assert time_zone("", "time_zone") == "UTC"


@pytest.mark.parametrize(
    "name", ["Mars/Olympus", "../../etc/passwd", "/etc/localtime", "America", "asia/shanghai", "上海", "UTC ", "a" * 64]
)
def test_a_zone_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(InvalidField) as caught:
        time_zone(name, "time_zone")
    assert caught.value.field == "time_zone"


def test_ids() -> None:
    text = "01890a5d-ac96-774b-bcce-b302099a8057"
    assert uuid(text.upper(), "memory_id") == UUID(text)
    assert uuids([text], "memory_ids") == (UUID(text),)
    with pytest.raises(InvalidField) as caught:
        uuids([text, "é" * 36], "memory_ids")
    assert caught.value.field == "memory_ids[1]"


def test_an_enum_that_is_not_given_is_the_default_or_none() -> None:
    assert enum_or(Kind, 0, Kind.SEMANTIC) is Kind.SEMANTIC
    assert enum_or(Kind, 2, Kind.SEMANTIC) is Kind.EPISODIC
    assert optional_enum(Kind, 0) is None
    assert optional_enum(Kind, 4) is Kind.PROCEDURAL


def test_prose_loses_control_characters_and_nothing_else() -> None:
    assert prose("红茶\x00\x07 and\ttea\n") == "红茶 and\ttea\n"
    assert prose("") == ""
