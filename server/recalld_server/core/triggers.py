"""When a session is looked back on: at its end, when it falls silent, every so many turns, on a cue, after a failed tool.

Turns come in bursts, so each of these waits a little and covers what has been said by then: one look back waits for a
session at any time, and what comes meanwhile joins it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from importlib.resources import files

from recalld_server.core.policy import setting
from recalld_server.model import Policy, Session, ToolStatus, Trigger, Turn, TurnRole

IDLE = timedelta(minutes=5)
"""Silence after which a session is looked back on."""
BURST = timedelta(seconds=3)
"""What is said this soon after a cue or a failed tool belongs to it: the answer, the second attempt."""
FAILED = frozenset({ToolStatus.ERROR, ToolStatus.TIMEOUT})
SAYS_SO = frozenset({TurnRole.USER, TurnRole.SYSTEM})
"""Whose words can be a cue: an assistant that promises to remember says nothing new."""


@dataclass(frozen=True, slots=True)
class Due:
    """A look back, and how long it waits for more."""

    reason: Trigger
    delay: timedelta

    @property
    def set_off(self) -> bool:
        """Whether the turns themselves ask for it; silence has to come first."""
        return self.reason is not Trigger.IDLE


def due(session: Session, turns: Sequence[Turn], policy: Policy) -> Due | None:
    """What the new turns of a session, which already counts them, set off. None: nothing before its end."""
    every: int = setting(policy, "reflect_every_turns")
    if every == 0:
        return None
    if any(call.status in FAILED for turn in turns for call in turn.tool_calls):
        return Due(Trigger.TOOL_FAILURE, BURST)
    if any(turn.role in SAYS_SO and has_cue(turn.content) for turn in turns):
        return Due(Trigger.CUE, BURST)
    if session.turn_count - session.asked_turn >= every:
        return Due(Trigger.TURNS, timedelta(0))
    return Due(Trigger.IDLE, IDLE)


def has_cue(text: str) -> bool:
    """Whether the text says, in English or Chinese, that something is to be kept."""
    cues, recall = _patterns()
    said = " ".join(text.replace("\u2019", "'").lower().split())
    return cues.search(recall.sub(" ", said)) is not None


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    tables = tomllib.loads(files("recalld_server.core").joinpath("triggers.toml").read_text("utf-8"))
    return _pattern(**tables["cues"]), _pattern(**tables["recall"])


def _pattern(en: list[str], zh: list[str]) -> re.Pattern[str]:
    def any_of(phrases: list[str]) -> str:
        return "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))

    return re.compile(rf"(?<![a-z0-9_])(?:{any_of(en)})(?![a-z0-9_])|{any_of(zh)}")
