"""A text as sentences, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

LONGEST: Final = 400
"""Characters; what is longer is cut at its commas, or left out by whoever cannot use it."""

# A full stop ends a sentence only before a space, so that 1.5, e.g. file.py and v2.0 stay whole.
_END: Final = re.compile(r"[。！？；…]+[”’」』）)\"']*|[.!?]+[”’\"')\]]*(?=\s|$)|\n+")
_ABBREVIATIONS: Final = frozenset(
    "mr mrs ms dr prof st vs e.g i.e etc approx no fig dept est inc ltd jr sr jan feb mar apr jun jul aug sep sept oct nov dec".split()  # noqa: SIM905 - words read better in a line than in quotes
)
_LAST_WORD: Final = re.compile(r"[^\s(\[\"'“‘]{1,12}$")
_FENCE: Final = "```"


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text in order, trimmed, without empty ones. Code between fences is passed over: it is quoted, not
    said. Time grows with the length of the text."""
    for at, part in enumerate(text.split(_FENCE)):
        if at % 2 == 0:
            yield from _split(part)


def _split(text: str) -> Iterator[str]:
    start = 0
    for match in _END.finditer(text):
        if match[0].startswith(".") and _abbreviates(text, match.start()):
            continue
        if sentence := text[start : match.end()].strip():
            yield sentence
        start = match.end()
    if sentence := text[start:].strip():
        yield sentence


def _abbreviates(text: str, stop: int) -> bool:
    word = _LAST_WORD.search(text, max(0, stop - 12), stop)
    if word is None:
        return False
    last = word[0].lower()
    return last in _ABBREVIATIONS or (len(last) == 1 and last.isalpha() and word[0].isupper())
