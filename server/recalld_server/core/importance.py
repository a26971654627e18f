"""How much a memory matters when its writer did not say: cues of both languages, from a table."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

_BY_KIND: Final = {"semantic": 0.5, "procedural": 0.55, "episodic": 0.4, "working": 0.3}
_OTHER_KIND: Final = 0.4
_QUESTION: Final = 0.3
_TOOL_FAILED: Final = 0.75
_LEVELS: Final = ("vital", "rule", "habit", "preference")
_WORD_START: Final = r"(?<![a-z0-9_])"
_WORD_END: Final = r"(?![a-z0-9_])"
_CLAUSE_START: Final = r"(?:^|[.!?;:,\n。！？；：，] ?)"


@dataclass(frozen=True, slots=True)
class _Level:
    score: float
    cues: re.Pattern[str]


@cache
def _levels() -> tuple[tuple[_Level, ...], _Level]:
    tables = tomllib.loads(files("recalld_server.core").joinpath("importance.toml").read_text("utf-8"))
    levels = [_Level(tables[name]["score"], _pattern(tables[name]["en"], tables[name]["zh"])) for name in _LEVELS]
    chatter = tables["chatter"]
    return tuple(levels), _Level(chatter["score"], _pattern(chatter["en"], chatter["zh"]))


def _pattern(english: list[str], chinese: list[str]) -> re.Pattern[str]:
    """One pattern over all cues, for text in lower case. A Chinese character beside an English cue is no part of the
    word. What the cues of one kind have in common stands before them, so that most places are passed over at once."""
    starts = [cue.removeprefix("^") for cue in english if cue.startswith("^")]
    kinds = [
        (_CLAUSE_START, starts, _WORD_END),
        (_WORD_START, [cue for cue in english if not cue.startswith("^")], _WORD_END),
        (_CLAUSE_START, [cue.removeprefix("^") for cue in chinese if cue.startswith("^")], ""),
        ("", [cue for cue in chinese if not cue.startswith("^")], ""),
    ]
    return re.compile("|".join(before + _longest_first(cues) + after for before, cues, after in kinds if cues))


def _longest_first(cues: list[str]) -> str:
    return f"(?:{'|'.join(re.escape(cue.lower()) for cue in sorted(cues, key=len, reverse=True))})"


def score_importance(text: str, kind: str, tool_failed: bool = False) -> float:
    """Return the importance of a memory, 0 to 1.

    `kind` is episodic, semantic, procedural or working and gives the score of a text without a cue; `tool_failed` says
    that a tool failed in what is told, which is worth remembering. The levels and their cues are in importance.toml.
    """
    # Runs of spaces become one, so that the patterns need not look for runs and stay linear.
    text = "\n".join(" ".join(line.split()) for line in text.replace("\u2019", "'").split("\n")).strip().lower()
    levels, chatter = _levels()
    if not any(character.isalnum() for character in chatter.cues.sub("", text)):
        return _TOOL_FAILED if tool_failed else chatter.score
    score = next((level.score for level in levels if level.cues.search(text)), None)
    if score is None:
        score = _BY_KIND.get(kind, _OTHER_KIND)
        if text.rstrip().endswith(("?", "？")):
            score = min(score, _QUESTION)
    return max(score, _TOOL_FAILED) if tool_failed else score
