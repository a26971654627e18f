"""Stores the drafts of one call, or of several calls at once: look around → decide → lock the namespace, look again at
what was committed since → store. Races are settled by that lock and by the unique index of live hashes.

Calls by one key and method in one namespace that come at the same time share a unit, so that a busy namespace does not pay each
round trip to the database once a call. Each keeps its own outcome, answer and error: where the shared unit fails for
another reason than the database's being away, each call is stored by itself.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from recalld_server.core.decide import (
    LOOK_FROM,
    NEIGHBOURS,
    OUTCOMES,
    Statements,
    consult,
    decide,
    looked_again,
    met_after,
    result,
    touches,
)
from recalld_server.core.earlier import Earlier
from recalld_server.core.items import Item, Results
from recalld_server.core.lots import Lot, check_answered, remember
from recalld_server.core.policy import DEFAULTS
from recalld_server.core.resolve import Lines, Resolution, Resolver, Statement, Verdict
from recalld_server.core.together import Together
from recalld_server.core.turns import in_turns
from recalld_server.errors import MemoryExists, StoreUnavailable
from recalld_server.model import Actor, IndexState, Outcome, Scope, WriteResult
from recalld_server.store.base import NewMemory, Store, Surroundings, Unit, View
from recalld_server.text.clean import content_hash


@dataclass(frozen=True, slots=True)
class Pace:
    """How many units of one agent in one namespace run at a time, and how many drafts must wait for another to begin."""

    places: int
    enough: int


QUICK = Pace(places=2, enough=8)
"""While one unit is with the database, the next looks and decides. Drafts that wait a little cost less than each of them a unit."""
ASKING = Pace(places=8, enough=1)
"""Where the resolver asks a model, for which a unit waits longer than for the database."""
MOST_ITEMS = 500
"""Drafts that share a unit at most."""
STORING_SECONDS = 1.0
"""Of a caller's time, kept for the database when the resolver asks a model."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """A draft, what it says, what is stored of it, what it meets, and what follows."""

    lot: Lot
    item: Item
    said: Statement
    form: NewMemory
    met: Surroundings
    verdict: Resolution


class Storing:
    """Looks, decides and stores."""

    def __init__(self, store: Store, resolver: Resolver, lines: Lines, *, pace: Pace = QUICK) -> None:
        self._store = store
        self._resolver = resolver
        self._lines = lines
        self._statements = Statements()
        self._calls: Together[tuple[Scope, Actor], Lot, Results] = Together(
            self._each, places=pace.places, enough=pace.enough, most=MOST_ITEMS, weight=lambda lot: len(lot.items)
        )

    async def store(self, scope: Scope, lot: Lot) -> Results:
        """What became of each draft of a call. Raises AnswerKnown, RequestIdReused, StoreUnavailable."""
        return await self._calls.ask((scope, scope.actor), lot)

    async def preview(self, scope: Scope, items: Sequence[Item], deadline: float | None) -> Results:
        """What would become of each draft; `deadline` as in a Lot."""
        async with self._store.view([scope]) as view:
            settled = await _settle_chosen_ids(view, scope, items)
            chosen = [item.memory.memory_id for item in items if item.prepared.chosen_id]
            taken = await view.taken(scope, chosen) if chosen else frozenset()
            probes = [item.probe() for item in items]
            _, met = await view.surroundings(scope, probes, near=NEIGHBOURS, floor=LOOK_FROM)
        drafts = [self._statements.of(item.memory) for item in items]
        await consult(drafts, met, self._resolver, self._lines, self._statements, _time_to_ask([deadline]))
        earlier, ended, results = Earlier(), set[UUID](), Results()
        async for item, said, around, known in in_turns(zip(items, drafts, met, settled, strict=True)):
            if known is not None:
                results[item.place] = known
                continue
            now = met_after(item, around, earlier, ended) or around
            resolution = await decide(said, now, self._resolver, self._lines, self._statements)
            if resolution.verdict is Verdict.DUPLICATE:
                held = resolution.memory_ids[0]
                results[item.place] = result(item.memory, Outcome.DUPLICATE, resolution, held)
                continue
            if item.memory.memory_id in taken:
                results[item.place] = MemoryExists()
                continue
            if resolution.verdict is Verdict.SUPERSEDES:
                ended.update(resolution.memory_ids)
            results[item.place] = result(item.memory, _outcome(item, resolution), resolution, None)
            earlier.add(item)
        return results

    async def _each(self, by: tuple[Scope, Actor], lots: Sequence[Lot]) -> Sequence[Results | Exception]:
        scope, _ = by
        self._statements.sweep_later()
        requests = [lot.request for lot in lots if lot.request is not None]
        if len(lots) > 1 and len(set(requests)) == len(requests):
            try:
                return await self._at_once(scope, lots)
            except StoreUnavailable:
                raise
            except Exception:  # noqa: BLE001, S110 - whose fault it is shows when each is stored by itself
                pass
        found: list[Results | Exception] = []
        for lot in lots:
            try:
                found += await self._at_once(scope, [lot])
            except Exception as error:  # noqa: BLE001 - it is this caller's, who is told
                found.append(error)
        return found

    async def _at_once(self, scope: Scope, lots: Sequence[Lot]) -> list[Results]:
        """Stores these in one unit, or none of them. An id that is taken out of the caller's sight fails its draft alone."""
        while True:
            try:
                return await self._in_a_unit(scope, lots)
            except MemoryExists as error:
                if not error.memory_ids:
                    raise
                lots = [lot.without(error.memory_ids) for lot in lots]

    async def _in_a_unit(self, scope: Scope, lots: Sequence[Lot]) -> list[Results]:
        sequence, judged = await self._look(scope, lots)
        results = [dict(lot.results) for lot in lots]
        told = {id(lot): each for lot, each in zip(lots, results, strict=True)}
        async with self._store.unit(scope) as unit:
            if await unit.lock(scope) != sequence:
                judged = await self._look_again(unit, scope, sequence, judged)
            await check_answered(unit, scope, lots)
            await self._apply(unit, scope, judged, told)
            await remember(unit, scope, lots, results)
        return results

    async def _look(self, scope: Scope, lots: Sequence[Lot]) -> tuple[int, list[_Judged]]:
        """What each draft meets at the moment whose change sequence is given with it, and the verdicts on that."""
        placed = [(lot, item) for lot in lots for item in lot.items]
        async with self._store.view([scope]) as view:
            probes = [item.probe() for _, item in placed]
            sequence, met = await view.surroundings(scope, probes, near=NEIGHBOURS, floor=LOOK_FROM)
            average = await view.average_length(scope)
        timeout = _time_to_ask([lot.deadline for lot in lots])
        drafts = [self._statements.of(item.memory) for _, item in placed]
        await consult(drafts, met, self._resolver, self._lines, self._statements, timeout)
        judged = []
        async for (lot, item), said, around in in_turns(zip(placed, drafts, met, strict=True)):
            verdict = await decide(said, around, self._resolver, self._lines, self._statements)
            form = replace(item.form(average), request=lot.request)
            judged.append(_Judged(lot, item, said, form, around, verdict))
        return sequence, judged

    async def _look_again(self, unit: Unit, scope: Scope, sequence: int, judged: Sequence[_Judged]) -> list[_Judged]:
        """The same with what was committed since."""
        changed = await unit.changed_since(scope, sequence)
        probes = [each.item.probe() for each in judged]
        _, again = await unit.surroundings(scope, probes, near=NEIGHBOURS, floor=LOOK_FROM, among=changed)
        now = []
        async for each, fresh in in_turns(zip(judged, again, strict=True)):
            if fresh.exact or fresh.near or touches(each.met, changed):
                met = looked_again(each.met, fresh, changed)
                verdict = await decide(each.said, met, self._resolver, self._lines, self._statements)
                each = replace(each, met=met, verdict=verdict)
            now.append(each)
        return now

    async def _apply(
        self,
        unit: Unit,
        scope: Scope,
        judged: Sequence[_Judged],
        told: Mapping[int, Results],
    ) -> None:
        settled = await _settle_chosen_ids(unit, scope, [each.item for each in judged])
        duplicates: list[UUID] = []
        new: list[_Judged] = []
        earlier, ended = Earlier(), set[UUID]()
        async for each, known in in_turns(zip(judged, settled, strict=True)):
            item, results = each.item, told[id(each.lot)]
            if known is not None:
                results[item.place] = known
                continue
            after = met_after(item, each.met, earlier, ended)
            if after is not None:
                verdict = await decide(each.said, after, self._resolver, self._lines, self._statements)
                each = replace(each, verdict=verdict)
            held = each.verdict.memory_ids
            if each.verdict.verdict is Verdict.DUPLICATE:
                duplicates.append(held[0])
                results[item.place] = result(item.memory, Outcome.DUPLICATE, each.verdict, held[0])
                continue
            if after is not None and ended:
                # what is said again may have been ended just now, and must be so before it can be stored
                duplicates += await _insert(unit, scope, new, told)
                new = []
            new.append(each)
            earlier.add(item)
            if each.verdict.verdict is Verdict.SUPERSEDES:
                ended.update(held)
        duplicates += await _insert(unit, scope, new, told)
        if duplicates:
            await unit.skip_duplicates(scope, duplicates)


def _time_to_ask(deadlines: Sequence[float | None]) -> float | None:
    """Seconds for the resolver, so that the most hurried caller still has its answer; None: nobody is in a hurry."""
    given = [each for each in deadlines if each is not None]
    return max(0.0, min(given) - time.monotonic() - STORING_SECONDS) if given else None


async def _insert(unit: Unit, scope: Scope, new: Sequence[_Judged], told: Mapping[int, Results]) -> list[UUID]:
    """Stores new memories and ends or links what they replace or contradict. Returns those that were there already."""
    duplicates = []
    stored = await unit.insert(scope, [each.form for each in new], actor=scope.agent_id) if new else ()
    for each, memory in zip(new, stored, strict=True):
        results, place, verdict = told[id(each.lot)], each.item.place, each.verdict
        if memory.memory_id != each.form.memory.memory_id:
            exact = Resolution(Verdict.DUPLICATE, (memory.memory_id,), 1.0, "exact")
            duplicates.append(memory.memory_id)
            results[place] = result(memory, Outcome.DUPLICATE, exact, memory.memory_id)
            continue
        answer = result(memory, _outcome(each.item, verdict), verdict, memory.memory_id)
        if verdict.verdict is Verdict.SUPERSEDES:
            await unit.supersede(
                scope,
                verdict.memory_ids,
                memory.memory_id,
                actor=scope.agent_id,
                reason=verdict.reason,
                when=memory.valid_from or memory.event_time,
                request=each.lot.request,
            )
        elif verdict.verdict is Verdict.CONFLICT:
            days = each.lot.policy.review_window_days or DEFAULTS.review_window_days or 7
            expire_time = each.lot.now + timedelta(days=days)
            review = await unit.link_conflict(scope, memory.memory_id, verdict.memory_ids, expire_time=expire_time)
            answer = replace(answer, review_id=review)
        results[place] = answer
    return duplicates


async def _settle_chosen_ids(
    view: View, scope: Scope, items: Sequence[Item]
) -> list[WriteResult | MemoryExists | None]:
    """What a chosen id means that is there already, or comes earlier among `items`: the same write again, or an error of that
    item alone; None for an item that has yet to be decided on."""
    chosen = list({item.memory.memory_id for item in items if item.prepared.chosen_id})
    held = await view.get(scope, chosen) if chosen else {}
    taken: dict[UUID, bytes] = {}
    settled: list[WriteResult | MemoryExists | None] = []
    for item in items:
        memory_id, text = item.memory.memory_id, item.prepared.content_hash
        there = held.get(memory_id) if item.prepared.chosen_id else None
        if there is not None and content_hash(there.content) == text:
            same = Resolution(Verdict.DUPLICATE, (memory_id,), 1.0, "same_id")
            settled.append(result(there, Outcome.DUPLICATE, same, memory_id))
        elif there is not None or taken.setdefault(memory_id, text) != text:
            settled.append(MemoryExists())
        else:
            settled.append(None)
    return settled


def _outcome(item: Item, resolution: Resolution) -> Outcome:
    outcome = OUTCOMES[resolution.verdict]
    if outcome is Outcome.CREATED and item.memory.index_state is IndexState.PENDING:
        return Outcome.ACCEPTED
    return outcome
