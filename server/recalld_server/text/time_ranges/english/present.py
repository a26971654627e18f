"""English times told by now: "this time last year", "a year ago today", "so far this month", "in 3 days", "within a week"."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges import parts, same_time
from recalld_server.text.time_ranges.english import amounts, periods, tense
from recalld_server.text.time_ranges.english.dates import Parsed, Reading
from recalld_server.text.time_ranges.english.words import SEASONS, WEEKDAYS
from recalld_server.text.time_ranges.feasts import fixed
from recalld_server.text.time_ranges.parts import Unit
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Recurring, Span

_UNITS: Final = {"day": Unit.DAY, "week": Unit.WEEK, "month": Unit.MONTH, "year": Unit.YEAR}
_SIDES: Final = {"last": -1, "next": 1}
_DAYS: Final = {"yesterday": -1, "today": 0, "tomorrow": 1}
_TO_DATE: Final = {"ytd": "year", "qtd": "quarter"}
# "in 3 days of work", "within two weeks of the purchase", "in 3 days flat"
_AFTER_A_DURATION: Final = frozenset({"of", "after", "before", "without", "or", "flat", "notice", "from"})
# "in a week", "in one week we move", but "in a month, a year"
_AFTER_ONE: Final = frozenset({"", ".", "?", "!", "i", "you", "he", "she", "it", "we", "they"})
FIRST_WORDS: Final = frozenset({"same", "so", *_TO_DATE})


def told_by_now(r: Reader, i: int) -> Parsed:
    """ "this time last year", "this week last year", "the same day two years ago"; `i` is at this or same."""
    if r.word(i) not in ("this", "same"):
        return None
    away = _away(r, i + 2)
    if away is None:
        return None
    amount, unit, stop = away
    told = r.word(i + 1)
    if told == "time":
        return _spanned(same_time.around_now(r.calendar, amount, unit), stop)
    if told == "day":
        return _spanned(same_time.same_day(r.calendar, amount, unit), stop)
    if unit is Unit.YEAR and amount % 1 == 0 and told in ("week", "month"):
        return _spanned(same_time.same_period(r.calendar, int(amount), _UNITS[told]), stop)
    return None


def to_the_day(r: Reader, many: amounts.Counted) -> Parsed:
    """ "a year ago today", "a week ago yesterday"."""
    amount, unit, i = many
    shift = _DAYS.get(r.word(i + 1))
    if r.word(i) != "ago" or shift is None or amount.low < amount.high:
        return None
    return _spanned(same_time.same_day(r.calendar, -amount.low, unit, shift), i + 2)


def ahead(r: Reader, i: int, many: amounts.Counted, preposition: str) -> Parsed:
    """ "due in 3 days", "within two weeks"; `i` is behind the preposition. "in" so long is a duration where the words tell
    of the past; "within" it lies either side of now where nothing tells."""
    amount, unit, stop = many
    one = r.word(i) in ("a", "an", "one") and amount.high <= 1
    if r.word(i - 1) != preposition or unit in (Unit.SECOND, Unit.MINUTE) or r.word(stop) in _AFTER_A_DURATION:
        return None
    # "in 3 days' time"
    stop += r.word(stop) == "'"
    stop += r.word(stop) == "time"
    told = tense.direction(r, i - 1, stop)
    if preposition == "within":
        span = {-1: parts.past, 0: parts.within, 1: parts.ahead}[told]
        return span(r.calendar, amount, unit), stop
    # "Rome wasn't built in a day", "how many in a month, a year"
    if told < 0 or (one and (unit is Unit.DAY or not (told or r.word(stop) in _AFTER_ONE))):
        return None
    return parts.from_now(r.calendar, amount, unit), stop


def up_to_now(r: Reader, i: int, depth: int, value: Reading) -> Parsed:
    """ "earlier today", "later this week", "earlier in the week", "so far this year", "year to date", "YTD": the part before
    or after now."""
    word = r.word(i)
    if word in _TO_DATE:
        return _cut(r, _current(r, _TO_DATE[word]), i + 1, earlier=True)
    for to_date in (("to", "date"), ("-", "to", "-", "date")):
        if word in ("week", "month", "quarter", "year") and r.says(i + 1, *to_date):
            return _cut(r, _current(r, word), i + 1 + len(to_date), earlier=True)
    if word not in ("earlier", "later") and not r.says(i, "so", "far"):
        return None
    j = i + 1 + (word == "so")
    if r.says(j, "in", "the"):
        whole = periods.current(r, j + 2)
    else:
        whole = value(r, j, "", depth + 1) if r.word(j) in ("today", "this") else None
    span = r.calendar.settled(whole[0]) if whole is not None else None
    return None if whole is None or span is None else _cut(r, span, whole[1], earlier=word != "later")


def so_far(r: Reader, span: Span, i: int) -> Parsed:
    """The "so far" of "this year so far"."""
    return _cut(r, span, i + 2, earlier=True) if r.says(i, "so", "far") else None


def times_back(r: Reader, i: int) -> Parsed:
    """ "two Fridays ago", "three summers ago", "two Christmases ago"."""
    if r.word(i + 2) != "ago":
        return None
    count = amounts.whole_number(r, i)
    recurring = _plural(r, r.word(i + 1)) if count is not None else None
    if count is None or recurring is None:
        return None
    return _spanned(r.calendar.last(recurring, count), i + 3)


def _plural(r: Reader, word: str) -> Recurring | None:
    name = word[:-1] if word.endswith("s") else ""
    if name in WEEKDAYS and name.endswith("day"):
        return r.calendar.weekly_days(WEEKDAYS[name], WEEKDAYS[name])
    if name in SEASONS:
        return r.calendar.season(SEASONS[name])
    if name == "weekend":
        return r.calendar.weekly_days(5, 6)
    return r.calendar.feast(fixed(12, 25)) if name == "christmase" else None


def _away(r: Reader, i: int) -> tuple[float, Unit, int] | None:
    """ "last year", "yesterday", "two years ago": how many of what from now, and the word after."""
    word = r.word(i)
    if word in _DAYS and word != "today":
        return _DAYS[word], Unit.DAY, i + 1
    if word in _SIDES and r.word(i + 1) in _UNITS:
        return _SIDES[word], _UNITS[r.word(i + 1)], i + 2
    counted = amounts.counted_units(r, i)
    if counted is None or counted[0].low < counted[0].high:
        return None
    amount, unit, stop = counted[0].low, counted[1], counted[2]
    if r.word(stop) in ("ago", "back"):
        return -amount, unit, stop + 1
    return (amount, unit, stop + 2) if r.says(stop, "from", "now") else None


def _current(r: Reader, unit: str) -> Span:
    calendar = r.calendar
    offsets = {"week": calendar.week, "month": calendar.month, "quarter": calendar.quarter}
    return offsets[unit](0) if unit in offsets else calendar.year(calendar.today.year)


def _cut(r: Reader, span: Span, stop: int, earlier: bool) -> Parsed:
    return _spanned(parts.beside_now(r.calendar, span, earlier), stop)


def _spanned(span: Span | None, stop: int) -> Parsed:
    return None if span is None else (span, stop)
