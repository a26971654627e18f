"""The clock that a process goes by: steady between two looks at the database's, and set only when it is off."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from recalld_server.model import Clock
from recalld_server.model import clock as module

BEGIN = 1_750_000_000.0


class Machine:
    """Its clock on the wall, and its steady one."""

    def __init__(self) -> None:
        self.wall, self.steady = BEGIN, 500.0

    def time(self) -> float:
        return self.wall

    def passes(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine()
    monkeypatch.setattr(module, "time", machine)
    monkeypatch.setattr(module, "steady", lambda: machine.steady)
    return machine


def told(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def compare(clock: Clock, machine: Machine, database: float, took: float = 0.0) -> None:
    clock.compare(told(database), machine.steady - took, machine.steady)


def test_it_is_the_machines_until_it_was_compared(machine: Machine) -> None:
    clock = Clock()
    machine.wall += 3600
    assert clock.now() == told(BEGIN + 3600)


@pytest.mark.parametrize("jump", [timedelta(hours=5), timedelta(hours=-5), timedelta(days=400)])
def test_a_machine_whose_clock_is_set_changes_nothing(machine: Machine, jump: timedelta) -> None:
    clock = Clock()
    compare(clock, machine, BEGIN)
    machine.wall += jump.total_seconds()
    machine.passes(10)
    assert clock.now() == told(BEGIN + 10)
    compare(clock, machine, BEGIN + 10)
    assert clock.now() == told(BEGIN + 10)


@pytest.mark.parametrize("jump", [timedelta(hours=5), timedelta(hours=-5), timedelta(seconds=2)])
def test_it_goes_where_the_database_goes(machine: Machine, jump: timedelta) -> None:
    clock = Clock()
    compare(clock, machine, BEGIN)
    machine.passes(1)
    compare(clock, machine, BEGIN + 1 + jump.total_seconds())
    machine.passes(1)
    assert clock.now() == told(BEGIN + 2) + jump


def test_one_that_is_right_enough_is_left_as_it_is(machine: Machine) -> None:
    clock = Clock()
    compare(clock, machine, BEGIN + 0.2)
    assert clock.now() == told(BEGIN)
    compare(clock, machine, BEGIN - 1, took=8.0)  # so long an answer says no more than that
    assert clock.now() == told(BEGIN)
    compare(clock, machine, BEGIN + 3, took=1.0)
    assert clock.now() == told(BEGIN + 3.5)
    compare(clock, machine, BEGIN + 3.6)
    assert clock.now() == told(BEGIN + 3.5)
    machine.wall += 10  # the machine's clock is right again, the database's as well
    compare(clock, machine, BEGIN + 10.1)
    assert clock.now() == told(BEGIN + 10)
