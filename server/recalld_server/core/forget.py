"""Forget: by ids, or by a filter after a dry run that named the set with a digest."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from recalld_server.core.access import Access
from recalld_server.core.answers import from_json, to_json
from recalld_server.core.memories import check
from recalld_server.core.policy import Action
from recalld_server.core.types import CallOptions, ForgetOrder, Forgotten, Precondition, Receipt
from recalld_server.errors import DigestMismatch, DigestRequired, InvalidField, MemoryNotFound
from recalld_server.model import Filter, ForgetMode, Memory, Principal, Scope, State, new_id, utc_now
from recalld_server.store.base import AnswerKnown, Store, Unit, View

CHUNK = 1000
SAMPLE = 20
"""Ids that a dry run by filter shows."""

TARGET = {ForgetMode.ARCHIVE: State.ARCHIVED, ForgetMode.FORGET: State.FORGOTTEN}


class Forgets:
    """Archives, hides or erases memories."""

    def __init__(self, store: Store, access: Access) -> None:
        self._store = store
        self._access = access

    async def forget(self, principal: Principal, namespace: str, order: ForgetOrder, call: CallOptions) -> Forgotten:
        """Carries out an order, or says what it would do. Ids that are not there are skipped, unless none is there:
        MemoryNotFound. Raises InvalidField for an empty filter, DigestRequired, DigestMismatch, EtagMismatch."""
        room = await self._access.open(principal, namespace, Action.WRITE)
        scope = room.scope
        if order.filter is not None and order.filter == Filter():
            raise InvalidField("filter", "is empty and would mean everything: name at least one condition")
        if order.filter is not None and not order.dry_run and not order.digest:
            raise DigestRequired
        if call.request is not None:
            known = await self._store.known_answer(scope, call.request)
            if known is not None:
                return from_json(Forgotten, known)
        if order.dry_run:
            async with self._store.view([scope]) as view:
                meant, skipped = await self._meant(view, scope, order)
            return _told(order, meant, skipped, None)
        try:
            async with self._store.unit(scope, call.request) as unit:
                await unit.lock(scope)
                meant, skipped = await self._meant(unit, scope, order)
                if order.filter is not None and _digest(order, meant) != order.digest:
                    raise DigestMismatch
                receipt = await self._carry_out(unit, scope, order, meant)
                answer = _told(order, meant, skipped, receipt)
                if call.request is not None:
                    await unit.remember_answer(to_json(Forgotten, answer))
                return answer
        except AnswerKnown as known_now:
            return from_json(Forgotten, known_now.answer)

    async def _meant(self, view: View, scope: Scope, order: ForgetOrder) -> tuple[list[Memory], tuple[UUID, ...]]:
        """The memories that would change, and the ids that would not."""
        if order.filter is not None:
            return await _all(view, scope, order.filter, order.mode), ()
        held = await view.get(scope, order.memory_ids)
        meant = [
            memory for memory_id in order.memory_ids if (memory := held.get(memory_id)) and _goes(memory, order.mode)
        ]
        if not held:
            raise MemoryNotFound
        if order.precondition != Precondition() and meant:
            check(meant[0], order.precondition)
        going = {memory.memory_id for memory in meant}
        return meant, tuple(memory_id for memory_id in order.memory_ids if memory_id not in going)

    async def _carry_out(self, unit: Unit, scope: Scope, order: ForgetOrder, meant: Sequence[Memory]) -> Receipt | None:
        ids = [memory.memory_id for memory in meant]
        if order.mode is ForgetMode.ERASE:
            counts: dict[str, int] = {}
            for start in range(0, len(ids), CHUNK):
                erased = await unit.erase(scope, ids[start : start + CHUNK], actor=scope.agent_id)
                for kind, count in erased.items():
                    counts[kind] = counts.get(kind, 0) + count
            return Receipt(new_id(), utc_now(), tuple(sorted(counts.items())))
        action = order.mode.name.lower()
        for start in range(0, len(ids), CHUNK):
            chunk = ids[start : start + CHUNK]
            await unit.set_state(
                scope, chunk, TARGET[order.mode], actor=scope.agent_id, action=action, reason=order.reason
            )
        return None


def _goes(memory: Memory, mode: ForgetMode) -> bool:
    """Whether the mode changes a memory in this state."""
    return mode is ForgetMode.ERASE or memory.state not in (TARGET[mode], State.FORGOTTEN)


async def _all(view: View, scope: Scope, filter: Filter, mode: ForgetMode) -> list[Memory]:
    meant: list[Memory] = []
    before: tuple[datetime, UUID] | None = None
    while True:
        found = await view.list(scope, filter, limit=CHUNK, before=before)
        meant += [memory for memory in found if _goes(memory, mode)]
        if len(found) < CHUNK:
            return meant
        before = (found[-1].create_time, found[-1].memory_id)


def _digest(order: ForgetOrder, meant: Sequence[Memory]) -> str:
    """Names the set and what is to be done to it: another member, revision, filter or mode gives another digest."""
    digest = hashlib.sha256(repr((order.mode, order.filter)).encode())
    for memory in sorted(meant, key=lambda each: each.memory_id):
        digest.update(memory.memory_id.bytes + memory.revision.to_bytes(8, "big"))
    return digest.hexdigest()


def _told(order: ForgetOrder, meant: Sequence[Memory], skipped: tuple[UUID, ...], receipt: Receipt | None) -> Forgotten:
    shown = meant if order.filter is None else meant[:SAMPLE]
    digest = _digest(order, meant) if order.filter is not None else ""
    return Forgotten(len(meant), tuple(memory.memory_id for memory in shown), digest, skipped, receipt)
