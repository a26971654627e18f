"""The Chinese calendar: its months, its days, and two of its solar terms. Known for 2000 to 2050."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from recalld_server.text.time_ranges.feasts import Feast

NEW_YEAR: Final = (1, 1)
DRAGON_BOAT: Final = (5, 5)
DOUBLE_SEVENTH: Final = (7, 7)
MID_AUTUMN: Final = (8, 15)
DOUBLE_NINTH: Final = (9, 9)
LAST_MONTH: Final = 12

# The year; month and day of its first day; the month after which one of the same number is put in, or 0; its months, 1 for
# thirty days and 0 for twenty-nine; 清明 and 冬至. From the tables of the packages lunardate 0.3.0 and zhdate 0.1, which
# agree; the solar terms computed from the sun's longitude.
_TABLE: Final = """
2000 0205 0 110010010110 0404 1221
2001 0124 4 1101010010101 0405 1222
2002 0212 0 110101001010 0405 1222
2003 0201 0 110110100101 0405 1222
2004 0122 2 0101101010101 0404 1221
2005 0209 0 010101101010 0405 1222
2006 0129 7 1010101011011 0405 1222
2007 0218 0 001001011101 0405 1222
2008 0207 0 100100101101 0404 1221
2009 0126 5 1100100101011 0404 1222
2010 0214 0 101010010101 0405 1222
2011 0203 0 101101001010 0405 1222
2012 0123 4 1011010101010 0404 1221
2013 0210 0 101011010101 0404 1222
2014 0131 9 0101010110101 0405 1222
2015 0219 0 010010111010 0405 1222
2016 0208 0 101001011011 0404 1221
2017 0128 6 0101001010111 0404 1222
2018 0216 0 010100101011 0405 1222
2019 0205 0 101010010011 0405 1222
2020 0125 4 0111010010101 0404 1221
2021 0212 0 011010101010 0404 1221
2022 0201 0 101011010101 0405 1222
2023 0122 2 0100110110101 0405 1222
2024 0210 0 010010110110 0404 1221
2025 0129 6 1010010101110 0404 1221
2026 0217 0 101001001110 0405 1222
2027 0206 0 110100100110 0405 1222
2028 0126 5 1110100100110 0404 1221
2029 0213 0 110101010011 0404 1221
2030 0203 0 010110101010 0405 1222
2031 0123 3 0110101101010 0405 1222
2032 0211 0 100101101101 0404 1221
2033 0131 11 0100101011101 0404 1221
2034 0219 0 010010101101 0405 1222
2035 0208 0 101001001101 0405 1222
2036 0128 6 1101001001011 0404 1221
2037 0215 0 110100100101 0404 1221
2038 0204 0 110101010010 0405 1222
2039 0124 5 1101101010100 0405 1222
2040 0212 0 101101011010 0404 1221
2041 0201 0 010101101101 0404 1221
2042 0122 2 0100101011011 0404 1222
2043 0210 0 010010011011 0405 1222
2044 0130 7 1010010010111 0404 1221
2045 0217 0 101001001011 0404 1221
2046 0206 0 101010100101 0404 1222
2047 0126 5 1011010100101 0405 1222
2048 0214 0 011011010010 0404 1221
2049 0202 0 101011011010 0404 1221
2050 0123 3 0101010110110 0404 1222
"""


@dataclass(frozen=True, slots=True)
class _Year:
    leap: int
    lengths: tuple[int, ...]
    first: date
    qingming: date
    winter_solstice: date

    def month(self, number: int, leap: bool) -> tuple[date, int] | None:
        """The first day of a month and how many it has; None for one that was not put in."""
        if leap and number != self.leap:
            return None
        index = number - 1 + (leap or 0 < self.leap < number)
        return self.first + timedelta(days=sum(self.lengths[:index])), self.lengths[index]


def _parsed(line: str) -> _Year:
    year, first, leap, lengths, *terms = line.split()
    days = (date(int(year), int(day[:2]), int(day[2:])) for day in (first, *terms))
    return _Year(int(leap), tuple(29 + int(long) for long in lengths), *days)


_YEARS: Final = {year.first.year: year for year in map(_parsed, _TABLE.strip().split("\n"))}


def lunar_days(month: int, day: int, shift: int = 0, count: int = 1, leap: bool = False) -> Feast:
    """`count` days, `shift` days after a day of the Chinese year; None in a year that has no such day."""

    def days(year: int) -> tuple[date, date] | None:
        found = _YEARS[year].month(month, leap) if year in _YEARS else None
        # the last day of the year is called 腊月三十 where it is the twenty-ninth too
        of_month = min(day, found[1]) if found is not None and month == LAST_MONTH else day
        if found is None or of_month > found[1]:
            return None
        first = found[0] + timedelta(days=of_month - 1 + shift)
        return first, first + timedelta(days=count - 1)

    return days


def lunar_month(month: int, leap: bool = False) -> Feast:
    def days(year: int) -> tuple[date, date] | None:
        found = _YEARS[year].month(month, leap) if year in _YEARS else None
        return None if found is None else (found[0], found[0] + timedelta(days=found[1] - 1))

    return days


def new_years_eve(year: int) -> tuple[date, date] | None:
    """The day before the Chinese year begins; of 2025 that is in 2025."""
    return lunar_days(*NEW_YEAR, shift=-1)(year)


def qingming(year: int) -> tuple[date, date] | None:
    return (_YEARS[year].qingming,) * 2 if year in _YEARS else None


def winter_solstice(year: int) -> tuple[date, date] | None:
    return (_YEARS[year].winter_solstice,) * 2 if year in _YEARS else None


SPRING_FESTIVAL: Final = lunar_days(*NEW_YEAR, count=7)
