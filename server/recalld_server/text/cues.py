"""Phrases that tell what a text is, as one pattern over tables of both languages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_WORD_START: Final = r"(?<![a-z0-9_])"
_WORD_END: Final = r"(?![a-z0-9_])"
_CLAUSE_START: Final = r"(?:^|[.!?;:,\n。！？；：，] ?)"
_ENGLISH_GAP: Final = r" (?:[^\s.!?;,]{1,24} ){0,3}"
_CHINESE_GAP: Final = r"[^。！？；\n]{1,16}?"


def cue_pattern(english: Sequence[str], chinese: Sequence[str]) -> re.Pattern[str]:
    """One pattern over all cues, for text that went through `cue_text`. English cues match whole words, Chinese ones
    anywhere; "^" ties a cue to the beginning of a clause, " * " stands for up to three words, "*" in Chinese for up to 16
    characters. A Chinese character beside an English cue is no part of the word. What the cues of one kind have in common
    stands before them, so that most places are passed over at once; every repetition is bounded, so that time grows with
    the length of the text."""
    starts = [cue.removeprefix("^") for cue in english if cue.startswith("^")]
    kinds = [
        (_CLAUSE_START, starts, _WORD_END),
        (_WORD_START, [cue for cue in english if not cue.startswith("^")], _WORD_END),
        (_CLAUSE_START, [cue.removeprefix("^") for cue in chinese if cue.startswith("^")], ""),
        ("", [cue for cue in chinese if not cue.startswith("^")], ""),
    ]
    return re.compile("|".join(before + _longest_first(cues) + after for before, cues, after in kinds if cues))


def cue_text(text: str) -> str:
    """The text as `cue_pattern` reads it: lower case, straight apostrophes, runs of spaces as one."""
    return "\n".join(" ".join(line.split()) for line in text.replace("\u2019", "'").split("\n")).strip().lower()


def _longest_first(cues: Sequence[str]) -> str:
    return f"(?:{'|'.join(_alternative(cue.lower()) for cue in sorted(cues, key=len, reverse=True))})"


def _alternative(cue: str) -> str:
    if " * " in cue:
        return _ENGLISH_GAP.join(re.escape(part) for part in cue.split(" * "))
    return _CHINESE_GAP.join(re.escape(part) for part in cue.split("*"))
