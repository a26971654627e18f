"""Reflect: starts a reflection and returns at once; it is read, followed and cancelled by its id."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Final, cast
from uuid import UUID

from recalld_server.core.access import Access, Room
from recalld_server.core.policy import Action
from recalld_server.core.reflect.targets import USUAL
from recalld_server.core.types import CallOptions
from recalld_server.errors import InvalidField, ResourceNotFound
from recalld_server.model import (
    Filter,
    Json,
    Principal,
    Reflection,
    ReflectionScope,
    ReflectionState,
    ReflectionTarget,
    Request,
    TimeSpan,
    new_id,
    utc_now,
)
from recalld_server.store.base import AnswerKnown, Store

COUNTS: Final = ("read", "created", "superseded", "merged", "review", "skipped", "failed")
"""Counted by every reflection, also when there is nothing."""
_LOOK_SECONDS: Final = 0.25


@dataclass(frozen=True, slots=True)
class ReflectOrder:
    """What to look back on and for what; no targets: the usual ones."""

    scope: ReflectionScope
    targets: tuple[ReflectionTarget, ...] = ()
    dry_run: bool = False


class Reflections:
    """Reflections of one namespace each."""

    def __init__(self, store: Store, access: Access, *, on_started: Callable[[], None] = lambda: None) -> None:
        """`on_started` is called after a reflection was put in the queue."""
        self._store = store
        self._access = access
        self._on_started = on_started

    async def start(self, principal: Principal, namespace: str, order: ReflectOrder, call: CallOptions) -> Reflection:
        """Queues a reflection. Raises RoleRequired, NamespaceNotFound, InvalidField, ResourceNotFound for a session that is
        not there."""
        room = await self._access.open(principal, namespace, Action.REFLECT)
        known = await self._known(room, call.request)
        if known is not None:
            return known
        await self._check(room, order.scope)
        reflection = Reflection(
            new_id(),
            room.scope.namespace,
            ReflectionState.PENDING,
            order.scope,
            order.targets or USUAL,
            room.scope.agent_id,
            room.scope.agent_id,
            utc_now(),
            order.dry_run,
        )
        try:
            async with self._store.unit(room.scope, call.request) as unit:
                await unit.add_reflection(room.scope, reflection)
                await unit.remember_answer({"reflection_id": str(reflection.reflection_id)})
        except AnswerKnown as known_now:
            return await self._read(room, _id(known_now.answer))
        self._on_started()
        return await self._read(room, reflection.reflection_id)

    async def get(self, principal: Principal, namespace: str, reflection_id: UUID) -> Reflection:
        """A reflection as it stands. Raises ResourceNotFound."""
        return await self._read(await self._access.open(principal, namespace, Action.READ), reflection_id)

    async def watch(self, principal: Principal, namespace: str, reflection_id: UUID) -> AsyncIterator[Reflection]:
        """A reflection as it stands now and after each step, until it has ended. Each look checks anew what the caller
        may see. Raises ResourceNotFound."""
        last: Reflection | None = None
        while last is None or not last.state.final:
            if last is not None:
                await asyncio.sleep(_LOOK_SECONDS)
            now = await self.get(principal, namespace, reflection_id)
            if now != last:
                yield now
            last = now

    async def cancel(self, principal: Principal, namespace: str, reflection_id: UUID, call: CallOptions) -> Reflection:
        """Asks a reflection to stop: it stores nothing more. One that has ended stays as it is. Raises ResourceNotFound."""
        room = await self._access.open(principal, namespace, Action.REFLECT)
        known = await self._known(room, call.request)
        if known is not None:
            return known
        reflection = await self._read(room, reflection_id)
        try:
            async with self._store.unit(room.scope, call.request) as unit:
                if not reflection.targets:
                    # a look back on a session that waits: its job finds it cancelled
                    await unit.add_reflection(room.scope, reflection, held_by_session=True)
                await unit.cancel_reflection(room.scope, reflection_id)
                await unit.remember_answer({"reflection_id": str(reflection_id)})
        except AnswerKnown:
            pass
        return await self._read(room, reflection_id)

    async def _known(self, room: Room, request: Request | None) -> Reflection | None:
        if request is None:
            return None
        answer = await self._store.known_answer(room.scope, request)
        return None if answer is None else await self._read(room, _id(answer))

    async def _read(self, room: Room, reflection_id: UUID) -> Reflection:
        async with self._store.view([room.scope]) as view:
            reflection = await view.reflection(room.scope, reflection_id)
        if reflection is None:
            raise ResourceNotFound("reflection")
        return reflection

    async def _check(self, room: Room, scope: ReflectionScope) -> None:
        if scope.time_range == TimeSpan():
            raise InvalidField("scope.time_range", "has neither a start nor an end: give at least one")
        if scope.session_id:
            async with self._store.view([room.scope]) as view:
                there = await view.session(room.scope, scope.session_id) is not None or await view.list(
                    room.scope, Filter(session_ids=(scope.session_id,)), limit=1
                )
            if not there:
                raise ResourceNotFound("session")


def counted(reflection: Reflection) -> dict[str, int]:
    """Its counts, with those that are none."""
    return {**dict.fromkeys(COUNTS, 0), **reflection.counts}


def _id(answer: Mapping[str, Json]) -> UUID:
    return UUID(cast(str, answer["reflection_id"]))
