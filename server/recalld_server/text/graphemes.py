"""Where a text may be cut without breaking a character as a reader sees it.

The rules of Unicode's UAX #29 that matter for a cut (GB3, GB6-GB9c, GB11-GB13) on the standard library's tables. Where
the tables are too coarse the answer is the careful one: never a boundary inside a cluster, now and then one too few.
"""

from __future__ import annotations

import unicodedata
from typing import Final

_ZWJ: Final = "\u200d"
_VIRAMA_CLASS: Final = 9
_MARKS: Final = frozenset({"Mn", "Mc", "Me"})
# Extending characters that are not marks: ZWNJ, half-width voicing marks, Thai and Lao AM.
_EXTENDING: Final = frozenset("\u200c\u200d\uff9e\uff9f\u0e33\u0eb3")
_PREPENDED: Final = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")


def cut(text: str, limit: int) -> str:
    """The longest prefix of `text` that has at most `limit` code points and ends between two characters."""
    if len(text) <= limit:
        return text
    end = max(limit, 0)
    while end > 0 and not is_boundary(text, end):
        end -= 1
    return text[:end]


def is_boundary(text: str, index: int) -> bool:
    """Whether a character as a reader sees it may begin at `index` (0 <= index <= len(text))."""
    if index in (0, len(text)):
        return True
    before, after = text[index - 1], text[index]
    if before == "\n" or after in "\r\n":
        return before != "\r" or after != "\n"
    if _extends(after) or before == _ZWJ or before in _PREPENDED:
        return False
    if unicodedata.combining(before) == _VIRAMA_CLASS and after.isalpha():
        return False
    if _is_regional(before) and _is_regional(after):
        return _regionals_before(text, index) % 2 == 0
    return not _same_syllable(before, after)


def _extends(character: str) -> bool:
    return (
        character in _EXTENDING
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
        or unicodedata.category(character) in _MARKS
    )


def _is_regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _regionals_before(text: str, index: int) -> int:
    start = index
    while start > 0 and _is_regional(text[start - 1]):
        start -= 1
    return index - start


def _same_syllable(before: str, after: str) -> bool:
    """Whether two Hangul jamo or syllables belong to one written syllable."""
    if "\u1100" <= before <= "\u115f":
        return "\u1100" <= after <= "\u11a7" or "\uac00" <= after <= "\ud7a3"
    open_syllable = "\uac00" <= before <= "\ud7a3" and (ord(before) - 0xAC00) % 28 == 0
    if "\u1160" <= before <= "\u11a7" or open_syllable:
        return "\u1160" <= after <= "\u11ff"
    if "\u11a8" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7a3":
        return "\u11a8" <= after <= "\u11ff"
    return False
