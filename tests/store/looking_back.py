"""What the tests of reflections put into a store and read from it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from tests.store.things import START, Backend

from recalld_server.model import (
    ReflectedInsight,
    Reflection,
    ReflectionScope,
    ReflectionState,
    ReflectionTarget,
    Scope,
    Turn,
    TurnRole,
    Visibility,
    new_id,
)
from recalld_server.store.base import ReflectionJob, Step

LONG = timedelta(minutes=30)
NONE = timedelta(0)
FACTS = (ReflectionTarget.FACTS,)
BOTH = (ReflectionTarget.PREFERENCES, ReflectionTarget.FACTS)


def reflection(scope: Scope, /, **fields: Any) -> Reflection:
    """One that the scope's agent asks for."""
    known: dict[str, Any] = {
        "reflection_id": new_id(),
        "namespace": scope.namespace,
        "state": ReflectionState.PENDING,
        "scope": ReflectionScope(since_last=True),
        "targets": BOTH,
        "agent_id": scope.agent_id,
        "actor": scope.agent_id,
        "create_time": START,
    }
    return Reflection(**{**known, **fields})


async def queue(store: Backend, scope: Scope, /, **fields: Any) -> UUID:
    asked = reflection(scope, **fields)
    async with store.unit(scope) as unit:
        assert await unit.add_reflection(scope, asked)
    return asked.reflection_id


async def claim(store: Backend, limit: int = 10, lease: timedelta = LONG) -> tuple[ReflectionJob, ...]:
    return await store.reflection_jobs().claim(limit, lease)


async def held(store: Backend, scope: Scope, /, **fields: Any) -> ReflectionJob:
    """A reflection that runs; nothing else is due."""
    reflection_id = await queue(store, scope, **fields)
    (job,) = await claim(store)
    assert job.reflection_id == reflection_id
    return job


async def advance(store: Backend, job: ReflectionJob, step: Step | None = None, **fields: Any) -> None:
    async with store.unit(job.scope) as unit:
        await unit.advance(job.scope, job, step or Step({}, 0.5, **fields))


async def end(
    store: Backend, job: ReflectionJob, state: ReflectionState = ReflectionState.SUCCEEDED, error: str = ""
) -> None:
    async with store.unit(job.scope) as unit:
        await unit.end_reflection(job.scope, job, state, error)


async def cancel(store: Backend, scope: Scope, reflection_id: UUID) -> bool:
    async with store.unit(scope) as unit:
        return await unit.cancel_reflection(scope, reflection_id)


async def find(store: Backend, scope: Scope, reflection_id: UUID) -> Reflection | None:
    async with store.view([scope]) as view:
        return await view.reflection(scope, reflection_id)


async def read(store: Backend, scope: Scope, reflection_id: UUID) -> Reflection:
    found = await find(store, scope, reflection_id)
    assert found is not None
    return found


def insight(content: str = "", **fields: Any) -> ReflectedInsight:
    known: dict[str, Any] = {
        "category": "fact",
        "content": content,
        "confidence": 0.9,
        "source_ids": (new_id(),),
        "support": 1,
        "outcome": "created",
        "visibility": Visibility.SHARED,
        "agent_id": "ann",
    }
    return ReflectedInsight(**{**known, **fields})


async def said(store: Backend, scope: Scope, session_id: str, *turns: Turn, user_id: str = "") -> list[UUID]:
    """Adds turns to a session; their ids."""
    async with store.unit(scope) as unit:
        await unit.open_session(scope, session_id, user_id=user_id, ttl=LONG)
        await unit.append_turns(scope, session_id, turns, ttl=LONG)
    return [turn.turn_id for turn in turns]


def turn(scope: Scope, content: str, after: timedelta = NONE) -> Turn:
    """A turn that was said so long after START."""
    return Turn(new_id(), TurnRole.USER, content, scope.agent_id, START + after)
