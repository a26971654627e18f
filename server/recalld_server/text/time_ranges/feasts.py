"""Days with a name: which days of a year they are. Fixed ones, nth weekdays, Easter; the weekend and the week around one."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

Feast = Callable[[int], tuple[date, date] | None]
"""Of a year the first and the last day, both included; None where that is not known."""

MONDAY: Final = 0
THURSDAY: Final = 3
SATURDAY: Final = 5
SUNDAY: Final = 6


def fixed(month: int, first: int, last: int = 0) -> Feast:
    """The same days of each year; one day without `last`."""
    return lambda year: (date(year, month, first), date(year, month, last or first))


def whole_months(first: int, last: int) -> Feast:
    return lambda year: (date(year, first, 1), date(year, last, monthrange(year, last)[1]))


def nth_weekday(month: int, weekday: int, nth: int, shift: int = 0) -> Feast:
    """The nth weekday (0 Monday … 6 Sunday; -1 for the last) of a month, and `shift` days on."""

    def days(year: int) -> tuple[date, date]:
        if nth < 0:
            last = date(year, month, monthrange(year, month)[1])
            return _one(last, -((last.weekday() - weekday) % 7) + shift)
        first = date(year, month, 1)
        return _one(first, (weekday - first.weekday()) % 7 + 7 * (nth - 1) + shift)

    return days


def easter(shift: int = 0, count: int = 1) -> Feast:
    """`count` days, `shift` days after the western Easter Sunday."""

    def days(year: int) -> tuple[date, date]:
        first = _easter(year) + timedelta(days=shift)
        return first, first + timedelta(days=count - 1)

    return days


def around(first: date, last: date) -> tuple[date, date]:
    """A day more on either side of one day; longer ones as they are."""
    return (first, last) if first < last else (first - timedelta(days=1), last + timedelta(days=1))


def weekend(first: date, last: date) -> tuple[date, date]:
    """One day with the weekend that is nearest to it, and what lies between: "Labor Day weekend", "Thanksgiving weekend"."""
    if first < last:
        return first, last
    saturday = nearest_saturday(first)
    return min(first, saturday), max(first, saturday + timedelta(days=1))


def nearest_saturday(day: date) -> date:
    """The Saturday of the weekend that a day lies in, else of the one nearest to it."""
    return day + timedelta(days=SATURDAY - day.weekday() - (7 if day.weekday() < 2 else 0))


def week(first: date, last: date) -> tuple[date, date]:
    """All days from Monday to Sunday around a day or a few."""
    return first - timedelta(days=first.weekday()), last + timedelta(days=SUNDAY - last.weekday())


def widened(feast: Feast, change: Callable[[date, date], tuple[date, date]]) -> Feast:
    def days(year: int) -> tuple[date, date] | None:
        found = feast(year)
        return None if found is None else change(*found)

    return days


def _one(day: date, shift: int) -> tuple[date, date]:
    day += timedelta(days=shift)
    return day, day


def _easter(year: int) -> date:
    """By the rule of Meeus, Jones and Butcher, which needs no exceptions."""
    golden, (century, short) = year % 19, divmod(year, 100)
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    sunday = (32 + 2 * (century % 4) + 2 * (short // 4) - epact - short % 4) % 7
    shift = (golden + 11 * epact + 22 * sunday) // 451
    month, day = divmod(epact + sunday - 7 * shift + 114, 31)
    return date(year, month, day + 1)


MOTHERS_DAY: Final = nth_weekday(5, SUNDAY, 2)
FATHERS_DAY: Final = nth_weekday(6, SUNDAY, 3)
THANKSGIVING: Final = nth_weekday(11, THURSDAY, 4)
BLACK_FRIDAY: Final = nth_weekday(11, THURSDAY, 4, shift=1)
