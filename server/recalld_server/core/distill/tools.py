"""Lessons from tool calls: what failed, and what was done until it worked."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from recalld_server.core.distill.secrets import without_secrets
from recalld_server.core.distill.types import Category, Insight, Source
from recalld_server.model import ToolCall, ToolStatus
from recalld_server.text.graphemes import cut
from recalld_server.text.language import language

WINDOW: Final = 12
"""Calls after a failure within which what works again is taken as its remedy."""
_FAILED: Final = frozenset({ToolStatus.ERROR, ToolStatus.TIMEOUT})
_SHOWN: Final = 200
_FIXED: Final = 0.8
_NO_COMMAND: Final = "-{[\"'"
_WORKED_BY_ITSELF: Final = 0.5
"""The same call worked later with nothing in between: chance, perhaps."""
_RECURRING: Final = 3
_NUMBERS: Final = re.compile(r"\d+")
_WORDS: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class _Call:
    source: Source
    call: ToolCall

    @property
    def failed(self) -> bool:
        return self.call.status in _FAILED

    @property
    def shown(self) -> str:
        """What was called, as a person would type it: arguments that are no command by themselves follow the tool."""
        arguments = _short(self.call.arguments)
        if not arguments:
            return self.call.tool
        return f"{self.call.tool} {arguments}" if arguments[0] in _NO_COMMAND else arguments


def failed(sources: Iterable[Source]) -> bool:
    """Whether a tool failed in any of these."""
    return any(call.status in _FAILED for source in sources for call in source.tool_calls)


def remedies(sources: Sequence[Source]) -> list[Insight]:
    """A lesson for each failure that was overcome, from sources in the order of time; calls of one session only."""
    sessions: dict[str, list[_Call]] = defaultdict(list)
    for source in sources:
        sessions[source.session_id] += [_Call(source, call) for call in source.tool_calls]
    in_chinese = _in_chinese(sources)
    lessons = []
    for calls in sessions.values():
        settled = 0
        for at, call in enumerate(calls):
            if call.failed and at >= settled and (steps := _remedy(calls, at)):
                settled = at + 1 + len(steps)
                lessons.append(_lesson(call, [step for step in steps if not step.failed], in_chinese))
    return lessons


def recurring(sources: Sequence[Source]) -> list[Insight]:
    """A pattern for each failure of a tool that came at least three times, numbers in its message apart."""
    alike: dict[tuple[str, str], list[_Call]] = defaultdict(list)
    for source in sources:
        for call in source.tool_calls:
            if call.status in _FAILED and call.error:
                alike[call.tool, _NUMBERS.sub("0", call.error.lower())].append(_Call(source, call))
    in_chinese = _in_chinese(sources)
    patterns = []
    for calls in alike.values():
        ids = _ids(calls)
        if len(ids) >= _RECURRING:
            tool, error = calls[0].call.tool, _short(calls[0].call.error)
            text = f"`{tool}` 反复失败：{error}" if in_chinese else f"`{tool}` keeps failing: {error}"
            confidence = min(0.9, 0.6 + 0.05 * len(ids))
            event_time = calls[-1].source.event_time
            patterns.append(Insight(Category.PATTERN, text, confidence, ids, len(ids), event_time))
    return patterns


def _remedy(calls: Sequence[_Call], at: int) -> list[_Call]:
    """The calls after a failure up to the one that worked; empty when none did. The same call again is the surest sign,
    else the next good call of the same tool."""
    after, wanted = calls[at + 1 : at + 1 + WINDOW], calls[at].call
    same = [place for place, each in enumerate(after) if not each.failed and _is_like(each.call, wanted)]
    exact = [place for place in same if after[place].call.arguments == wanted.arguments]
    place = next(iter(exact), next(iter(same), None))
    return [] if place is None else list(after[: place + 1])


def _is_like(call: ToolCall, failure: ToolCall) -> bool:
    """Whether a call does what a failed one was to do: the same tool, on something that both name where both name any."""
    if call.tool != failure.tool:
        return False
    tool = set(_WORDS.findall(call.tool.lower()))
    done, wanted = (set(_WORDS.findall(each.arguments.lower())) - tool for each in (call, failure))
    return not done or not wanted or not done.isdisjoint(wanted)


def _lesson(failure: _Call, steps: Sequence[_Call], in_chinese: bool) -> Insight:
    error = _short(failure.call.error) or (failure.call.status.name.lower() if failure.call.status else "")
    ways = list(dict.fromkeys(step.shown for step in steps))
    by_itself = ways == [failure.shown]
    if in_chinese:
        worked = "重试后成功" if by_itself else f"有效的做法：{'，然后 '.join(f'`{way}`' for way in ways)}"
        text = f"`{failure.shown}` 失败：{error}。{worked}。"
    else:
        worked = (
            "It worked when it was tried again"
            if by_itself
            else f"What worked: {', then '.join(f'`{way}`' for way in ways)}"
        )
        text = f"`{failure.shown}` failed: {error}. {worked}."
    ids = _ids([failure, *steps])
    confidence = _WORKED_BY_ITSELF if by_itself else _FIXED
    return Insight(Category.LESSON, text, confidence, ids, 1, steps[-1].source.event_time, importance=0.8)


def _ids(calls: Iterable[_Call]) -> tuple[UUID, ...]:
    return tuple(dict.fromkeys(call.source.source_id for call in calls))


def _short(text: str) -> str:
    """One line of bounded length, without what looks like a secret."""
    line = without_secrets(" ".join(text[: 4 * _SHOWN].split()))
    return line if len(line) <= _SHOWN else cut(line, _SHOWN) + "…"


def _in_chinese(sources: Sequence[Source]) -> bool:
    """Whether the people in these write Chinese."""
    chinese = sum(language(source.content) == "zh" for source in sources if source.content)
    return 2 * chinese > sum(bool(source.content.strip()) for source in sources)
