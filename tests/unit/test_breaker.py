"""The circuit breaker."""

from __future__ import annotations

import pytest

from recalld_server.breaker import Breaker
from recalld_server.errors import ModelUnavailable


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker(failures=3, pause=10, clock=clock)


def fail(breaker: Breaker, times: int = 1, *, retry_after: float = 1.0, fair: bool = True) -> None:
    for _ in range(times):
        with pytest.raises(ModelUnavailable, match="down"), breaker.call(fair=fair):
            raise ModelUnavailable("down", retry_after)


def succeed(breaker: Breaker) -> None:
    with breaker.call():
        pass


def test_it_opens_after_failures_in_a_row(breaker: Breaker) -> None:
    fail(breaker, 2)
    succeed(breaker)
    fail(breaker, 3)
    with pytest.raises(ModelUnavailable, match="left alone") as refused:
        succeed(breaker)
    assert refused.value.retry_after == pytest.approx(10)


def test_it_stays_open_as_long_as_the_model_asks(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 3, retry_after=30)
    clock.now += 29
    with pytest.raises(ModelUnavailable, match="left alone"):
        succeed(breaker)
    clock.now += 1
    succeed(breaker)


def test_one_call_tries_after_the_pause_and_decides(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 3)
    clock.now += 10
    with breaker.call(), pytest.raises(ModelUnavailable, match="left alone"):
        succeed(breaker)
    succeed(breaker)
    fail(breaker, 3)
    clock.now += 10
    fail(breaker)
    with pytest.raises(ModelUnavailable, match="left alone"):
        succeed(breaker)


def test_other_errors_and_hasty_calls_say_nothing(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 9, fair=False)
    for _ in range(9):
        with pytest.raises(ZeroDivisionError), breaker.call():
            raise ZeroDivisionError
    succeed(breaker)


def test_a_trial_that_is_cut_off_makes_room_for_the_next(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 3)
    clock.now += 10
    with pytest.raises(KeyboardInterrupt), breaker.call():
        raise KeyboardInterrupt
    succeed(breaker)
