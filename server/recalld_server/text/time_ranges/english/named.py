"""English days with a name: "last Christmas", "over Easter", "Labor Day weekend", "Thanksgiving week 2024"."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges import feasts, parts
from recalld_server.text.time_ranges.english import dates
from recalld_server.text.time_ranges.english.dates import Parsed
from recalld_server.text.time_ranges.english.words import DAY_PARTS
from recalld_server.text.time_ranges.feasts import (
    BLACK_FRIDAY,
    FATHERS_DAY,
    MONDAY,
    MOTHERS_DAY,
    THANKSGIVING,
    THURSDAY,
    Feast,
    easter,
    fixed,
    nth_weekday,
    widened,
)
from recalld_server.text.time_ranges.lunar import (
    DRAGON_BOAT,
    MID_AUTUMN,
    SPRING_FESTIVAL,
    lunar_days,
    new_years_eve,
    qingming,
    winter_solstice,
)
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Recurring

# "Labour Day" is a day of May in one country and of September in another.
_FEASTS: Final[dict[str, Feast]] = {
    "christmas eve": fixed(12, 24),
    "christmas day": fixed(12, 25),
    "christmas": fixed(12, 25),
    "xmas eve": fixed(12, 24),
    "xmas": fixed(12, 25),
    "boxing day": fixed(12, 26),
    "halloween": fixed(10, 31),
    "valentine's day": fixed(2, 14),
    "valentine's": fixed(2, 14),
    "women's day": fixed(3, 8),
    "international women's day": fixed(3, 8),
    "st patrick's day": fixed(3, 17),
    "st . patrick's day": fixed(3, 17),
    "april fool's day": fixed(4, 1),
    "april fool's": fixed(4, 1),
    "may day": fixed(5, 1),
    "juneteenth": fixed(6, 19),
    "independence day": fixed(7, 4),
    "single's day": fixed(11, 11),
    "veteran's day": fixed(11, 11),
    "remembrance day": fixed(11, 11),
    "new year's eve": fixed(12, 31),
    "nye": fixed(12, 31),
    "new year's day": fixed(1, 1),
    "new year's": fixed(1, 1),
    "new year": fixed(1, 1),
    "mlk day": nth_weekday(1, MONDAY, 3),
    "martin luther king day": nth_weekday(1, MONDAY, 3),
    "president's day": nth_weekday(2, MONDAY, 3),
    "mother's day": MOTHERS_DAY,
    "memorial day": nth_weekday(5, MONDAY, -1),
    "father's day": FATHERS_DAY,
    "labor day": nth_weekday(9, MONDAY, 1),
    "columbus day": nth_weekday(10, MONDAY, 2),
    "thanksgiving day": THANKSGIVING,
    "thanksgiving": THANKSGIVING,
    "black friday": BLACK_FRIDAY,
    "cyber monday": nth_weekday(11, THURSDAY, 4, shift=4),
    "ash wednesday": easter(-46),
    "good friday": easter(-2),
    "easter weekend": easter(-2, count=4),
    "easter sunday": easter(),
    "easter monday": easter(1),
    "easter": easter(),
    "chinese new year's eve": new_years_eve,
    "lunar new year's eve": new_years_eve,
    "chinese new year": SPRING_FESTIVAL,
    "lunar new year": SPRING_FESTIVAL,
    "spring festival": SPRING_FESTIVAL,
    "lantern festival": lunar_days(1, 15),
    "qingming": qingming,
    "dragon boat festival": lunar_days(*DRAGON_BOAT),
    "mid - autumn festival": lunar_days(*MID_AUTUMN),
    "mid - autumn": lunar_days(*MID_AUTUMN),
    "winter solstice": winter_solstice,
}


def _spelled(name: str) -> tuple[tuple[str, ...], ...]:
    """A name as the reader has its words, where an apostrophe is one of its own and people place it as they like."""
    return tuple(tuple(name.replace("'s", place).split()) for place in (" ' s", "s", "s '"))


def _by_first_word() -> dict[str, tuple[tuple[tuple[str, ...], Feast], ...]]:
    split = list({words: feast for name, feast in _FEASTS.items() for words in _spelled(name)}.items())
    split.sort(key=lambda pair: -len(pair[0]))
    return {first: tuple(pair for pair in split if pair[0][0] == first) for first in {words[0] for words, _ in split}}


_BY_FIRST_WORD: Final = _by_first_word()
_AROUND: Final = frozenset({"over", "during", "around"})
# What stands behind a day and is longer: "Easter break", "Labor Day weekend", "Christmas week".
_LONGER: Final = {
    "break": feasts.around,
    "holiday": feasts.around,
    "holidays": feasts.around,
    "weekend": feasts.weekend,
    "week": feasts.week,
}
_GREETINGS: Final = frozenset({"happy", "merry", "blessed"})
FIRST_WORDS: Final = frozenset(_BY_FIRST_WORD)


def feast(r: Reader, i: int, preposition: str) -> tuple[Recurring, int] | None:
    """A day with a name, each year; "over" it, and its "break", are a day more on either side."""
    for words, days in _BY_FIRST_WORD.get(r.word(i), ()):
        if r.says(i, *words):
            stop = i + len(words)
            longer = _LONGER.get(r.word(stop))
            if longer is not None:
                return r.calendar.feast(widened(days, longer)), stop + 1
            return r.calendar.feast(widened(days, feasts.around) if preposition in _AROUND else days), stop
    return None


def holiday(r: Reader, i: int, preposition: str, anchored: bool) -> Parsed:
    """Days with a name, after a preposition or with a year: "at Christmas", "Halloween 2024"."""
    found = feast(r, i, preposition)
    if found is None or r.word(i - 1) in _GREETINGS:
        return None
    recurring, stop = found
    hours = DAY_PARTS.get(r.word(stop))
    year = dates.stated_year(r, stop + (hours is not None))
    if year is not None:
        span = recurring.nth(year[0])
        if span is not None and hours is not None:
            span = parts.day_part(r.calendar, span, hours)
        return None if span is None else (span, year[1])
    if r.says(stop - 2, "new", "year") and stop - i == 2 and preposition in ("", "in"):
        # "in the new year" is all of it
        return None
    # "I like Christmas" tells no time, "we met Christmas Eve" does
    alone = (r.closes(stop) and (stop - i > 1 or i == 0)) or (r.word(stop) in ("at", "@") and stop - i > 1)
    return found if anchored or alone or hours is not None else None
