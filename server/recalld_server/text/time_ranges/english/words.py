"""The words that English time phrases are made of."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges.parts import AFTERNOON, EVENING, MORNING, NIGHT, NOON, Part, Unit

MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sep sept",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
# Also verbs, names and measures: without a preposition they need a capital, an ordinal or a year.
DOUBTFUL_MONTHS: Final = frozenset({"may", "march", "mar", "jan", "dec", "sep", "apr"})
# Also people: "written by April", "the note from May", "in June's words".
NAMES: Final = frozenset({"april", "may", "june", "august"})

WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(
        (
            "monday mon",
            "tuesday tue tues",
            "wednesday wed",
            "thursday thu thur thurs",
            "friday fri",
            "saturday sat",
            "sunday sun",
        )
    )
    for name in names.split()
}
# "the Sunday Times", "Black Friday", "Ash Wednesday" are no days to look back on.
NEWSPAPERS: Final = frozenset({"times", "telegraph", "mail", "express", "mirror", "post", "herald"})
_NAMED_DAYS: Final = frozenset(
    """
    black good cyber ash palm easter casual bloody blue fat freaky girl giving happy joe man manic maundy patch ruby shrove
    super taco throwback
    """.split()  # noqa: SIM905 - words read better in lines than in quotes
)
# "Friday Night Lights", "Saturday Night Live", "Monday Night Football"
NIGHT_SHOWS: Final = frozenset({"lights", "live", "fever", "football", "raw"})

SEASONS: Final = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}

DAY_PARTS: Final = {
    "morning": MORNING,
    "lunchtime": NOON,
    "afternoon": AFTERNOON,
    "evening": EVENING,
    "night": NIGHT,
}

UNITS: Final = {
    word: unit
    for unit, words in {
        Unit.SECOND: "second seconds sec secs",
        Unit.MINUTE: "minute minutes min mins",
        Unit.HOUR: "hour hours hr hrs",
        Unit.DAY: "day days night nights",
        Unit.WEEK: "week weeks wk wks",
        Unit.FORTNIGHT: "fortnight fortnights",
        Unit.MONTH: "month months mth mths",
        Unit.QUARTER: "quarter quarters",
        Unit.YEAR: "year years yr yrs",
        Unit.DECADE: "decade decades",
    }.items()
    for word in words.split()
}
# "the last 24h", "3d ago"
SHORT_UNITS: Final = {
    "min": Unit.MINUTE,
    "mins": Unit.MINUTE,
    "m": Unit.MINUTE,
    "h": Unit.HOUR,
    "hr": Unit.HOUR,
    "hrs": Unit.HOUR,
    "d": Unit.DAY,
    "w": Unit.WEEK,
    "y": Unit.YEAR,
}
SHORT_PERIODS: Final = {"wk": "week", "mth": "month", "yr": "year"}
PERIODS: Final = {"week": Unit.WEEK, "month": Unit.MONTH, "quarter": Unit.QUARTER, "year": Unit.YEAR}
# Years that begin when a company, a state or a school says so: "fiscal year 2025" is no year of the calendar.
OTHER_YEARS: Final = frozenset({"fiscal", "financial", "tax", "school", "academic", "model", "fy"})

_SMALL: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
NUMBERS: Final = {word: value for value, word in enumerate(_SMALL.split()) if value}
TENS: Final = {
    word: 10 * value
    for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)  # noqa: SIM905
}
ORDINALS: Final = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": -1}
# Before a weekday: not the latest one.
NOT_THE_LAST: Final = _NAMED_DAYS | (frozenset(ORDINALS) - {"last"})
_DAYS: Final = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
)
ORDINAL_DAYS: Final = {word: day for day, word in enumerate(_DAYS.split(), start=1)} | {"thirtieth": 30}
POSSESSIVES: Final = frozenset({"my", "your", "his", "her", "its", "our", "their"})

PARTS: Final = {
    "early": Part.EARLY,
    "mid": Part.MIDDLE,
    "middle": Part.MIDDLE,
    "late": Part.LATE,
    "beginning": Part.BEGIN,
    "start": Part.BEGIN,
    "end": Part.END,
}
DECADES: Final = {"fifties": 1950, "sixties": 1960, "seventies": 1970, "eighties": 1980, "nineties": 1990}

RELATIVE: Final = {
    "last": -1,
    "previous": -1,
    "prior": -1,
    "preceding": -1,
    "past": -1,
    "this": 0,
    "current": 0,
    "next": 1,
    "coming": 1,
    "upcoming": 1,
}
BEFORE_A_TIME: Final = frozenset({"in", "on", "during", "over", "at", "within", "throughout", "around", "circa"})
OPENINGS: Final = frozenset({"since", "after", "before", "until", "till", "by", "from", "between"})
BEFORE_A_YEAR: Final = (BEFORE_A_TIME | OPENINGS) - {"on", "at", "within", "over"}
# "in the last week" is the seven days up to now, "last week" a week of the calendar.
ROLLING: Final = frozenset({"in", "over", "during", "within", "throughout"})

# What is counted in thousands: "in 2000 words" is no year.
COUNTED: Final = frozenset(
    """
    words lines bytes bits chars characters tokens steps ms users people rows items messages requests times km m kg
    dollars usd euros eur yuan pounds px pixels mb gb kb miles meters metres pages records entries points cases files
    units copies calls degrees calories samples examples participants members employees customers percent
    """.split()  # noqa: SIM905 - words read better in lines than in quotes
) | frozenset(UNITS)
