"""When a cron line is due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.core.schedule import is_schedule, latest

NIGHTLY = "0 3 * * *"
BERLIN, SHANGHAI = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Shanghai")


@pytest.mark.parametrize("line", [NIGHTLY, "* * * * *", "*/5 1-3 * * MON", "30 2 29 2 *"])
def test_a_line_of_five_fields_is_a_schedule(line: str) -> None:
    assert is_schedule(line)


@pytest.mark.parametrize(
    "line",
    ["", "每天三点", "@daily", "0 3 * *", "0 3 * * * *", "61 3 * * *", "0 3 31 2 *", "R 3 * * *", "0 3 * * *; x"],
)
def test_anything_else_is_none(line: str) -> None:
    assert not is_schedule(line)


@pytest.mark.parametrize(
    ("now", "zone", "due"),
    [
        ("2026-03-02T02:59:59Z", ZoneInfo("UTC"), "2026-03-01T03:00:00Z"),
        ("2026-03-02T03:00:00Z", ZoneInfo("UTC"), "2026-03-02T03:00:00Z"),
        ("2026-03-02T12:00:00Z", SHANGHAI, "2026-03-01T19:00:00Z"),
        ("2026-01-10T12:00:00Z", BERLIN, "2026-01-10T02:00:00Z"),
        ("2026-07-10T12:00:00Z", BERLIN, "2026-07-10T01:00:00Z"),
        ("2026-10-25T01:30:00Z", BERLIN, "2026-10-24T01:00:00Z"),
        ("2026-10-25T02:00:00Z", BERLIN, "2026-10-25T02:00:00Z"),
    ],
)
def test_it_is_due_by_the_clock_on_the_wall(now: str, zone: ZoneInfo, due: str) -> None:
    assert latest(NIGHTLY, zone, datetime.fromisoformat(now)) == datetime.fromisoformat(due)


def test_an_hour_that_comes_twice_counts_once_and_one_that_is_left_out_is_caught_up() -> None:
    def ticks(line: str, day: datetime) -> set[datetime | None]:
        return {latest(line, BERLIN, day + timedelta(minutes=10 * n)) for n in range(144)}

    autumn = ticks("30 2 * * *", datetime(2026, 10, 24, 22, tzinfo=UTC))
    spring = ticks("30 2 * * *", datetime(2026, 3, 28, 23, tzinfo=UTC))
    assert autumn == {datetime(2026, 10, 24, 0, 30, tzinfo=UTC), datetime(2026, 10, 25, 0, 30, tzinfo=UTC)}
    assert spring == {datetime(2026, 3, 28, 1, 30, tzinfo=UTC), datetime(2026, 3, 29, 1, 30, tzinfo=UTC)}


@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)),
    st.sampled_from([BERLIN, SHANGHAI]),
)
def test_it_is_never_due_in_the_future_and_never_long_ago(now: datetime, zone: ZoneInfo) -> None:
    due = latest(NIGHTLY, zone, now)
    assert due is not None
    assert timedelta(0) <= now - due <= timedelta(hours=25)
