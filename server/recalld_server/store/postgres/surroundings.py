"""What drafts meet: the live memory with the same text, and the nearest ones."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from recalld_server.model import Memory, Scope
from recalld_server.store.base import DraftProbe, Near, Surroundings
from recalld_server.store.postgres import nearest
from recalld_server.store.postgres.known_vectors import KnownVectors
from recalld_server.store.postgres.models import Model
from recalld_server.store.postgres.nearest import Close, Head
from recalld_server.store.postgres.pool import HASH_JOINS, INDEX_ORDERS, PLAN_ONCE
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.rows import Reader, of_m
from recalld_server.store.postgres.transaction import Row, Transaction

EFFORT = "set_config('hnsw.ef_search', '100', true)"
"""What is said twice is near, so less is needed than for a search."""

SQL = load(
    "surroundings.sql",
    of_m=of_m(),
    plan_once=PLAN_ONCE,
    hash_joins=HASH_JOINS,
    index_orders=INDEX_ORDERS,
    effort=EFFORT,
)


async def head_of(transaction: Transaction, scope: Scope, model: Model) -> Row | None:
    """Where the namespace stands: change_sequence, swept_sequence, live, words, ann. From here on, statements of this
    transaction are planned once a connection."""
    return await transaction.row(SQL["head"], transaction.check(scope), model.model_id)


async def surroundings(
    transaction: Transaction,
    scope: Scope,
    probes: Sequence[DraftProbe],
    model: Model,
    reader: Reader,
    known: KnownVectors,
    head: Head | None,
    *,
    near: int,
    floor: float,
    among: Sequence[UUID] | None,
) -> tuple[Surroundings, ...]:
    """See View.surroundings. `head` is needed without `among`."""
    transaction.check(scope)
    close: Close = {}
    asked = [place for place, probe in enumerate(probes) if probe.vector is not None]
    for group in nearest.audiences(probes, asked if near > 0 else []):
        vectors = {place: vector for place in group if (vector := probes[place].vector) is not None}
        like = probes[group[0]]
        if among is not None:
            close |= await nearest.among_some(transaction, scope, model, vectors, like, among, near=near, floor=floor)
            continue
        assert head is not None
        close |= await nearest.among_all(transaction, scope, model, known, head, vectors, like, near=near, floor=floor)
    nearby = {place: sorted(each, key=lambda one: -one[1])[:near] for place, each in close.items()}
    exact, memories = await _met(
        transaction, scope, probes, reader, {one for each in nearby.values() for one, _ in each}
    )
    allowed = None if among is None else set(among)
    met = []
    for place in range(len(probes)):
        same = exact.get(place)
        if same is not None and (allowed is None or same.memory_id in allowed):
            met.append(Surroundings(same, ()))
        else:
            found = [Near(memories[one], cosine) for one, cosine in nearby.get(place, ()) if one in memories]
            met.append(Surroundings(None, tuple(found)))
    return tuple(met)


async def _met(
    transaction: Transaction, scope: Scope, probes: Sequence[DraftProbe], reader: Reader, ids: set[UUID]
) -> tuple[dict[int, Memory], dict[UUID, Memory]]:
    """The live memory with the same text by the draft's place, and those of the ids that are live."""
    rows = await transaction.fetch(
        SQL["met"],
        scope.namespace_id,
        list(range(len(probes))),
        [p.content_hash for p in probes],
        [p.episodic for p in probes],
        [p.user_id for p in probes],
        [int(p.visibility) for p in probes],
        scope.agent_id,
        list(ids),
    )
    exact: dict[int, Memory] = {}
    memories: dict[UUID, Memory] = {}
    for row in rows:
        memory = reader.memory(row, scope.namespace)
        if memory is None:
            continue
        if row["place"] is None:
            memories[memory.memory_id] = memory
        else:
            exact[row["place"]] = memory
    return exact, memories
