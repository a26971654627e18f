"""What follows when a session ends, by a call or by itself: a look back, and the end of what lives as long as it does."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from recalld_server.model import EVERY_AGENT, SYSTEM, Filter, Kind, Scope, Session, State, Trigger
from recalld_server.store.base import Unit

CHUNK = 1000
NOW = timedelta(0)


@dataclass(frozen=True, slots=True)
class Ended:
    """The session that ended, and the look back that this set off, if any turn waits for one."""

    session: Session
    reflection_id: UUID | None = None


async def end_session(unit: Unit, scope: Scope, session_id: str, *, skip_reflection: bool = False) -> Ended:
    """Ends a session that is there, asks for a look back on its new turns unless that is to be skipped, and ends the memories that
    live as long as it does. One that has ended already stays as it is."""
    session = await unit.open_session(scope, session_id, user_id="", ttl=NOW)
    fresh = session.turn_count > session.asked_turn
    ended = await unit.end_session(scope, session_id)
    await _end_memories(unit, scope, session_id)
    if skip_reflection:
        await unit.withdraw_reflection(scope, session_id)
    elif fresh:
        return Ended(ended, await unit.ask_reflection(scope, session_id, Trigger.END, delay=NOW))
    return Ended(ended)


async def _end_memories(unit: Unit, scope: Scope, session_id: str) -> None:
    """Ends the memories that live as long as the session, as far as the scope sees them."""
    actor = SYSTEM if scope.agent_id == EVERY_AGENT else scope.agent_id
    working = Filter(kinds=(Kind.WORKING,), session_ids=(session_id,))
    while found := await unit.list(scope, working, limit=CHUNK):
        ids = [memory.memory_id for memory in found]
        await unit.set_state(scope, ids, State.EXPIRED, actor=actor, action="expire", reason="its session has ended")
