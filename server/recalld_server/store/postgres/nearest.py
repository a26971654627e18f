# ruff: noqa: S608 - the text is ours, every value is bound
"""The nearest live memories of many drafts at once: one product of matrices instead of a scan for each draft."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from recalld_server.model import Scope
from recalld_server.store.base import DraftProbe, Vector
from recalld_server.store.postgres.codecs import halfvec_to_wire
from recalld_server.store.postgres.known_vectors import READ_ANEW, KnownVectors, VectorSet
from recalld_server.store.postgres.models import Model
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.transaction import Row, Transaction

SQL = load(
    "nearest.sql",
    compared="m.state = 1 AND (m.expire_time IS NULL OR m.expire_time > now())"
    " AND (m.kind = 2) = $3 AND m.user_id = $4 AND m.visibility = $5 AND (m.visibility = 2 OR m.agent_id = $6)",
    # OFFSET 0: by its key and in no other way, of which a plan for namespaces of any size knows nothing better
    vector="SELECT coalesce(e.text_embedding, e.embedding) AS vector FROM embeddings e"
    " WHERE e.namespace_id = $1 AND e.memory_id = m.memory_id AND e.model_id = $2 OFFSET 0",
)
WIDER = 3
"""The index holds vectors with their context, and drafts are compared by their text: so many more are looked at."""
Close = dict[int, list[tuple[UUID, float]]]
"""By place: memories and cosines, best first."""


@dataclass(frozen=True, slots=True)
class Head:
    """Where a namespace stands at this moment. `indexed`: a part of its vectors is in the HNSW index."""

    sequence: int
    swept: int
    indexed: bool


def audiences(probes: Sequence[DraftProbe], places: Sequence[int]) -> list[list[int]]:
    """The places whose drafts are compared with the same memories."""
    groups: dict[tuple[bool, str, int], list[int]] = {}
    for place in places:
        probe = probes[place]
        groups.setdefault((probe.episodic, probe.user_id, probe.visibility), []).append(place)
    return list(groups.values())


async def by_matrix(
    transaction: Transaction,
    scope: Scope,
    model: Model,
    known: KnownVectors,
    head: Head,
    vectors: Mapping[int, Vector],
    like: DraftProbe,
    *,
    near: int,
    floor: float,
) -> Close:
    """For each vector, at most `near` memories that `like` may be compared with and that are not in the index; exact."""
    own = scope.agent_id if like.visibility == 1 else ""
    key = (scope.namespace_id, model.model_id, like.episodic, like.user_id, int(like.visibility), own, head.indexed)
    audience = _audience(scope, model, like)
    held = known.find(key)
    if held is not None and (
        head.sequence - held.sequence > READ_ANEW or held.sequence < head.swept or (head.indexed and held.grown)
    ):
        held = None
    if held is None:
        row = await transaction.row(SQL["fresh_vectors" if head.indexed else "vectors"], *audience)
        held = VectorSet(head.sequence, *_read(row, model))
        known.keep(key, held)
    elif held.sequence < head.sequence:
        row = await transaction.row(SQL["changed_vectors"], *audience, held.sequence)
        held.update(head.sequence, (row["changed"] or ()) if row else (), *_read(row, model))
        known.keep(key, held)
    wanted = np.stack(list(vectors.values()))
    return dict(zip(vectors, held.nearest(wanted, near, floor), strict=True))


async def among_some(
    transaction: Transaction,
    scope: Scope,
    model: Model,
    vectors: Mapping[int, Vector],
    like: DraftProbe,
    among: Sequence[UUID],
    *,
    near: int,
    floor: float,
) -> Close:
    """The same among these memories alone, wherever their vectors are."""
    row = await transaction.row(SQL["some_vectors"], *_audience(scope, model, like), list(among))
    held = VectorSet(0, *_read(row, model))
    return dict(zip(vectors, held.nearest(np.stack(list(vectors.values())), near, floor), strict=True))


def _audience(scope: Scope, model: Model, like: DraftProbe) -> tuple[object, ...]:
    return scope.namespace_id, model.model_id, like.episodic, like.user_id, int(like.visibility), scope.agent_id


def _read(row: Row | None, model: Model) -> tuple[list[UUID], Vector]:
    """The ids and normalised vectors of a row that holds them all."""
    if row is None or not row["ids"]:
        return [], np.empty((0, model.dimensions), np.float32)
    ids: list[UUID] = row["ids"]
    # each as it is on the wire: two small integers, then the halves
    halves = np.frombuffer(row["vectors"], dtype=">f2").reshape(len(ids), -1)[:, 2:]
    vectors = halves.astype(np.float32)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(norms > 0.0, norms, 1.0)
    return ids, vectors


async def by_index(
    transaction: Transaction,
    scope: Scope,
    model: Model,
    vectors: Mapping[int, Vector],
    like: DraftProbe,
    *,
    near: int,
    floor: float,
) -> Close:
    """The same among the vectors of the HNSW index; approximate. `head_of` chose the effort and that orders come from indexes."""
    distance = f"e.embedding::{model.halfvec} <#> p.vector::{model.halfvec}"
    rows = await transaction.fetch(
        f"SELECT p.place, n.memory_id, n.cosine FROM unnest($2::int[], $3::halfvec[]) AS p(place, vector)"
        f" CROSS JOIN LATERAL (SELECT e.memory_id, 1 - (coalesce(e.text_embedding, e.embedding) <=> p.vector) AS cosine"
        f" FROM embeddings e CROSS JOIN LATERAL (SELECT FROM memories m"
        f" WHERE m.namespace_id = $1 AND m.memory_id = e.memory_id AND m.state = 1"
        f" AND (m.expire_time IS NULL OR m.expire_time > now()) AND (m.kind = 2) = $4 AND m.user_id = $5"
        f" AND m.visibility = $6 AND (m.visibility = 2 OR m.agent_id = $7) OFFSET 0) AS m"
        f" WHERE e.namespace_id = $1 AND e.ann AND e.model_id = {model.model_id}"
        f" ORDER BY {distance} LIMIT $8) AS n"
        f" WHERE n.cosine >= $9",
        scope.namespace_id,
        list(vectors),
        [halfvec_to_wire(vector) for vector in vectors.values()],
        like.episodic,
        like.user_id,
        int(like.visibility),
        scope.agent_id,
        near * WIDER,
        floor,
    )
    found: Close = {}
    for row in rows:
        found.setdefault(row["place"], []).append((row["memory_id"], row["cosine"]))
    return found
