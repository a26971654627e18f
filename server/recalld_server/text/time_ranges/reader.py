"""A text as words: runs of letters and digits, single CJK characters, single signs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from recalld_server.text import scripts
from recalld_server.text.simplified import SIMPLIFIED
from recalld_server.text.time_ranges.calendar import Calendar
from recalld_server.text.time_ranges.spans import Span

_ASCII_WORD: Final = re.compile(r"\w+|[^\w\s]", re.ASCII)
_WORD: Final = re.compile(rf"[{scripts.CJK}]|[^\W{scripts.CJK}]+|[^\w\s]")

# As people type in a chat.
_SPELT: Final = {
    **dict.fromkeys(
        ("tmrw", "tmr", "tmrow", "tomoz", "2moro", "2morrow", "tomorow", "tommorow", "tommorrow"), "tomorrow"
    ),
    **dict.fromkeys(("yday", "ystd", "yesterdy"), "yesterday"),
    **dict.fromkeys(("tonite", "2nite", "2night"), "tonight"),
    "2day": "today",
    "nite": "night",
    "wknd": "weekend",
}

# One character for one, so that places in the text stay what they are.
_SIMPLER: Final = SIMPLIFIED | str.maketrans(
    {
        **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
        **dict(zip("–—−〜’‘", "---~''", strict=True)),
    }
)
_CJK: Final = "\u2e80"
_MOST_DIGITS: Final = 4
_PADDING: Final = 32


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at a place: a span, or None for words that look like a time and are none; `stop` is the word after."""

    span: Span | None
    stop: int


class Reader:
    """The words of a text, lower case, numbered from 0 to `size` - 1; those shortly beyond either end are empty."""

    __slots__ = ("_words", "calendar", "ends", "size", "starts", "text")

    def __init__(self, text: str, calendar: Calendar) -> None:
        self.calendar = calendar
        self.text = text if text.isascii() else text.translate(_SIMPLER)
        matches = list((_ASCII_WORD if text.isascii() else _WORD).finditer(self.text))
        self.size = len(matches)
        # Padded, so that looking ahead and (by negative indexes) back needs no checks.
        words = [match[0].lower() for match in matches]
        self._words = [_SPELT.get(word, word) for word in words] + [""] * _PADDING
        self.starts = [match.start() for match in matches]
        self.ends = [match.end() for match in matches]

    def word(self, index: int) -> str:
        return self._words[index]

    def says(self, index: int, *words: str) -> bool:
        """Whether these words stand here, one after the other."""
        return all(self.word(index + step) == word for step, word in enumerate(words))

    def has(self, index: int, characters: str) -> bool:
        """Whether these CJK characters stand here without a gap; each is a word of its own."""
        return index < len(self.starts) and self.text.startswith(characters, self.starts[index])

    def longest(self, index: int, table: tuple[str, ...]) -> str:
        """The first entry of `table` (longest first) whose characters stand here, or an empty string."""
        if not 0 <= index < len(self.starts):
            return ""
        start = self.starts[index]
        if not self.text.startswith(table, start):
            return ""
        return next((entry for entry in table if self.text.startswith(entry, start)), "")

    def joined(self, index: int) -> bool:
        """Whether there is no space before this word."""
        return 0 < index < len(self.starts) and self.starts[index] == self.ends[index - 1]

    def capital(self, index: int) -> bool:
        return 0 <= index < len(self.starts) and self.text[self.starts[index]].isupper()

    def closes(self, index: int) -> bool:
        """Whether the clause ends before this word: at the end of the text, or at a sign other than a hyphen."""
        word = self.word(index)
        return not word or not (word[0].isalnum() or word in "-_/#%$+&@")

    def dotted(self, stop: int) -> bool:
        """Whether the word before this place is the first part of a name with dots ("monday.com", "today.md"), and no end of
        a sentence that leaves out the space."""
        glued = self.word(stop) == "." and self.joined(stop) and self.joined(stop + 1)
        return glued and self.word(stop + 1).isalnum() and not self.capital(stop + 1)

    def number(self, index: int) -> int | None:
        """The whole number here, of at most four digits, if it is not a part of a longer one (`3.11`, `10:30`)."""
        word = self.word(index)
        if not (word.isascii() and word.isdigit()) or len(word) > _MOST_DIGITS:
            return None
        return int(word)

    def year(self, index: int) -> int | None:
        """A year of four digits, 1900 to 2100."""
        number = self.number(index)
        return number if number is not None and len(self.word(index)) == 4 and 1900 <= number <= 2100 else None

    def glued_before(self, index: int) -> bool:
        """Whether more of a number, a version or an id stands before this word without a space."""
        before = self.word(index - 1)
        if not self.joined(index) or before not in (".", "-", "/", ":", "#", "_"):
            return False
        # 3月-5月 are two months, and "date:" begins something new
        return not (before == "-" and self.word(index - 2) > _CJK) and (
            before != ":" or self.word(index - 2)[-1:].isdigit()
        )

    def glued_after(self, stop: int) -> bool:
        """Whether more of a number, a version or an id follows from this word on without a space."""
        return (
            self.joined(stop)
            and self.word(stop) in (".", "-", "/", ":", "_")
            and self.joined(stop + 1)
            and self.word(stop + 1)[:1].isalnum()
        )

    def is_part_of_number(self, first: int, stop: int) -> bool:
        """Whether the words from `first` to `stop` are only a part of a version, a port, an id."""
        return self.glued_before(first) or self.glued_after(stop)
