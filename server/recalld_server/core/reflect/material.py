"""What a reflection reads, in steps: the turns of a session, or a page of memories, each about whatever people."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, cast
from uuid import UUID

from recalld_server.core.distill import Role, Source
from recalld_server.core.reflect.targets import distilled
from recalld_server.model import (
    EVERY_AGENT,
    Filter,
    Json,
    Kind,
    Memory,
    Reflection,
    ReflectionTarget,
    Scope,
    TimeSpan,
    Turn,
    TurnRole,
    Visibility,
)
from recalld_server.store.base import Store, View

PAGE: Final = 500
"""Memories of one step."""
MOST_TURNS: Final = 2000
"""Turns of a session that are looked at, the latest."""
CONTEXT: Final = 500
"""Episodes that were looked at before and are read again, since what recurs does so over weeks."""
SCHEDULE: Final = "schedule"
"""The agent in whose name the server reflects for everybody; it has no private memories."""

_ROLE_OF_TURN: Final = {
    TurnRole.USER: Role.PERSON,
    TurnRole.ASSISTANT: Role.ASSISTANT,
    TurnRole.TOOL: Role.TOOL,
    TurnRole.SYSTEM: Role.TOOL,
}
_ASSISTANTS: Final = frozenset({"assistant", "ai", "bot", "agent", "model", "助手", "机器人", "智能体"})
_TOOLS: Final = frozenset({"tool", "system", "工具", "系统"})


@dataclass(frozen=True, slots=True)
class Batch:
    """The sources of one step. `scope` is that of whose eyes they are seen with; `context` was looked at before;
    `position` is what makes the next step begin behind this one."""

    scope: Scope
    sources: tuple[Source, ...]
    position: Mapping[str, Json]
    context: tuple[Source, ...] = ()
    memories: tuple[Memory, ...] = ()
    """Those that may be stale; only when that is what is looked for."""


@dataclass(frozen=True, slots=True)
class _Pass:
    """One look over everything with the eyes of one agent: at all that it may see, or at one visibility."""

    scope: Scope
    visibility: Visibility | None

    def sees(self, visibility: Visibility) -> bool:
        return self.visibility in (None, visibility)


class Material:
    """Reads for one reflection."""

    def __init__(self, store: Store, scope: Scope, reflection: Reflection, visibility: Visibility) -> None:
        """`visibility` is that of turns, which have none of their own."""
        self._store = store
        self._scope = scope
        self._reflection = reflection
        self._targets = distilled(reflection.targets)
        self._visibility = visibility

    async def batches(self, position: Mapping[str, Json]) -> AsyncIterator[Batch]:
        """The steps behind a position; each is read when it is asked for."""
        at = dict(position)
        for number, each in enumerate(await self._passes()):
            if number < int(cast(int, at.get("pass", 0))):
                continue
            for stream in self._streams(each):
                if at.get("stream") not in (None, stream.__name__):
                    continue
                async for batch in stream(each, at.get("after")):
                    place = {"pass": number, "stream": stream.__name__, **batch.position}
                    yield replace(batch, position=place)
                at = {}

    async def _passes(self) -> list[_Pass]:
        if self._scope.agent_id != EVERY_AGENT:
            return [_Pass(self._scope, None)]
        async with self._store.view([self._scope]) as view:
            agents = await view.private_agents(self._scope)
        shared = _Pass(replace(self._scope, agent_id=SCHEDULE), Visibility.SHARED)
        return [shared, *(_Pass(replace(self._scope, agent_id=agent), Visibility.PRIVATE) for agent in agents)]

    def _streams(self, each: _Pass) -> list[Callable[[_Pass, Json], AsyncIterator[Batch]]]:
        streams: list[Callable[[_Pass, Json], AsyncIterator[Batch]]] = []
        if self._reflection.scope.source_ids:
            return [self._named]
        if self._targets:
            if self._reflection.scope.filter is None and each.sees(self._visibility):
                streams.append(self._turns)
            streams.append(self._memories)
        if ReflectionTarget.EXPIRE_STALE in self._reflection.targets:
            streams.append(self._stale)
        return streams

    async def _named(self, each: _Pass, _: Json) -> AsyncIterator[Batch]:
        ids = self._reflection.scope.source_ids
        async with self._store.view([each.scope]) as view:
            turns = await view.turns_by_id(each.scope, ids)
            memories = await view.get(each.scope, ids)
            sessions = {name: await view.session(each.scope, name) for name in {name for name, _ in turns.values()}}
        users = {name: session.user_id if session else "" for name, session in sessions.items()}
        said = [self._turn(turn, name, users[name]) for name, turn in turns.values()]
        live = [memory for memory in memories.values() if memory.state == 1]
        yield Batch(each.scope, (*said, *map(of_memory, live)), {})

    async def _turns(self, each: _Pass, after: Json) -> AsyncIterator[Batch]:
        scope = self._reflection.scope
        if scope.session_id:
            async with self._store.view([each.scope]) as view:
                session = await view.session(each.scope, scope.session_id)
                turns = await _latest(view, each.scope, scope.session_id, session.turn_count) if session else []
            if session is not None:
                yield Batch(each.scope, self._said(turns, scope.session_id, session.user_id), {"after": True})
            return
        span, unless = scope.time_range or TimeSpan(), self._targets if scope.since_last else ()
        name = str(after or "")
        while True:
            async with self._store.view([each.scope]) as view:
                found = await view.sessions_between(each.scope, span, after=name, unless=unless, limit=1)
                if not found:
                    return
                name, user_id = found[0]
                session = await view.session(each.scope, name)
                turns = await _latest(view, each.scope, name, session.turn_count if session else 0)
            within = [turn for turn in turns if _within(turn.event_time, span)]
            yield Batch(each.scope, self._said(within, name, user_id), {"after": name})

    def _said(self, turns: Sequence[Turn], session_id: str, user_id: str) -> tuple[Source, ...]:
        return tuple(self._turn(turn, session_id, user_id) for turn in turns)

    def _turn(self, turn: Turn, session_id: str, user_id: str) -> Source:
        return Source(
            turn.turn_id,
            _ROLE_OF_TURN[turn.role],
            turn.content,
            turn.event_time,
            speaker=turn.speaker,
            session_id=session_id,
            user_id=user_id,
            agent_id=turn.agent_id,
            visibility=self._visibility,
            tool_calls=turn.tool_calls,
        )

    async def _memories(self, each: _Pass, after: Json) -> AsyncIterator[Batch]:
        scope = self._reflection.scope
        async for page in self._pages(each, after, self._filter(), new=scope.since_last):
            chosen = tuple(of_memory(memory) for memory in page if not memory.source_ids)
            context: tuple[Source, ...] = ()
            if scope.since_last and chosen and ReflectionTarget.PATTERNS in self._targets:
                context = await self._context(each, {source.source_id for source in chosen})
            yield Batch(each.scope, chosen, {"after": _place(page[-1])}, context)

    async def _context(self, each: _Pass, but: set[UUID]) -> tuple[Source, ...]:
        filter = Filter(kinds=(Kind.EPISODIC,), visibility=each.visibility)
        async with self._store.view([each.scope]) as view:
            found = await view.list(each.scope, filter, limit=CONTEXT)
        return tuple(of_memory(each) for each in found if not each.source_ids and each.memory_id not in but)

    async def _stale(self, each: _Pass, after: Json) -> AsyncIterator[Batch]:
        async for page in self._pages(each, after, self._filter(), new=False):
            yield Batch(each.scope, (), {"after": _place(page[-1])}, memories=page)

    def _filter(self) -> Filter:
        scope = self._reflection.scope
        if scope.filter is not None:
            return scope.filter
        sessions = (scope.session_id,) if scope.session_id else ()
        return Filter(session_ids=sessions, event_time=scope.time_range or TimeSpan())

    async def _pages(self, each: _Pass, after: Json, filter: Filter, *, new: bool) -> AsyncIterator[tuple[Memory, ...]]:
        before = _from_place(after)
        if each.visibility is not None and filter.visibility is None:
            filter = replace(filter, visibility=each.visibility)
        while True:
            async with self._store.view([each.scope]) as view:
                if new:
                    page = await view.new_memories(each.scope, self._targets, before=before, limit=PAGE)
                else:
                    page = await view.list(each.scope, filter, limit=PAGE, before=before)
            seen = tuple(memory for memory in page if each.sees(memory.visibility))
            if seen:
                yield seen
            if len(page) < PAGE:
                return
            before = (page[-1].create_time, page[-1].memory_id)


def of_memory(memory: Memory) -> Source:
    """A memory as a source."""
    speaker = memory.speaker.lower()
    role = Role.ASSISTANT if speaker in _ASSISTANTS else Role.TOOL if speaker in _TOOLS else Role.PERSON
    return Source(
        memory.memory_id,
        role,
        memory.content,
        memory.event_time,
        memory.revision,
        memory.kind,
        memory.speaker,
        memory.session_id,
        memory.user_id,
        memory.agent_id,
        memory.visibility,
        memory.tool_calls,
        memory.create_time,
    )


async def _latest(view: View, scope: Scope, session_id: str, count: int) -> list[Turn]:
    turns: list[Turn] = []
    behind = max(0, count - MOST_TURNS)
    while page := await view.turns(scope, session_id, behind):
        turns += page
        behind = page[-1].sequence
    return turns


def _within(time: datetime, span: TimeSpan) -> bool:
    return (span.start is None or span.start <= time) and (span.end is None or time < span.end)


def _place(memory: Memory) -> Json:
    return [memory.create_time.isoformat(), str(memory.memory_id)]


def _from_place(place: Json) -> tuple[datetime, UUID] | None:
    if not isinstance(place, list):
        return None
    return datetime.fromisoformat(str(place[0])), UUID(str(place[1]))
