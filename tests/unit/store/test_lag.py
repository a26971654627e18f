"""How far a standby is behind, whatever its clock says and however fast the database goes on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recalld_server.store.postgres.lag import APART_SECONDS, Lag


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_one_that_has_everything_is_not_behind_however_long_nothing_happens() -> None:
    clock = Clock()
    lag = Lag(clock)
    assert lag.seconds == 0.0
    lag.see(10)
    lag.replayed = 10
    clock.now += 3600
    lag.see(10)
    assert lag.seconds == 0.0


def test_it_is_behind_since_the_database_had_what_it_lacks() -> None:
    clock = Clock()
    lag = Lag(clock)
    for position in (10, 20, 30):
        lag.see(position)
        clock.now += 1
    lag.replayed = 10
    assert lag.seconds == 2.0
    lag.replayed = 20
    assert lag.seconds == 1.0
    lag.replayed = 30
    assert lag.seconds == 0.0


@given(st.integers(1, 1_500), st.floats(0.0005, 0.25))
def test_a_database_that_is_asked_all_the_time_hides_no_lag(questions: int, pause: float) -> None:
    clock = Clock()
    lag = Lag(clock)
    begin = clock.now
    lag.see(1)
    for position in range(2, questions + 2):
        clock.now += pause
        lag.see(position)
    true = clock.now - begin
    assert true - APART_SECONDS <= lag.seconds <= true
