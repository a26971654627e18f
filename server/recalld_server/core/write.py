"""Write: is it worth keeping, is it known already, does it end or contradict something, and then all of it at once.

Known answer → clean and check → gate → embed (no connection is held) → look around → decide → lock the namespace, look
again at what was committed since → store. Races are settled by that lock and by the unique index of live hashes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from recalld_server import telemetry
from recalld_server.core.access import Access, Room
from recalld_server.core.answers import from_json, to_json
from recalld_server.core.decide import (
    LOOK_FROM,
    NEIGHBOURS,
    OUTCOMES,
    Statements,
    decide,
    looked_again,
    met_after,
    result,
    touches,
)
from recalld_server.core.drafts import prepare
from recalld_server.core.earlier import Earlier
from recalld_server.core.items import Item, Results, embed, with_turns_before
from recalld_server.core.policy import DEFAULTS, Action
from recalld_server.core.resolve import Lines, Resolution, Resolver, Verdict
from recalld_server.core.types import WriteOptions
from recalld_server.errors import MemoryExists, ModelUnavailable, RecalldError
from recalld_server.model import Draft, Durability, IndexState, Json, Outcome, Principal, Scope, WriteResult, utc_now
from recalld_server.models.base import Embedder
from recalld_server.store.base import AnswerKnown, NewMemory, Store, Surroundings, Unit
from recalld_server.telemetry import Stages
from recalld_server.text.clean import content_hash

Answer = list[WriteResult | None]
"""What is remembered of a request; None is an item that failed."""


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
        on_accepted: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_accepted` is called after memories that wait to be indexed were stored."""
        self._store = store
        self._access = access
        self._embedder = embedder
        self._resolver = resolver
        self._lines = lines
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
        room = await self._access.open(principal, namespace, Action.WRITE)
        if options.call.request is not None:
            known = await self._store.known_answer(room.scope, options.call.request)
            if known is not None:
                return _replayed(known)
        now = utc_now()
        results: Results = {}
        items = self._gate(drafts, room, results, now)
        clock.mark("gate")
        if options.durability is Durability.ACCEPTED:
            items = [item.later() for item in items]
        elif items:
            accept = bool(room.policy.accept_when_model_is_down)
            items = await with_turns_before(items, self._store, room.scope)
            items = await embed(items, self._embedder, accept=accept, timeout=options.call.timeout, results=results)
            clock.mark("embed")
        if items and options.validate_only:
            await self._preview(items, room, results)
            clock.mark("decide")
        elif items:
            try:
                await self._store_all(items, room, options, results, now, clock)
            except AnswerKnown as known_now:
                return _replayed(known_now.answer)
            if any(item.memory.index_state is IndexState.PENDING for item in items):
                self._on_accepted()
        return [results[place] for place in range(len(drafts))]

    def _gate(self, drafts: Sequence[Draft | RecalldError], room: Room, results: Results, now: datetime) -> list[Item]:
        threshold = room.policy.importance_threshold or 0.0
        visibility = room.policy.default_visibility or DEFAULTS.default_visibility
        assert visibility is not None
        items = []
        for place, draft in enumerate(drafts):
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

    async def _preview(self, items: Sequence[Item], room: Room, results: Results) -> None:
        async with self._store.view([room.scope]) as view:
            probes = [item.probe() for item in items]
            _, met = await view.surroundings(room.scope, probes, near=NEIGHBOURS, floor=LOOK_FROM)
        earlier, statements, ended = Earlier(), Statements(), set[UUID]()
        for item, around in zip(items, met, strict=True):
            now = met_after(item, around, earlier, ended) or around
            resolution = await decide(item, now, self._resolver, self._lines, statements)
            if resolution.verdict is Verdict.SUPERSEDES:
                ended.update(resolution.memory_ids)
            held = resolution.memory_ids[0] if resolution.verdict is Verdict.DUPLICATE else None
            results[item.place] = result(item.memory, _outcome(item, resolution), resolution, held)
            earlier.add(item)

    async def _store_all(
        self,
        items: Sequence[Item],
        room: Room,
        options: WriteOptions,
        results: Results,
        now: datetime,
        clock: Stages,
    ) -> None:
        scope, floor = room.scope, LOOK_FROM
        probes = [item.probe() for item in items]
        async with self._store.view([scope]) as view:
            sequence, first = await view.surroundings(scope, probes, near=NEIGHBOURS, floor=floor)
            average = await view.average_length(scope)
        met, statements = list(first), Statements()
        verdicts = [
            await decide(item, around, self._resolver, self._lines, statements)
            for item, around in zip(items, met, strict=True)
        ]
        forms = [item.form(average) for item in items]
        clock.mark("decide")
        async with self._store.unit(scope, options.call.request) as unit:
            if await unit.lock(scope) != sequence:
                changed = await unit.changed_since(scope, sequence)
                _, again = await unit.surroundings(scope, probes, near=NEIGHBOURS, floor=floor, among=changed)
                for at, (item, fresh) in enumerate(zip(items, again, strict=True)):
                    if fresh.exact or fresh.near or touches(met[at], changed):
                        met[at] = looked_again(met[at], fresh, changed)
                        verdicts[at] = await decide(item, met[at], self._resolver, self._lines, statements)
            await self._apply(unit, room, items, forms, met, verdicts, statements, results, now)
            if options.call.request is not None:
                await unit.remember_answer(_answer(results))
        clock.mark("store")

    async def _apply(
        self,
        unit: Unit,
        room: Room,
        items: Sequence[Item],
        forms: Sequence[NewMemory],
        met: Sequence[Surroundings],
        verdicts: Sequence[Resolution],
        statements: Statements,
        results: Results,
        now: datetime,
    ) -> None:
        scope = room.scope
        await _settle_chosen_ids(unit, scope, items, results)
        duplicates: list[UUID] = []
        new: list[_New] = []
        earlier, ended = Earlier(), set[UUID]()
        for item, form, around, verdict in zip(items, forms, met, verdicts, strict=True):
            if item.place in results:
                continue
            after = met_after(item, around, earlier, ended)
            if after is not None:
                verdict = await decide(item, after, self._resolver, self._lines, statements)
            if verdict.verdict is Verdict.DUPLICATE:
                duplicates.append(verdict.memory_ids[0])
                results[item.place] = result(item.memory, Outcome.DUPLICATE, verdict, verdict.memory_ids[0])
                continue
            if after is not None and ended:
                # what is said again may have been ended just now, and must be so before it can be stored
                duplicates += await _insert(unit, room, new, results, now)
                new = []
            new.append((item, form, verdict))
            earlier.add(item)
            if verdict.verdict is Verdict.SUPERSEDES:
                ended.update(verdict.memory_ids)
        duplicates += await _insert(unit, room, new, results, now)
        if duplicates:
            await unit.skip_duplicates(scope, duplicates)


_New = tuple[Item, NewMemory, Resolution]


async def _insert(unit: Unit, room: Room, new: Sequence[_New], results: Results, now: datetime) -> list[UUID]:
    """Stores new memories and ends or links what they replace or contradict. Returns those that were there already."""
    scope = room.scope
    duplicates = []
    stored = await unit.insert(scope, [form for _, form, _ in new], actor=scope.agent_id) if new else ()
    for (item, form, verdict), memory in zip(new, stored, strict=True):
        if memory.memory_id != form.memory.memory_id:
            exact = Resolution(Verdict.DUPLICATE, (memory.memory_id,), 1.0, "exact")
            duplicates.append(memory.memory_id)
            results[item.place] = result(memory, Outcome.DUPLICATE, exact, memory.memory_id)
            continue
        answer = result(memory, _outcome(item, verdict), verdict, memory.memory_id)
        if verdict.verdict is Verdict.SUPERSEDES:
            when = memory.valid_from or memory.event_time
            old = verdict.memory_ids
            await unit.supersede(scope, old, memory.memory_id, actor=scope.agent_id, reason=verdict.reason, when=when)
        elif verdict.verdict is Verdict.CONFLICT:
            days = room.policy.review_window_days or DEFAULTS.review_window_days or 7
            expire_time = now + timedelta(days=days)
            review = await unit.link_conflict(scope, memory.memory_id, verdict.memory_ids, expire_time=expire_time)
            answer = replace(answer, review_id=review)
        results[item.place] = answer
    return duplicates


async def _settle_chosen_ids(unit: Unit, scope: Scope, items: Sequence[Item], results: Results) -> None:
    """A chosen id that is there already is the same write again, or an error of that item alone."""
    chosen = {item.memory.memory_id: item for item in items if item.prepared.chosen_id}
    if not chosen:
        return
    for memory_id, held in (await unit.get(scope, list(chosen))).items():
        item = chosen[memory_id]
        if content_hash(held.content) == item.prepared.content_hash:
            same = Resolution(Verdict.DUPLICATE, (memory_id,), 1.0, "same_id")
            results[item.place] = result(held, Outcome.DUPLICATE, same, memory_id)
        else:
            results[item.place] = MemoryExists()


def _outcome(item: Item, resolution: Resolution) -> Outcome:
    outcome = OUTCOMES[resolution.verdict]
    if outcome is Outcome.CREATED and item.memory.index_state is IndexState.PENDING:
        return Outcome.ACCEPTED
    return outcome


def _answer(results: Results) -> Mapping[str, Json]:
    ordered = [results[place] for place in sorted(results)]
    return to_json(Answer, [each if isinstance(each, WriteResult) else None for each in ordered])


def _replayed(answer: Mapping[str, Json]) -> list[WriteResult | RecalldError]:
    failed = ModelUnavailable("this item failed when the request was first handled: write it under a new request_id")
    return [failed if each is None else each for each in from_json(Answer, answer)]
