"""Working memory: the turns and variables of running sessions.

A turn is durable before the call returns, and the look back that it sets off is due in the same transaction: neither is
lost without the other. A session belongs to its namespace, so all agents that work in it see it at once.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar
from uuid import UUID

from recalld_server.core import pages, triggers
from recalld_server.core.access import Access, Room
from recalld_server.core.answers import from_json, to_json
from recalld_server.core.hot_turns import KEPT, HotTurns
from recalld_server.core.policy import Action, setting
from recalld_server.core.session_ends import Ended, end_session
from recalld_server.core.types import CallOptions
from recalld_server.errors import ContentTooLarge, EtagMismatch, InvalidField, ResourceNotFound, WrongState
from recalld_server.model import (
    Json,
    Page,
    Policy,
    Principal,
    Scope,
    Session,
    SessionState,
    Turn,
    TurnDraft,
    new_id,
    utc_now,
)
from recalld_server.store.base import AnswerKnown, SessionJobs, Store, Unit
from recalld_server.text.budget import estimate_tokens
from recalld_server.text.clean import clean

T = TypeVar("T")

MAX_VARIABLES_BYTES = 64 * 1024
"""All variables of a session together, as JSON."""


@dataclass(frozen=True, slots=True)
class Appended:
    """The session with its new turns, and the look back that these set off, if any."""

    session: Session
    turn_ids: tuple[UUID, ...]
    reflection_id: UUID | None = None


class Sessions:
    """AppendTurns, GetSession, SetVariables, EndSession, ListSessions."""

    def __init__(
        self,
        store: Store,
        access: Access,
        jobs: SessionJobs,
        *,
        content_limit: int,
        hot: HotTurns,
        on_due: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_due` is called when a look back is due at once; `wake` is set when there is something to settle."""
        self.wake = asyncio.Event()
        self._store = store
        self._access = access
        self._jobs = jobs
        self._limit = content_limit
        self._hot = hot
        self._on_due = on_due

    async def append(
        self,
        principal: Principal,
        namespace: str,
        session_id: str,
        drafts: Sequence[TurnDraft],
        *,
        user_id: str,
        call: CallOptions,
    ) -> Appended:
        """Adds turns, all or none, to a session, which is opened when it is new. Raises ContentTooLarge, InvalidField for
        another person than the session's, WrongState for a session that has ended."""
        room = await self._access.open(principal, namespace, Action.WRITE)
        turns = [self._turn(draft, place, room.scope) for place, draft in enumerate(drafts)]
        ids = tuple(turn.turn_id for turn in turns)

        async def add(unit: Unit) -> Appended:
            await self._open(unit, room, session_id, user_id)
            session = await unit.append_turns(room.scope, session_id, turns, ttl=_ttl(room.policy))
            due = triggers.due(session, turns, room.policy)
            job_id = None
            if due is not None:
                job_id = await unit.ask_reflection(room.scope, session_id, due.reason, delay=due.delay)
            return Appended(session, ids, job_id if due is not None and due.set_off else None)

        appended = await self._once(Appended, room, session_id, call, add)
        if appended.turn_ids == ids:  # else a retry was given the first answer
            await self._hot.extend(room.scope, appended.session, turns)
        if appended.reflection_id is not None:
            self._on_due()
        return appended

    async def get(
        self, principal: Principal, namespace: str, session_id: str, *, max_turns: int, max_tokens: int | None
    ) -> tuple[Session, tuple[Turn, ...]]:
        """The session and its latest turns, oldest first. Raises ResourceNotFound."""
        room = await self._access.open(principal, namespace, Action.READ)
        async with self._store.view([room.scope]) as view:
            session = await view.session(room.scope, session_id)
            if session is None:
                raise ResourceNotFound("session")
            if not self._hot.offers(max_turns):
                return session, await view.latest_turns(room.scope, session_id, limit=max_turns, tokens=max_tokens)
        turns = await self._hot.latest(room.scope, session, limit=max_turns, tokens=max_tokens)
        if turns is not None:
            return session, turns
        async with self._store.view([room.scope]) as view:
            session = await view.session(room.scope, session_id)
            turns = await view.latest_turns(room.scope, session_id, limit=max_turns, tokens=max_tokens)
        if session is None:
            raise ResourceNotFound("session")
        if len(turns) == min(KEPT, session.turn_count):
            await self._hot.keep(room.scope, session, turns)
        return session, turns

    async def set_variables(
        self,
        principal: Principal,
        namespace: str,
        session_id: str,
        variables: Mapping[str, Json],
        *,
        etag: str,
        call: CallOptions,
    ) -> Session:
        """Sets variables and removes those that are None; the session is opened when it is new. Raises EtagMismatch when
        they were changed since, InvalidField when they grow too large, WrongState for a session that has ended."""
        room = await self._access.open(principal, namespace, Action.WRITE)

        async def change(unit: Unit) -> Session:
            session = await self._open(unit, room, session_id, "")
            if etag and etag != session.etag:
                raise EtagMismatch(session.etag, session.revision)
            merged = {key: value for key, value in {**session.variables, **variables}.items() if value is not None}
            if (size := len(json.dumps(merged, ensure_ascii=False).encode())) > MAX_VARIABLES_BYTES:
                problem = (
                    f"make {size:,} bytes together, over the limit of {MAX_VARIABLES_BYTES:,}: remove some with null"
                )
                raise InvalidField("variables", problem)
            return await unit.put_variables(room.scope, session_id, merged, ttl=_ttl(room.policy))

        return await self._once(Session, room, session_id, call, change)

    async def end(
        self, principal: Principal, namespace: str, session_id: str, *, skip_reflection: bool, call: CallOptions
    ) -> Ended:
        """Ends a session and what lives as long as it does; its turns are looked back on unless that is to be skipped.
        One that has ended already stays as it is. Raises ResourceNotFound."""
        room = await self._access.open(principal, namespace, Action.WRITE)

        async def finish(unit: Unit) -> Ended:
            await unit.lock(room.scope)
            if await unit.session(room.scope, session_id) is None:
                raise ResourceNotFound("session")
            return await end_session(unit, room.scope, session_id, skip_reflection=skip_reflection)

        ended = await self._once(Ended, room, session_id, call, finish)
        self.wake.set()
        if ended.reflection_id is not None:
            self._on_due()
        return ended

    async def list(
        self,
        principal: Principal,
        namespace: str,
        *,
        user_id: str,
        state: SessionState | None,
        page_size: int,
        page_token: str,
    ) -> Page[Session]:
        """Newest first."""
        room = await self._access.open(principal, namespace, Action.READ)
        asked = ("sessions", namespace, user_id, state)
        place = pages.decode(page_token, asked, (str, str))
        before = (pages.moment(str(place[0])), str(place[1])) if place else None
        async with self._store.view([room.scope]) as view:
            found = await view.sessions(room.scope, user_id=user_id, state=state, limit=page_size + 1, before=before)
        if len(found) <= page_size:
            return Page(found)
        last = found[page_size - 1]
        return Page(found[:page_size], pages.encode([last.create_time.isoformat(), last.session_id], asked))

    async def settle(self, limit: int = 20) -> int:
        """Ends sessions that were idle for too long, and what other agents kept for as long as a session ran; how many."""
        unsettled = await self._jobs.unsettled(limit)
        asked = False
        for scope, session_id in unsettled:
            async with self._store.unit(scope) as unit:
                await unit.lock(scope)
                session = await unit.session(scope, session_id)
                # a turn may have come since, and moved its end
                if session is None or session.state is SessionState.OPEN:
                    continue
                ended = await end_session(unit, scope, session_id)
                asked = asked or ended.reflection_id is not None
                await unit.settle_session(scope, session_id)
        if asked:
            self._on_due()
        return len(unsettled)

    def _turn(self, draft: TurnDraft, place: int, scope: Scope) -> Turn:
        content = clean(draft.content)
        if (size := len(content.encode())) > self._limit:
            raise ContentTooLarge(f"turns[{place}].content", self._limit, size)
        told = " ".join([content, *(f"{call.tool} {call.arguments} {call.error}" for call in draft.tool_calls)])
        return Turn(
            turn_id=new_id(),
            role=draft.role,
            content=content,
            agent_id=scope.agent_id,
            event_time=draft.event_time or utc_now(),
            speaker=draft.speaker,
            tool_calls=draft.tool_calls,
            tokens=estimate_tokens(told),
        )

    async def _open(self, unit: Unit, room: Room, session_id: str, user_id: str) -> Session:
        session = await unit.open_session(room.scope, session_id, user_id=user_id, ttl=_ttl(room.policy))
        if session.state is SessionState.ENDED:
            raise WrongState("ENDED", "the session has ended: go on in a new one, with another session_id")
        if user_id and session.user_id != user_id:
            raise InvalidField(
                "user_id", "is not the person that this session is with: leave it out, or take a new session_id"
            )
        return session

    async def _once(
        self, kind: type[T], room: Room, session_id: str, call: CallOptions, work: Callable[[Unit], Awaitable[T]]
    ) -> T:
        """Carries out a change in one unit, or gives the answer that a retry of it gets."""
        try:
            async with self._store.unit(room.scope, call.request) as unit:
                result = await work(unit)
                if call.request is not None:
                    # by these names an erasure of the session finds the answer
                    place = {"namespace_id": str(room.scope.namespace_id), "session_id": session_id}
                    await unit.remember_answer({**to_json(kind, result), **place})
                return result
        except AnswerKnown as known:
            return from_json(kind, known.answer)


def _ttl(policy: Policy) -> timedelta:
    return timedelta(seconds=setting(policy, "session_ttl_seconds"))
