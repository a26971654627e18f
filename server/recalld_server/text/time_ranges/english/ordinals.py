"""The nth of something in English: "the first quarter of 2025", "the last week of May", "the second half of last year"."""

from __future__ import annotations

from recalld_server.text.time_ranges import parts
from recalld_server.text.time_ranges.english import beside, dates, periods
from recalld_server.text.time_ranges.english.dates import Parsed, Reading
from recalld_server.text.time_ranges.english.words import BEFORE_A_TIME, OPENINGS, ORDINALS, WEEKDAYS
from recalld_server.text.time_ranges.feasts import SATURDAY
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Span, mapped


def nth_of(r: Reader, i: int, depth: int, value: Reading) -> Parsed:
    """ "the first quarter of 2025", "the second half of last year", "the last week of May"."""
    number = ORDINALS.get(r.word(i))
    noun = r.word(i + 1)
    if number in (1, -1) and (edge := beside.edge(r, i, depth, value)) is not None:
        return edge
    if number is None or noun not in ("quarter", "month", "half", "week", "weekend", "day", *WEEKDAYS):
        return None
    if noun in ("quarter", "month"):
        return _months_of_year(r, i, number, 3 if noun == "quarter" else 1)
    if r.word(i + 2) not in ("of", "in"):
        return None
    whole = value(r, i + 3, "in", depth + 1) or periods.current(r, i + 3 + (r.word(i + 3) == "the"))
    if whole is None or (noun == "half" and number > 2):
        return None
    index = number if number < 0 else number - 1
    calendar = r.calendar
    if noun in WEEKDAYS or noun == "weekend":
        weekday, length = (WEEKDAYS[noun], 1) if noun in WEEKDAYS else (SATURDAY, 2)
        nth = mapped(whole[0], lambda span: parts.nth_weekday(calendar, span, weekday, number, length))
        return None if nth is None else (nth, whole[1])
    changed = mapped(
        whole[0],
        lambda span: (
            parts.half_of(calendar, span, second=number != 1)
            if noun == "half"
            else parts.nth_of(calendar, span, index, 7 if noun == "week" else 1)
        ),
    )
    return None if changed is None else (changed, whole[1])


def _months_of_year(r: Reader, i: int, number: int, size: int) -> Parsed:
    """ "the first quarter of 2025", "the last month of the year"; the last one of nothing is the one before this."""
    first = 13 - size if number < 0 else size * (number - 1) + 1
    parsed = dates.in_year(r, r.calendar.yearly_months(first, size), i + 2)
    if parsed is None or isinstance(parsed[0], Span):
        return parsed
    return _of_current_year(r, i + 2, parsed) if size == 3 or r.word(i + 2) == "of" else None


def _of_current_year(r: Reader, i: int, parsed: Parsed) -> Parsed:
    """ "the first quarter" needs "of the year" or a preposition in front to be no part of a match or a pound."""
    if parsed is None:
        return None
    if r.says(i, "of", "the", "year"):
        return parsed[0], i + 3
    if r.word(i - 2) == "last":
        return None
    led = r.word(i - 4) in BEFORE_A_TIME or r.word(i - 4) in OPENINGS
    return parsed if r.word(i - 3) == "the" and led and r.closes(i) else None
