"""What people type, in both languages: times in a table, and what only looks like one; now is Wednesday 2026-11-18, 15:30."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from recalld_server.text.time_ranges import EARLIEST, find_time_range

SHANGHAI = ZoneInfo("Asia/Shanghai")
TABLE: dict[str, Any] = json.loads((Path(__file__).parent / "time_phrases_everyday.json").read_text(encoding="utf-8"))
NOW = datetime.fromisoformat(TABLE["now"]).replace(tzinfo=SHANGHAI)


def rows(kind: str) -> list[Any]:
    return [*TABLE["en"][kind], *TABLE["zh"][kind]]


@pytest.mark.parametrize(("text", "first", "last"), rows("days"))
def test_days_and_longer(text: str, first: str, last: str) -> None:
    found = find_time_range(text, NOW, SHANGHAI)
    assert found is not None
    assert [found.start.isoformat()[:16], (found.end - timedelta(days=1)).isoformat()[:16]] == [
        f"{first}T00:00",
        f"{last}T00:00",
    ]


@pytest.mark.parametrize(("text", "start", "end"), rows("times"))
def test_hours(text: str, start: str, end: str) -> None:
    found = find_time_range(text, NOW, SHANGHAI)
    assert found is not None
    assert [f"{moment:%Y-%m-%dT%H:%M}" for moment in (found.start, found.end)] == [start, end]


@pytest.mark.parametrize(("text", "last"), rows("until"))
def test_all_up_to_a_day(text: str, last: str) -> None:
    found = find_time_range(text, NOW, SHANGHAI)
    assert found is not None
    assert found.start == EARLIEST
    assert (found.end - timedelta(days=1)).date().isoformat() == last


@pytest.mark.parametrize("text", rows("none"))
def test_what_is_no_time(text: str) -> None:
    assert find_time_range(text, NOW, SHANGHAI) is None
