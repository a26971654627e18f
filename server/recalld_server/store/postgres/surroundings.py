"""What drafts meet: the live memory with the same text, and the nearest ones."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from recalld_server.model import Memory, Scope
from recalld_server.store.base import DraftProbe, Near, Surroundings
from recalld_server.store.postgres.codecs import halfvec_to_wire
from recalld_server.store.postgres.models import Model
from recalld_server.store.postgres.pool import Row, Transaction
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.rows import OF_M, Reader

SQL = load("surroundings.sql", of_m=OF_M)


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
        memory = reader.memory(row, scope.namespace, transaction.now)
        if memory is not None:
            exact[row["place"]] = memory
    near_rows: list[Row] = []
    asked = [place for place in places if probes[place].vector is not None and place not in exact]
    if asked and near > 0:
        near_rows = await transaction.fetch(
            SQL["near"],
            namespace_id,
            asked,
            [halfvec_to_wire(vector) for place in asked if (vector := probes[place].vector) is not None],
            *([column[place] for place in asked] for column in shared[:3]),
            scope.agent_id,
            shared[4],
            model.model_id,
            near,
            floor,
        )
    found: dict[int, list[Near]] = {}
    for row in near_rows:
        memory = reader.memory(row, scope.namespace, transaction.now)
        if memory is not None:
            found.setdefault(row["place"], []).append(Near(memory, row["cosine"]))
    return head["change_sequence"], tuple(
        Surroundings(exact.get(place), tuple(sorted(found.get(place, ()), key=lambda each: -each.cosine)))
        for place in places
    )
