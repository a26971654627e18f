"""Write: is it worth keeping, is it known already, does it end or contradict something, and then all of it at once.

Known answer → clean and check → gate → embed (no connection is held) → look, decide and store (`storing`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from recalld_server import telemetry
from recalld_server.core.access import Access, Room
from recalld_server.core.drafts import prepare
from recalld_server.core.items import Item, Results, embed, with_turns_before
from recalld_server.core.lots import Lot, settled_by
from recalld_server.core.policy import DEFAULTS, Action
from recalld_server.core.resolve import Lines, Resolver
from recalld_server.core.storing import QUICK, Pace, Storing
from recalld_server.core.together import Together
from recalld_server.core.turns import in_turns
from recalld_server.core.types import WriteOptions
from recalld_server.errors import RecalldError
from recalld_server.model import (
    Draft,
    Durability,
    IndexState,
    Json,
    Outcome,
    Principal,
    Request,
    Scope,
    WriteResult,
    utc_now,
)
from recalld_server.models.base import Embedder
from recalld_server.store.base import AnswerKnown, Store
from recalld_server.telemetry import Stages

_Known = Mapping[str, Json] | None

ASKED_TOGETHER = 100
"""Requests whose answers are looked up at once at most."""


class Writes:
    """Stores memories and says what became of each."""

    def __init__(
        self,
        store: Store,
        access: Access,
        embedder: Embedder,
        resolver: Resolver,
        lines: Lines,
        *,
        content_limit: int,
        pace: Pace = QUICK,
        on_accepted: Callable[[], None] = lambda: None,
    ) -> None:
        """`pace`: that of Storing. `on_accepted` is called after memories that wait to be indexed were stored."""
        self._store = store
        self._access = access
        self._embedder = embedder
        self._storing = Storing(store, resolver, lines, pace=pace)
        self._known: Together[Scope, Request, _Known] = Together(store.known_answers, places=1, most=ASKED_TOGETHER)
        self._limit = content_limit
        self._on_accepted = on_accepted

    async def write(self, principal: Principal, namespace: str, draft: Draft, options: WriteOptions) -> WriteResult:
        """Stores one memory. Raises InvalidField, NamespaceNotFound, MemoryExists, ModelUnavailable, StoreUnavailable."""
        outcome = (await self.write_batch(principal, namespace, [draft], options))[0]
        if isinstance(outcome, RecalldError):
            raise outcome
        return outcome

    async def write_batch(
        self, principal: Principal, namespace: str, drafts: Sequence[Draft | RecalldError], options: WriteOptions
    ) -> list[WriteResult | RecalldError]:
        """Stores memories; each has its result, or the error that concerns it alone, in its place."""
        with Stages("write") as clock:
            answer = await self._write(principal, namespace, drafts, options, clock)
        for each in answer:
            telemetry.count_outcome(each.reason if isinstance(each, RecalldError) else each.outcome.name)
        return answer

    async def _write(
        self,
        principal: Principal,
        namespace: str,
        drafts: Sequence[Draft | RecalldError],
        options: WriteOptions,
        clock: Stages,
    ) -> list[WriteResult | RecalldError]:
        deadline = _deadline(options)
        room = await self._access.open(principal, namespace, Action.WRITE)
        answered: _Known = None
        if options.call.request is not None:
            answered = await self._known.ask(room.scope, options.call.request)
        while True:
            try:
                results = await self._handle(room, dict(enumerate(drafts)), options, answered, deadline, clock)
                return [results[place] for place in range(len(drafts))]
            except AnswerKnown as meanwhile:
                answered = meanwhile.answer or None

    async def _handle(
        self,
        room: Room,
        drafts: Mapping[int, Draft | RecalldError],
        options: WriteOptions,
        answered: _Known,
        deadline: float | None,
        clock: Stages,
    ) -> Results:
        """What became of each draft: of those in an earlier answer to this request, what it says. Raises AnswerKnown when
        there is another answer than that by now."""
        now = utc_now()
        results = settled_by(answered)
        waiting = {place: each for place, each in drafts.items() if place not in results}
        items = await self._gate(waiting, room, results, now)
        clock.mark("gate")
        items = await self._with_vectors(items, room, options, results)
        clock.mark("embed")
        if items and options.validate_only:
            results.update(await self._storing.preview(room.scope, items, deadline))
            clock.mark("decide")
        elif items:
            lot = Lot(items, results, room.policy, options.call.request, now, deadline, answered)
            results = await self._storing.store(room.scope, lot)
            clock.mark("store")
            if any(item.memory.index_state is IndexState.PENDING for item in items):
                self._on_accepted()
        return results

    async def write_each(
        self,
        principal: Principal,
        namespace: str,
        drafts: Sequence[Draft | RecalldError],
        options: Sequence[WriteOptions],
    ) -> list[WriteResult | RecalldError]:
        """Stores memories in order, each as a request of its own with its own answer or error. Durability and deadline
        are those of the first. Raises what concerns all: RoleRequired, NamespaceNotFound."""
        with Stages("write") as clock:
            deadline = _deadline(options[0])
            room = await self._access.open(principal, namespace, Action.WRITE)
            requests = {place: each.call.request for place, each in enumerate(options) if each.call.request is not None}
            results = await self._answered(room.scope, requests)
            now = utc_now()
            waiting = {place: draft for place, draft in enumerate(drafts) if place not in results}
            items = await self._gate(waiting, room, results, now)
            items = await self._with_vectors(items, room, options[0], results)
            clock.mark("embed")
            lots = [Lot([item], {}, room.policy, requests.get(item.place), now, deadline) for item in items]
            # each is in the line before the next one is, so the order stays
            stored = await asyncio.gather(*(self._stored(room.scope, lot) for lot in lots))
            results.update(zip((item.place for item in items), stored, strict=True))
            clock.mark("store")
        if any(item.memory.index_state is IndexState.PENDING for item in items):
            self._on_accepted()
        answer = [results[place] for place in range(len(drafts))]
        for each in answer:
            telemetry.count_outcome(each.reason if isinstance(each, RecalldError) else each.outcome.name)
        return answer

    async def _answered(self, scope: Scope, requests: Mapping[int, Request]) -> Results:
        """What is known of requests already, by their places."""
        asked = (self._known.ask(scope, request) for request in requests.values())
        results: Results = {}
        for place, answer in zip(requests, await asyncio.gather(*asked, return_exceptions=True), strict=True):
            if isinstance(answer, RecalldError):
                results[place] = answer
            elif isinstance(answer, BaseException):
                raise answer
            elif answer is not None:
                results[place] = settled_by(answer)[0]
        return results

    async def _stored(self, scope: Scope, lot: Lot) -> WriteResult | RecalldError:
        """What became of the one draft of a lot."""
        try:
            return (await self._storing.store(scope, lot))[lot.items[0].place]
        except AnswerKnown as known:
            return settled_by(known.answer)[0]
        except RecalldError as error:
            return error

    async def _with_vectors(
        self, items: Sequence[Item], room: Room, options: WriteOptions, results: Results
    ) -> list[Item]:
        """The items as they are to be stored; one that the model failed on has its error in `results` instead."""
        if options.durability is Durability.ACCEPTED:
            return [item.later() for item in items]
        if not items:
            return []
        accept = bool(room.policy.accept_when_model_is_down)
        items = await with_turns_before(items, self._store, room.scope)
        return await embed(items, self._embedder, accept=accept, timeout=options.call.timeout, results=results)

    async def _gate(
        self, drafts: Mapping[int, Draft | RecalldError], room: Room, results: Results, now: datetime
    ) -> list[Item]:
        threshold = room.policy.importance_threshold or 0.0
        visibility = room.policy.default_visibility or DEFAULTS.default_visibility
        assert visibility is not None
        items = []
        async for place, draft in in_turns(drafts.items()):
            if isinstance(draft, RecalldError):
                results[place] = draft
                continue
            try:
                # one microsecond apart, so that a batch lists in the order in which it was given
                moment = now + timedelta(microseconds=place)
                prepared = prepare(draft, room.scope, default_visibility=visibility, limit=self._limit, now=moment)
            except RecalldError as error:
                results[place] = error
                continue
            importance = prepared.memory.importance
            if importance < threshold:
                reason = "importance_below_threshold"
                results[place] = WriteResult(Outcome.BELOW_THRESHOLD, None, (), reason, importance, threshold)
            else:
                items.append(Item(place, prepared))
        return items


def _deadline(options: WriteOptions) -> float | None:
    """When the caller gives up, on the monotonic clock."""
    return None if options.call.timeout is None else time.monotonic() + options.call.timeout
