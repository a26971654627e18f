"""Forget: by ids, or by a filter after a dry run that named the set with a digest.

What is meant is settled at once, under the namespace's lock, and stored as an order; the order is carried out in pieces,
each a transaction of its own, so that writers never wait long. Whoever repeats the request, or a chore after a crash, goes
on where it stopped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from uuid import UUID

from recalld_server.core.access import Access
from recalld_server.core.answers import from_json, to_json
from recalld_server.core.archive import Archives
from recalld_server.core.hot_turns import HotTurns
from recalld_server.core.lineage import end_derived
from recalld_server.core.memories import check
from recalld_server.core.policy import Action
from recalld_server.core.types import CallOptions, ForgetOrder, Forgotten, Precondition, Receipt
from recalld_server.errors import DigestMismatch, DigestRequired, InvalidField, MemoryNotFound, WrongState
from recalld_server.model import Filter, ForgetMode, Principal, Scope, State, new_id, utc_now
from recalld_server.store.base import AnswerKnown, ForgetOrders, Mark, Order, Store, Unit, View

CHUNK = 500
"""Memories that one transaction changes."""
SAMPLE = 20
"""Ids that a dry run by filter shows."""
LEASE = timedelta(seconds=30)
"""Without progress for so long an order is free for others to go on with."""
KEPT = timedelta(days=2)
"""For a retry; receipts of erasures are kept for good."""

TARGET = {ForgetMode.ARCHIVE: State.ARCHIVED, ForgetMode.FORGET: State.FORGOTTEN}


@dataclass(frozen=True, slots=True)
class Ordered:
    """What is remembered of a request to forget."""

    order_id: UUID
    memory_ids: tuple[UUID, ...]
    digest: str
    skipped_ids: tuple[UUID, ...]


class Forgets:
    """Archives, hides or erases memories."""

    def __init__(
        self,
        store: Store,
        access: Access,
        orders: ForgetOrders,
        hot: HotTurns | None = None,
        archives: Archives | None = None,
    ) -> None:
        self._store = store
        self._access = access
        self._orders = orders
        self._hot = hot or HotTurns()
        self._archives = archives

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
                return await self._go_on(scope, from_json(Ordered, known))
        if order.dry_run:
            async with self._store.view([scope]) as view:
                meant, skipped = await _meant(view, scope, order)
            return Forgotten(len(meant), _shown(order, meant), _digest(order, meant), skipped)
        try:
            async with self._store.unit(scope, call.request) as unit:
                await unit.lock(scope)
                meant, skipped = await _meant(unit, scope, order)
                digest = _digest(order, meant)
                if order.filter is not None and digest != order.digest:
                    raise DigestMismatch
                opened = _order(order, scope)
                await unit.open_order(scope, opened, [mark.memory_id for mark in meant], lease=LEASE)
                ordered = Ordered(opened.order_id, _shown(order, meant), digest, skipped)
                if call.request is not None:
                    await unit.remember_answer(to_json(Ordered, ordered))
                step = await self._step(unit, scope, opened)
        except AnswerKnown as known_now:
            return await self._go_on(scope, from_json(Ordered, known_now.answer))
        await self._hot.drop(scope, step.session_ids)
        return await self._go_on(scope, ordered)

    async def carry_out(
        self, scope: Scope, mode: ForgetMode, memory_ids: Sequence[UUID], *, actor: str, reason: str
    ) -> int:
        """Forgets memories on the server's own account; returns how many were changed."""
        order = Order(new_id(), mode, actor, reason)
        async with self._store.unit(scope) as unit:
            await unit.lock(scope)
            await unit.open_order(scope, order, memory_ids, lease=LEASE)
        return (await self._finish(scope, order.order_id)).changed

    async def resume(self) -> int:
        """Goes on with orders whose server has gone, and drops what nobody asks for any more; how many."""
        claimed = await self._orders.claim(10, LEASE)
        for scope, order_id in claimed:
            await self._finish(scope, order_id)
        return len(claimed) + await self._orders.sweep(KEPT)

    async def _go_on(self, scope: Scope, ordered: Ordered) -> Forgotten:
        order = await self._finish(scope, ordered.order_id)
        receipt = None
        if order.mode is ForgetMode.ERASE:
            receipt = Receipt(order.order_id, order.finish_time or utc_now(), tuple(sorted(order.counts.items())))
        return Forgotten(order.changed, ordered.memory_ids, ordered.digest, ordered.skipped_ids, receipt)

    async def _finish(self, scope: Scope, order_id: UUID) -> Order:
        """Carries out what is left of an order. Two may do so at once: each piece is done by one of them."""
        while True:
            async with self._store.view([scope]) as view:
                order = await view.order(scope, order_id)
            if order is None:
                raise WrongState("SWEPT", "what became of this request is no longer known: look at the memories")
            if order.finish_time is not None:
                if self._archives is not None and order.counts.get("archive"):
                    await self._archives.tidy(scope)
                return order
            async with self._store.unit(scope) as unit:
                await unit.lock(scope)
                order = await unit.order(scope, order_id)
                step = _Step() if order is None or order.finish_time else await self._step(unit, scope, order)
            await self._hot.drop(scope, step.session_ids)

    async def _step(self, unit: Unit, scope: Scope, order: Order) -> _Step:
        """Handles the next piece, in a unit that has the lock; without one left, what goes with the order as a whole."""
        ids = await unit.next_items(scope, order.order_id, CHUNK)
        finished = len(ids) < CHUNK
        step = _Step()
        if order.mode is ForgetMode.ERASE:
            step = await _erase(unit, scope, order, ids)
            if finished:
                step = step.plus(await _erase_sessions(unit, scope, order))
        elif ids:
            state, action = TARGET[order.mode], order.mode.name.lower()
            if order.mode is ForgetMode.FORGET:
                await end_derived(unit, scope, ids, erase=False, actor=order.actor)
            await unit.set_state(scope, ids, state, actor=order.actor, action=action, reason=order.reason)
            step = _Step(len(ids))
        await unit.note_order(
            scope, order.order_id, changed=step.changed, counts=step.counts, finished=finished, lease=LEASE
        )
        return step


@dataclass(frozen=True, slots=True)
class _Step:
    """What one piece has done."""

    changed: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    session_ids: tuple[str, ...] = ()
    """Sessions whose copies elsewhere have to go once this is committed."""

    def plus(self, other: _Step) -> _Step:
        counts = {name: self.counts.get(name, 0) + other.counts.get(name, 0) for name in {*self.counts, *other.counts}}
        return _Step(self.changed + other.changed, counts, (*self.session_ids, *other.session_ids))


async def _erase(unit: Unit, scope: Scope, order: Order, ids: Sequence[UUID]) -> _Step:
    if not ids:
        return _Step()
    sources = {source for memory in (await unit.get(scope, ids)).values() for source in memory.source_ids}
    turns = list(await unit.turns_by_id(scope, sorted(sources)))
    derived = await end_derived(unit, scope, [*ids, *turns], erase=True, actor=order.actor)
    said = await unit.erase_turns(scope, turn_ids=turns)
    counts = {"derived": derived, **await unit.erase(scope, ids, actor=order.actor)}
    # one that was derived from another of these is gone already, and was meant as well
    return _Step(len(ids), counts).plus(_Step(0, dict(said.counts), said.session_ids))


async def _erase_sessions(unit: Unit, scope: Scope, order: Order) -> _Step:
    if not order.user_ids and not order.session_ids:
        return _Step()
    gone = await unit.erase_turns(scope, session_ids=order.session_ids, user_ids=order.user_ids)
    return _Step(0, dict(gone.counts), gone.session_ids)


def _order(order: ForgetOrder, scope: Scope) -> Order:
    """Sessions end with an erasure that means all memories of a person or of a session."""
    opened = Order(new_id(), order.mode, scope.agent_id, order.reason)
    if order.mode is not ForgetMode.ERASE or order.filter is None:
        return opened
    rest = replace(order.filter, user_ids=(), session_ids=(), states=())
    if rest != Filter():
        return opened
    if order.filter.session_ids:
        return replace(opened, session_ids=order.filter.session_ids)
    return replace(opened, user_ids=order.filter.user_ids)


async def _meant(view: View, scope: Scope, order: ForgetOrder) -> tuple[tuple[Mark, ...], tuple[UUID, ...]]:
    """The memories that would change, and the ids that would not."""
    if order.filter is not None:
        marks = await view.marks(scope, order.filter)
        return tuple(mark for mark in marks if _goes(mark.state, order.mode)), ()
    held = await view.get(scope, order.memory_ids)
    if not held:
        raise MemoryNotFound
    going = [held[each] for each in order.memory_ids if each in held and _goes(held[each].state, order.mode)]
    if order.precondition != Precondition() and going:
        check(going[0], order.precondition)
    names = {memory.memory_id for memory in going}
    meant = tuple(Mark(memory.memory_id, memory.revision, memory.state) for memory in going)
    return meant, tuple(memory_id for memory_id in order.memory_ids if memory_id not in names)


def _goes(state: State, mode: ForgetMode) -> bool:
    """Whether the mode changes a memory in this state."""
    return mode is ForgetMode.ERASE or state not in (TARGET[mode], State.FORGOTTEN)


def _shown(order: ForgetOrder, meant: Sequence[Mark]) -> tuple[UUID, ...]:
    shown = meant if order.filter is None else meant[:SAMPLE]
    return tuple(mark.memory_id for mark in shown)


def _digest(order: ForgetOrder, meant: Sequence[Mark]) -> str:
    """Names the set and what is to be done to it: another member, revision, filter or mode gives another digest."""
    if order.filter is None:
        return ""
    digest = hashlib.sha256(repr((order.mode, order.filter)).encode())
    for mark in sorted(meant, key=lambda each: each.memory_id):
        digest.update(mark.memory_id.bytes + mark.revision.to_bytes(8, "big"))
    return digest.hexdigest()
