"""BuildContext: what an agent pastes into its prompt, in labelled sections, within a budget of tokens.

The budget is counted on the text that is returned, headings included. The best hits come first; one that does not fit is
left out and shorter ones behind it may still fit. Inside a section the newest comes first, so that where two statements
disagree the reader sees the later one above the earlier one.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial
from typing import Literal
from zoneinfo import ZoneInfo

from recalld_server.core.access import Access
from recalld_server.core.policy import Action
from recalld_server.core.search import Searches
from recalld_server.core.search_log import SearchLog, searched
from recalld_server.core.types import Context, ContextQuery, Hit, SearchQuery, Section
from recalld_server.model import Kind, Memory, Principal, Scope, Turn, TurnRole
from recalld_server.store.base import Reads, View
from recalld_server.text.budget import estimate_tokens
from recalld_server.text.clean import is_blank
from recalld_server.text.language import language

CANDIDATES = 50
"""Hits that are looked at."""
SESSION_MEMORIES = 8
"""The latest memories of the running session that are always offered first."""
SESSION_TURNS = 20
"""The latest turns of the running session, which come before everything else."""
TURNS_SHARE = 0.5
"""Of the budget, for those turns."""
LEAST_SCORE = 0.1
"""Hits below are unrelated: an empty section is better than noise in a prompt."""

Part = Literal["known", "rules", "events", "session"]
ORDER: tuple[Part, ...] = ("known", "rules", "events", "session")
HEADINGS: dict[str, dict[Part, str]] = {
    "en": {
        "known": "Known about the user",
        "rules": "Rules and lessons",
        "events": "Related events",
        "session": "This session",
    },
    "zh": {"known": "关于用户的已知信息", "rules": "规则与经验", "events": "相关事件", "session": "本次会话"},
}
RULE_TAGS = frozenset({"rule", "rules", "lesson", "lessons", "规则", "经验", "教训"})
INSTEAD = {"en": "Otherwise", "zh": "否则"}
ROLES = {
    "en": {TurnRole.USER: "User", TurnRole.ASSISTANT: "Assistant", TurnRole.TOOL: "Tool", TurnRole.SYSTEM: "System"},
    "zh": {TurnRole.USER: "用户", TurnRole.ASSISTANT: "助手", TurnRole.TOOL: "工具", TurnRole.SYSTEM: "系统"},
}


@dataclass(frozen=True, slots=True)
class _Line:
    """A memory, or a turn of the running session, which is no memory."""

    part: Part
    speaker: str
    content: str
    event_time: datetime
    memory: Memory | None = None


class Contexts:
    """Builds contexts."""

    def __init__(self, searches: Searches, reads: Reads, access: Access, log: SearchLog | None = None) -> None:
        self._searches = searches
        self._reads = reads
        self._access = access
        self._log = log

    async def build(self, principal: Principal, query: ContextQuery) -> Context:
        """The text, its sections and the search behind it. Raises what Search raises."""
        begin = time.perf_counter()
        tongue = query.language or ("zh" if language(query.text) == "zh" else "en")
        answer = await self._searches.search(
            principal,
            SearchQuery(
                namespaces=query.namespaces,
                text=query.text,
                filter=query.filter,
                top_k=CANDIDATES,
                time_zone=query.time_zone,
                timeout=query.timeout,
            ),
            record=False,
        )
        lines = await self._session(principal, query, tongue)
        lines += [_of_memory(hit.memory, _part(hit.memory)) for hit in answer.hits if _belongs(hit)]
        chosen: list[_Line] = []
        for line in _without_repeats(lines):
            if estimate_tokens(_text(_sections([*chosen, line], tongue, query))) <= query.max_tokens:
                chosen.append(line)
        sections = _sections(chosen, tongue, query)
        text = _text(sections)
        if self._log is not None:
            scopes = [room.scope for room in await self._access.open_all(principal, query.namespaces, Action.READ)]
            seconds, memories = time.perf_counter() - begin, [line.memory for line in chosen if line.memory]
            self._log.add(searched(principal, scopes, answer.search_id, memories, seconds))
        return Context(text, tuple(sections), estimate_tokens(text), answer.search_id, answer.degraded_stages)

    async def _session(self, principal: Principal, query: ContextQuery, tongue: str) -> list[_Line]:
        """The latest turns of the running session and its latest memories, in every namespace asked for; newest first."""
        if not query.session_id:
            return []
        turns: list[Turn] = []
        memories: list[Memory] = []
        for room in await self._access.open_all(principal, query.namespaces, Action.READ):
            said, found = await self._reads.read([room.scope], partial(_latest, query, room.scope))
            turns += said
            memories += found
        told = [_of_turn(turn, tongue) for turn in reversed(turns) if not is_blank(_said(turn))]
        memories.sort(key=lambda memory: memory.event_time, reverse=True)
        return told + [_of_memory(memory, "session") for memory in memories[:SESSION_MEMORIES]]


async def _latest(query: ContextQuery, scope: Scope, view: View) -> tuple[Sequence[Turn], Sequence[Memory]]:
    budget = int(query.max_tokens * TURNS_SHARE)
    asked = replace(query.filter, session_ids=(query.session_id,))
    turns = await view.latest_turns(scope, query.session_id, limit=SESSION_TURNS, tokens=budget)
    return turns, await view.list(scope, asked, limit=SESSION_MEMORIES)


def _of_memory(memory: Memory, part: Part) -> _Line:
    return _Line(part, memory.speaker, memory.content, memory.event_time, memory)


def _of_turn(turn: Turn, tongue: str) -> _Line:
    return _Line("session", turn.speaker or ROLES[tongue][turn.role], _said(turn), turn.event_time)


def _said(turn: Turn) -> str:
    failures = [f"{call.tool}: {call.error}" for call in turn.tool_calls if call.error]
    return "\n".join([turn.content, *failures] if turn.content else failures)


def _belongs(hit: Hit) -> bool:
    return hit.score >= LEAST_SCORE


def _part(memory: Memory) -> Part:
    if memory.kind is Kind.PROCEDURAL or RULE_TAGS.intersection(memory.tags):
        return "rules"
    return "known" if memory.kind is Kind.SEMANTIC else "events"


def _without_repeats(lines: Sequence[_Line]) -> list[_Line]:
    """Of what is said twice the first; what is said again in a conversation stays."""
    seen: set[str] = set()
    kept = []
    for line in lines:
        if line.memory is None or line.content not in seen:
            kept.append(line)
        seen.add(line.content)
    return kept


def _sections(lines: Sequence[_Line], tongue: str, query: ContextQuery) -> list[Section]:
    zone = ZoneInfo(query.time_zone)
    sections = []
    for part in ORDER:
        own = [line for line in lines if line.part == part]
        if not own:
            continue
        if part == "session":
            own.reverse()
        own.sort(key=lambda line: line.event_time, reverse=part != "session")
        text = "\n".join(_line(line, tongue, zone, query.include_counterfactuals) for line in own)
        ids = tuple(line.memory.memory_id for line in own if line.memory)
        sections.append(Section(HEADINGS[tongue][part], text, ids))
    return sections


def _line(line: _Line, tongue: str, zone: ZoneInfo, counterfactual: bool) -> str:
    said = f"{line.speaker}: {line.content}" if line.speaker else line.content
    # a continuation line is indented, so that text of a memory cannot pass for a heading or an item of ours
    said = said.replace("\n", "\n  ")
    if line.part == "events":
        said = f"{_day(line.event_time, zone)} {said}"
    if counterfactual and line.memory and line.memory.counterfactual:
        said += f"\n  {INSTEAD[tongue]}: {line.memory.counterfactual}"
    return f"- {said}"


def _day(moment: datetime, zone: ZoneInfo) -> date:
    try:
        return moment.astimezone(zone).date()
    except OverflowError:
        # the first hours of the year 1 and the last of 9999 have no date in every zone
        return moment.date()


def _text(sections: Sequence[Section]) -> str:
    return "\n\n".join(f"## {section.heading}\n{section.text}" for section in sections)
