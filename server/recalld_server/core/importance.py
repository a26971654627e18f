"""How much a memory matters when its writer did not say: cues of both languages, from a table."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from recalld_server.text.cues import cue_pattern, cue_text

_BY_KIND: Final = {"semantic": 0.5, "procedural": 0.55, "episodic": 0.4, "working": 0.3}
_OTHER_KIND: Final = 0.4
_QUESTION: Final = 0.3
_TOOL_FAILED: Final = 0.75
_LEVELS: Final = ("vital", "rule", "habit", "preference")


@dataclass(frozen=True, slots=True)
class _Level:
    score: float
    cues: re.Pattern[str]


@cache
def _levels() -> tuple[tuple[_Level, ...], _Level]:
    tables = tomllib.loads(files("recalld_server.core").joinpath("importance.toml").read_text("utf-8"))
    levels = [_Level(tables[name]["score"], cue_pattern(tables[name]["en"], tables[name]["zh"])) for name in _LEVELS]
    chatter = tables["chatter"]
    return tuple(levels), _Level(chatter["score"], cue_pattern(chatter["en"], chatter["zh"]))


def is_chatter(text: str) -> bool:
    """Whether a text holds nothing but greetings, thanks, acknowledgements and small talk."""
    return _chatter_only(cue_text(text))


def _chatter_only(text: str) -> bool:
    _, chatter = _levels()
    return not any(character.isalnum() for character in chatter.cues.sub("", text))


def score_importance(text: str, kind: str, tool_failed: bool = False) -> float:
    """Return the importance of a memory, 0 to 1.

    `kind` is episodic, semantic, procedural or working and gives the score of a text without a cue; `tool_failed` says
    that a tool failed in what is told, which is worth remembering. The levels and their cues are in importance.toml.
    """
    text = cue_text(text)
    levels, chatter = _levels()
    if _chatter_only(text):
        return _TOOL_FAILED if tool_failed else chatter.score
    score = next((level.score for level in levels if level.cues.search(text)), None)
    if score is None:
        score = _BY_KIND.get(kind, _OTHER_KIND)
        if text.rstrip().endswith(("?", "？")):
            score = min(score, _QUESTION)
    return max(score, _TOOL_FAILED) if tool_failed else score
