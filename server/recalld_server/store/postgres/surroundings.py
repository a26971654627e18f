"""What drafts meet: the live memory with the same text, and the nearest ones."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from recalld_server.model import Memory, Scope
from recalld_server.store.base import DraftProbe, Near, Surroundings
from recalld_server.store.postgres import nearest
from recalld_server.store.postgres.codecs import halfvec_to_wire
from recalld_server.store.postgres.models import Model
from recalld_server.store.postgres.pool import Row, Transaction
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.rows import Reader, of_m

SQL = load("surroundings.sql", of_m=of_m())
# the same, by the partial index of what the HNSW index does not hold yet
SQL["near_fresh"] = SQL["near"].replace("e.model_id = $9", "e.model_id = $9 AND NOT e.ann")


async def surroundings(
    transaction: Transaction,
    scope: Scope,
    probes: Sequence[DraftProbe],
    model: Model,
    reader: Reader,
    *,
    near: int,
    floor: float,
    among: Sequence[UUID] | None,
) -> tuple[int, tuple[Surroundings, ...]]:
    """See View.surroundings."""
    namespace_id = transaction.check(scope)
    head = await transaction.row(SQL["head"], namespace_id, model.model_id)
    if head is None or not probes:
        return (head["change_sequence"] if head else 0), tuple(Surroundings(None, ()) for _ in probes)
    if among is not None and not among:
        return head["change_sequence"], tuple(Surroundings(None, ()) for _ in probes)
    places = range(len(probes))
    shared = (
        [p.episodic for p in probes],
        [p.user_id for p in probes],
        [int(p.visibility) for p in probes],
        scope.agent_id,
        list(among) if among is not None else None,
    )
    exact_rows = await transaction.fetch(
        SQL["exact"], namespace_id, list(places), [p.content_hash for p in probes], *shared
    )
    exact: dict[int, Memory] = {}
    for row in exact_rows:
        memory = reader.memory(row, scope.namespace)
        if memory is not None:
            exact[row["place"]] = memory
    asked = [place for place in places if probes[place].vector is not None and place not in exact]
    found: dict[int, list[Near]] = {}
    if asked and near > 0:
        indexed = bool(head["ann"]) and among is None
        few: list[int] = []
        close: nearest.Close = {}
        for group in nearest.audiences(probes, asked):
            vectors = {place: vector for place in group if (vector := probes[place].vector) is not None}
            like = probes[group[0]]
            if len(group) < nearest.MANY:
                few += group
            else:
                exactly = await nearest.by_matrix(
                    transaction, scope, model, vectors, like, near=near, floor=floor, among=among, fresh_only=indexed
                )
                close.update(exactly)
            if indexed:
                through = await nearest.by_index(transaction, scope, model, vectors, like, near=near, floor=floor)
                for place, each in through.items():
                    close.setdefault(place, []).extend(each)
        close = {place: sorted(each, key=lambda one: -one[1])[:near] for place, each in close.items()}
        memories = await _memories(transaction, scope, reader, {one for each in close.values() for one, _ in each})
        for place, each in close.items():
            found[place] = [Near(memories[one], cosine) for one, cosine in each if one in memories]
        rows = await _by_scan(transaction, scope, model, probes, few, among, near, floor, fresh_only=indexed)
        for row in rows:
            memory = reader.memory(row, scope.namespace)
            if memory is not None:
                found.setdefault(row["place"], []).append(Near(memory, row["cosine"]))
    return head["change_sequence"], tuple(
        Surroundings(exact.get(place), tuple(sorted(found.get(place, ()), key=lambda each: -each.cosine)[:near]))
        for place in places
    )


async def _memories(transaction: Transaction, scope: Scope, reader: Reader, ids: set[UUID]) -> dict[UUID, Memory]:
    if not ids:
        return {}
    rows = await transaction.fetch(SQL["rows"], scope.namespace_id, list(ids))
    return {memory.memory_id: memory for memory in reader.memories(rows, scope.namespace)}


async def _by_scan(
    transaction: Transaction,
    scope: Scope,
    model: Model,
    probes: Sequence[DraftProbe],
    places: Sequence[int],
    among: Sequence[UUID] | None,
    near: int,
    floor: float,
    *,
    fresh_only: bool,
) -> list[Row]:
    """The nearest memories of a few drafts, compared in the database."""
    if not places:
        return []
    return await transaction.fetch(
        SQL["near_fresh" if fresh_only else "near"],
        scope.namespace_id,
        list(places),
        [halfvec_to_wire(vector) for place in places if (vector := probes[place].vector) is not None],
        [probes[place].episodic for place in places],
        [probes[place].user_id for place in places],
        [int(probes[place].visibility) for place in places],
        scope.agent_id,
        None if among is None else list(among),
        model.model_id,
        near,
        floor,
    )
