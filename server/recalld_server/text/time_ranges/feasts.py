"""Days with a name: which days of a year they are. Fixed ones, nth weekdays, Easter, and those of the Chinese calendar."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

Feast = Callable[[int], tuple[date, date] | None]
"""Of a year the first and the last day, both included; None where that is not known."""

THURSDAY: Final = 3
SUNDAY: Final = 6

NEW_YEAR, QINGMING, DRAGON_BOAT, DOUBLE_SEVENTH, MID_AUTUMN, DOUBLE_NINTH = range(6)

# Month and day of 1/1, of the solar term, and of 5/5, 7/7, 8/15 and 9/9 of the Chinese calendar. From the tables of the
# packages lunardate 0.3.0 and zhdate 0.1, which agree; the solar term computed from the sun's longitude.
_CHINESE: Final = """
2000 0205 0404 0606 0806 0912 1006
2001 0124 0405 0625 0825 1001 1025
2002 0212 0405 0615 0815 0921 1014
2003 0201 0405 0604 0804 0911 1004
2004 0122 0404 0622 0822 0928 1022
2005 0209 0405 0611 0811 0918 1011
2006 0129 0405 0531 0731 1006 1030
2007 0218 0405 0619 0819 0925 1019
2008 0207 0404 0608 0807 0914 1007
2009 0126 0404 0528 0826 1003 1026
2010 0214 0405 0616 0816 0922 1016
2011 0203 0405 0606 0806 0912 1005
2012 0123 0404 0623 0823 0930 1023
2013 0210 0404 0612 0813 0919 1013
2014 0131 0405 0602 0802 0908 1002
2015 0219 0405 0620 0820 0927 1021
2016 0208 0404 0609 0809 0915 1009
2017 0128 0404 0530 0828 1004 1028
2018 0216 0405 0618 0817 0924 1017
2019 0205 0405 0607 0807 0913 1007
2020 0125 0404 0625 0825 1001 1025
2021 0212 0404 0614 0814 0921 1014
2022 0201 0405 0603 0804 0910 1004
2023 0122 0405 0622 0822 0929 1023
2024 0210 0404 0610 0810 0917 1011
2025 0129 0404 0531 0829 1006 1029
2026 0217 0405 0619 0819 0925 1018
2027 0206 0405 0609 0808 0915 1008
2028 0126 0404 0528 0826 1003 1026
2029 0213 0404 0616 0816 0922 1016
2030 0203 0405 0605 0805 0912 1005
2031 0123 0405 0624 0824 1001 1024
2032 0211 0404 0612 0812 0919 1012
2033 0131 0404 0601 0801 0908 1001
2034 0219 0405 0620 0820 0927 1020
2035 0208 0405 0610 0810 0916 1009
2036 0128 0404 0530 0828 1004 1027
2037 0215 0404 0618 0817 0924 1017
2038 0204 0405 0607 0807 0913 1007
2039 0124 0405 0527 0826 1002 1026
2040 0212 0404 0614 0814 0920 1014
2041 0201 0404 0603 0803 0910 1003
2042 0122 0404 0622 0822 0928 1022
2043 0210 0405 0611 0811 0917 1011
2044 0130 0404 0531 0731 1005 1029
2045 0217 0404 0619 0819 0925 1018
2046 0206 0404 0608 0808 0915 1008
2047 0126 0405 0529 0827 1004 1027
2048 0214 0404 0615 0816 0922 1016
2049 0202 0404 0604 0805 0911 1005
2050 0123 0404 0623 0823 0930 1024
"""


def _parsed(table: str) -> dict[int, tuple[date, ...]]:
    rows = (line.split() for line in table.strip().split("\n"))
    return {int(year): tuple(date(int(year), int(day[:2]), int(day[2:])) for day in days) for year, *days in rows}


_DAYS: Final = _parsed(_CHINESE)


def fixed(month: int, first: int, last: int = 0) -> Feast:
    """The same days of each year; one day without `last`."""
    return lambda year: (date(year, month, first), date(year, month, last or first))


def nth_weekday(month: int, weekday: int, nth: int, shift: int = 0) -> Feast:
    """The nth weekday (0 Monday … 6 Sunday) of a month, and `shift` days on."""

    def days(year: int) -> tuple[date, date]:
        first = date(year, month, 1)
        return _one(first, (weekday - first.weekday()) % 7 + 7 * (nth - 1) + shift)

    return days


def easter(shift: int = 0) -> Feast:
    """The western Easter Sunday, and `shift` days on."""
    return lambda year: _one(_easter(year), shift)


def chinese(which: int, shift: int = 0, count: int = 1) -> Feast:
    """`count` days, `shift` days after a day of the table; known for 2000 to 2050."""

    def days(year: int) -> tuple[date, date] | None:
        if year not in _DAYS:
            return None
        first = _DAYS[year][which] + timedelta(days=shift)
        return first, first + timedelta(days=count - 1)

    return days


def around(feast: Feast) -> Feast:
    """A day more on either side of a feast of one day; a longer one as it is."""

    def days(year: int) -> tuple[date, date] | None:
        found = feast(year)
        if found is None or found[0] < found[1]:
            return found
        return found[0] - timedelta(days=1), found[1] + timedelta(days=1)

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
