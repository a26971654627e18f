"""English periods told by others: "the week before Christmas", "two weeks after Easter", "last year in March"."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges import parts
from recalld_server.text.time_ranges.english import amounts, periods
from recalld_server.text.time_ranges.english.dates import Parsed, Reading
from recalld_server.text.time_ranges.english.words import DAY_PARTS, NAMES, UNITS
from recalld_server.text.time_ranges.parts import Amount, Unit
from recalld_server.text.time_ranges.reader import Reader
from recalld_server.text.time_ranges.spans import Recurring, Span, mapped

_INSIDE: Final = frozenset({"in", "on", "at", "over", "during"})


def counted(r: Reader, many: amounts.Counted, depth: int, value: Reading) -> Parsed:
    """ "3 days before Easter", "a week from Friday"."""
    amount, unit, stop = many
    word = r.word(stop)
    anchor = _anchor(r, stop, depth, value) if word in ("before", "after", "from") else None
    if anchor is None:
        return None
    if word == "from" and isinstance(anchor[0], Recurring):
        # "a week from Friday" looks ahead
        coming = r.calendar.next(anchor[0])
        anchor = (coming, anchor[1]) if coming is not None else anchor
    changed = mapped(anchor[0], lambda span: parts.beside(r.calendar, span, amount, unit, word != "before"))
    return None if changed is None else (changed, anchor[1])


def whole(r: Reader, i: int, depth: int, value: Reading) -> Parsed:
    """ "the day after Thanksgiving", "the night before Christmas"; `i` is after the article."""
    hours = DAY_PARTS.get(r.word(i))
    unit = UNITS.get(r.word(i)) if hours is None else Unit.DAY
    after = r.word(i + 1) == "after"
    if unit is None or r.word(i).endswith("s") or not (after or r.word(i + 1) == "before"):
        return None
    anchor = _anchor(r, i + 1, depth, value)

    def beside(span: Span) -> Span | None:
        found = parts.next_to(r.calendar, span, Amount(1, 1), unit, after)
        return found if found is None or hours is None else parts.day_part(r.calendar, found, hours)

    changed = mapped(anchor[0], beside) if anchor is not None else None
    return None if anchor is None or changed is None else (changed, anchor[1])


def _anchor(r: Reader, i: int, depth: int, value: Reading) -> Parsed:
    """The period behind "before", "after" or "from"; a name such as May is none."""
    anchor = value(r, i + 1, r.word(i), depth + 2)
    return None if anchor is None or (r.word(i + 1) in NAMES and anchor[1] == i + 2) else anchor


def nearest(r: Reader, i: int, depth: int, value: Reading) -> Parsed:
    """ "the weekend before May 5", "the Friday after Thanksgiving", "the summer before 2020"; `i` is after the article."""
    weekend = r.word(i) == "weekend"
    found = (r.calendar.weekly_days(5, 6), i + 1) if weekend else periods.returning(r, i, "")
    if found is None or r.word(found[1]) not in ("before", "after"):
        return None
    recurring, stop = found
    anchor = _anchor(r, stop, depth, value)
    if anchor is None and r.says(stop, "before", "last"):
        last = r.calendar.last(recurring)
        anchor = (last, stop + 2) if last is not None else None
    if anchor is None:
        return None
    after = r.word(stop) == "after"
    changed = mapped(anchor[0], lambda span: r.calendar.nearest(recurring, span, after))
    return None if changed is None else (changed, anchor[1])


def edge(r: Reader, i: int, depth: int, value: Reading) -> Parsed:
    """ "the first three months of 2025", "the last two weeks of May"; `i` is at first or last."""
    many = amounts.counted_units(r, i + 1)
    if many is None or r.word(many[2]) not in ("of", "in"):
        return None
    j = many[2] + 1
    whole = value(r, j, "in", depth + 1) or periods.current(r, j + (r.word(j) == "the"))
    last = r.word(i) == "last"
    changed = (
        mapped(whole[0], lambda span: parts.edge_of(r.calendar, span, many[0], many[1], last))
        if whole is not None
        else None
    )
    return None if whole is None or changed is None else (changed, whole[1])


def narrowed(r: Reader, whole: Span, i: int, depth: int, value: Reading) -> tuple[Span, int]:
    """The part of a period that follows it: "last year at Christmas", "last week's Friday"; else the period."""
    possessive = r.says(i, "'", "s")
    if not possessive and r.word(i) not in _INSIDE:
        return whole, i
    inner = value(r, i + 2, "on", depth + 1) if possessive else value(r, i + 1, r.word(i), depth + 1)
    if inner is None:
        return whole, i
    if isinstance(inner[0], Span):
        # "last Friday on July 21, 2023": the date says which
        return (
            (inner[0], inner[1])
            if whole.days == inner[0].days == 1 and r.year(inner[1] - 1) is not None
            else (whole, i)
        )
    part = r.calendar.within(whole, inner[0])
    return (whole, i) if part is None else (part, inner[1])
