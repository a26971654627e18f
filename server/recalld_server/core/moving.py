"""Export and Import: memories leave and come back as they are, with their ids, times, states and history."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from uuid import UUID

import numpy as np

from recalld_server.core.access import Access, Room
from recalld_server.core.answers import from_json, to_json
from recalld_server.core.audit import Audit
from recalld_server.core.drafts import Prepared, checked_content, identity
from recalld_server.core.items import Item, embed, with_turns_before
from recalld_server.core.policy import Action
from recalld_server.core.types import CallOptions
from recalld_server.errors import InvalidField, MemoryExists, RecalldError, RequestIdReused
from recalld_server.model import (
    EVERY_AGENT,
    Filter,
    IndexState,
    Json,
    Memory,
    Principal,
    Revision,
    Role,
    Scope,
    Visibility,
    WriteResult,
)
from recalld_server.models.base import Embedder
from recalld_server.store.base import Adopted, Kept, NewMemory, Store, Unit, Vector, View
from recalld_server.text.clean import content_hash

PAGE = 200
"""Memories that an export reads at a time; no connection is held between two pages."""
NORM_SLACK = 0.01
"""How far from 1 the length of a vector in half precision may be."""


@dataclass(frozen=True, slots=True)
class Exported:
    """One record of an export."""

    kept: Kept
    embedding_model: str = ""
    """Of the vectors; empty when there are none."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """One record to take in, checked as far as one message can be."""

    exported: Exported
    call: CallOptions = CallOptions()


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of one record: "created" or "duplicate", and the memory that holds it."""

    memory_id: UUID
    outcome: str


Results = dict[int, Imported | RecalldError]


class Moving:
    """Export and Import."""

    def __init__(self, store: Store, access: Access, embedder: Embedder, audit: Audit, *, content_limit: int) -> None:
        self._store = store
        self._access = access
        self._audit = audit
        self._embedder = embedder
        self._limit = content_limit

    async def export(
        self, principal: Principal, namespace: str, filter: Filter, *, vectors: bool, revisions: bool
    ) -> AsyncIterator[Exported]:
        """The memories of a namespace that the principal may read, oldest first; each is whole, as it was when its page
        was read."""
        room = await self._access.open(principal, namespace, Action.READ)
        await self._audit.note(room)
        after: tuple[datetime, UUID] | None = None
        while True:
            async with self._store.view([room.scope]) as view:
                found = await view.walk(room.scope, filter, limit=PAGE, after=after)
                page = await view.keep(room.scope, found, vectors=vectors, revisions=revisions)
            for kept in page:
                yield Exported(kept, self._embedder.id if kept.vector is not None else "")
            if len(found) < PAGE:
                return
            after = (found[-1].create_time, found[-1].memory_id)

    async def import_(
        self, principal: Principal, namespace: str, records: Sequence[Incoming], *, timeout: float | None = None
    ) -> list[Imported | RecalldError]:
        """Takes in records; each has its result, or the error that concerns it alone, in its place. A record whose text
        or id is there already is a duplicate. Raises RoleRequired, NamespaceNotFound, StoreUnavailable."""
        room = await self._access.open(principal, namespace, Action.WRITE)
        results: Results = {}
        checked = self._check(principal, room, records, results)
        async with self._store.view([room.scope]) as view:
            _settle_answered(records, results, await _answers(view, room.scope, records))
            await _settle_held(view, room.scope, checked, results)
            average = await view.average_length(room.scope)
        waiting = [item for item in checked if item.place not in results]
        forms = await self._forms(waiting, records, room.scope, average, timeout, results)
        adopted = {place: _adopted(records[place], form) for place, form in forms.items()}
        try:
            await self._store_all(room.scope, adopted, results)
        except MemoryExists as error:
            # an id that is taken out of this caller's sight: only the record that has it fails
            for place, each in adopted.items():
                try:
                    await self._store_all(room.scope, {place: each}, results)
                except MemoryExists:
                    results[place] = error
        return [results[place] for place in range(len(records))]

    def _check(self, principal: Principal, room: Room, records: Sequence[Incoming], results: Results) -> list[Item]:
        checked = []
        for place, record in enumerate(records):
            try:
                kept = record.exported.kept
                _check_history(kept)
                for memory in (*(each.memory for each in kept.revisions), kept.memory):
                    ours = _as_ours(memory, principal, room.scope, self._limit)
                checked.append(Item(place, Prepared(ours, identity(ours), chosen_id=True)))
            except RecalldError as error:
                results[place] = error
        return checked

    async def _forms(
        self,
        items: Sequence[Item],
        records: Sequence[Incoming],
        scope: Scope,
        average: float,
        timeout: float | None,
        results: Results,
    ) -> dict[int, NewMemory]:
        """What is stored of each; vectors of another model are made anew."""
        forms: dict[int, NewMemory] = {}
        others = []
        for item in items:
            exported = records[item.place].exported
            if exported.embedding_model == self._embedder.id and exported.kept.vector is not None:
                vector = self._own(exported.kept.vector)
                text = exported.kept.text_vector
                form = replace(item, text=vector).form(average)
                forms[item.place] = replace(form, text_vector=None if text is None else self._own(text))
            else:
                others.append(item)
        if others:
            failed: dict[int, WriteResult | RecalldError] = {}
            others = await with_turns_before(others, self._store, scope)
            embedded = await embed(others, self._embedder, accept=False, timeout=timeout, results=failed)
            forms.update({item.place: item.form(average) for item in embedded})
            results.update({place: error for place, error in failed.items() if isinstance(error, RecalldError)})
        return dict(sorted(forms.items()))

    def _own(self, vector: Vector) -> Vector:
        """As it is stored; `Incoming` has finite numbers only. One that is not of unit length is brought to it."""
        norm = float(np.linalg.norm(vector))
        return vector if abs(norm - 1.0) <= NORM_SLACK else np.asarray(vector / norm, np.float32)

    async def _store_all(self, scope: Scope, adopted: Mapping[int, Adopted], results: Results) -> None:
        if not adopted:
            return
        async with self._store.unit(scope) as unit:
            await unit.lock(scope)
            before = await unit.claim(scope, [each.request for each in adopted.values() if each.request])
            new = {place: each for place, each in adopted.items() if not _answered(each, before)}
            results.update({place: _given(each, before) for place, each in adopted.items() if place not in new})
            held = await unit.get(scope, [each.new.memory.memory_id for each in new.values()])
            settled: Results = {
                place: _met(each.new.memory, held[each.new.memory.memory_id])
                for place, each in new.items()
                if each.new.memory.memory_id in held
            }
            fresh = {place: each for place, each in new.items() if place not in settled}
            stored = await unit.adopt(scope, list(fresh.values())) if fresh else ()
            for (place, each), memory in zip(fresh.items(), stored, strict=True):
                own = memory is each.new.memory
                settled[place] = Imported(memory.memory_id, "created" if own else "duplicate")
            await _remember(unit, scope, new, settled)
            results.update(settled)


def _as_ours(memory: Memory, principal: Principal, scope: Scope, limit: int) -> Memory:
    """The memory in this namespace. Raises InvalidField."""
    content = checked_content(memory.content, limit, "record.memory.content")
    agent_id = memory.agent_id if Role.ADMIN in principal.roles and memory.agent_id else scope.agent_id
    private = memory.visibility is Visibility.PRIVATE
    if private and agent_id != scope.agent_id and principal.agent_id != EVERY_AGENT:
        raise InvalidField(
            "record.memory.agent_id", "is another agent, and this memory is private: use that agent's key"
        )
    return replace(
        memory,
        content=content,
        namespace=scope.namespace,
        agent_id=agent_id,
        index_state=IndexState.INDEXED,
        index_error="",
    )


def _check_history(kept: Kept) -> None:
    numbers = [0, *(revision.memory.revision for revision in kept.revisions)]
    if any(later <= earlier for earlier, later in pairwise(numbers)):
        raise InvalidField("record.revisions", "must be oldest first, each with a number of its own")
    if numbers[-1] > kept.memory.revision:
        raise InvalidField("record.memory.revision", "is before the last of the revisions")
    if any(revision.memory.memory_id != kept.memory.memory_id for revision in kept.revisions):
        raise InvalidField("record.revisions", "must all be of this memory")


def _adopted(record: Incoming, form: NewMemory) -> Adopted:
    """With its history; without one, the record itself is all that is known of it."""
    memory, kept = form.memory, record.exported.kept
    revisions = [
        replace(each, memory=replace(each.memory, namespace=memory.namespace, agent_id=memory.agent_id))
        for each in kept.revisions
    ]
    if not revisions or revisions[-1].memory.revision < memory.revision:
        revisions.append(Revision(memory, "import", memory.agent_id, "", memory.update_time))
    return Adopted(form, tuple(revisions), record.call.request)


async def _answers(
    view: View, scope: Scope, records: Sequence[Incoming]
) -> Mapping[str, Mapping[str, Json] | RequestIdReused]:
    named = [record.call.request for record in records if record.call.request]
    return await view.known_answers(scope, named) if named else {}


def _settle_answered(
    records: Sequence[Incoming], results: Results, known: Mapping[str, Mapping[str, Json] | RequestIdReused]
) -> None:
    for place, record in enumerate(records):
        request = record.call.request
        if request is not None and request.request_id in known:
            results[place] = _answer(known[request.request_id])


async def _settle_held(view: View, scope: Scope, items: Sequence[Item], results: Results) -> None:
    """What is there already needs no vector."""
    waiting = [item for item in items if item.place not in results]
    held = await view.get(scope, [item.memory.memory_id for item in waiting])
    for item in waiting:
        if (memory := held.get(item.memory.memory_id)) is not None:
            results[item.place] = _met(item.memory, memory)


def _met(memory: Memory, held: Memory) -> Imported | RecalldError:
    same = content_hash(memory.content) == content_hash(held.content)
    return Imported(held.memory_id, "duplicate") if same else MemoryExists()


def _answered(each: Adopted, before: Mapping[str, Mapping[str, Json] | RequestIdReused]) -> bool:
    return each.request is not None and each.request.request_id in before


def _given(each: Adopted, before: Mapping[str, Mapping[str, Json] | RequestIdReused]) -> Imported | RecalldError:
    assert each.request is not None
    return _answer(before[each.request.request_id])


def _answer(known: Mapping[str, Json] | RequestIdReused) -> Imported | RecalldError:
    return known if isinstance(known, RequestIdReused) else from_json(Imported, known)


async def _remember(unit: Unit, scope: Scope, adopted: Mapping[int, Adopted], settled: Results) -> None:
    """What failed is forgotten with its transaction or can be tried again: only what was stored has an answer."""
    answers = {
        each.request: to_json(Imported, result)
        for place, each in adopted.items()
        if each.request is not None and isinstance(result := settled[place], Imported)
    }
    if answers:
        await unit.remember_answers(scope, answers)
