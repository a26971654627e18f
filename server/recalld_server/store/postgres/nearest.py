# ruff: noqa: S608 - the text is ours, every value is bound
"""The nearest live memories of many drafts at once: one product of matrices instead of a scan for each draft."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

import numpy as np

from recalld_server.model import Scope
from recalld_server.store.base import DraftProbe, Vector
from recalld_server.store.postgres.codecs import halfvec_to_wire
from recalld_server.store.postgres.models import Model
from recalld_server.store.postgres.pool import Transaction
from recalld_server.store.postgres.queries import load

SQL = load("nearest.sql")
MANY = 4
"""Drafts of one audience from which reading its vectors once is less work than comparing in the database."""
BLOCK = 8_192
"""Vectors that are compared at once, which bounds the memory."""
WIDER = 3
"""The index holds vectors with their context, and drafts are compared by their text: so many more are looked at."""
EFFORT = "64"
"""hnsw.ef_search for a batch: what is said twice is near, so less is needed than for a search."""

Close = dict[int, list[tuple[UUID, float]]]
"""By place: memories and cosines, best first."""


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
    vectors: Mapping[int, Vector],
    like: DraftProbe,
    *,
    near: int,
    floor: float,
    among: Sequence[UUID] | None,
    fresh_only: bool,
) -> Close:
    """For each vector, at most `near` memories that `like` may be compared with; exact."""
    name = "fresh_vectors" if fresh_only else "vectors"
    row = await transaction.row(
        SQL[name],
        scope.namespace_id,
        model.model_id,
        like.episodic,
        like.user_id,
        int(like.visibility),
        scope.agent_id,
        None if among is None else list(among),
    )
    places = list(vectors)
    found: Close = {place: [] for place in places}
    if row is None or not row["ids"]:
        return found
    ids = row["ids"]
    # each as it is on the wire: two small integers, then the halves
    halves = np.frombuffer(row["vectors"], dtype=">f2").reshape(len(ids), -1)[:, 2:]
    wanted = np.stack([vectors[place] for place in places])
    for start in range(0, len(ids), BLOCK):
        block = halves[start : start + BLOCK].astype(np.float32)
        norms = np.linalg.norm(block, axis=1)
        cosines = wanted @ block.T
        cosines /= np.where(norms > 0.0, norms, 1.0)
        best = np.argpartition(-cosines, min(near, cosines.shape[1]) - 1, axis=1)[:, :near]
        for at, place in enumerate(places):
            found[place] += [(ids[start + i], float(cosines[at, i])) for i in best[at] if cosines[at, i] >= floor]
    return {place: sorted(each, key=lambda one: -one[1])[:near] for place, each in found.items()}


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
    """The same among the vectors of the HNSW index; approximate."""
    if len(vectors) >= MANY:
        await transaction.row("SELECT set_config('hnsw.ef_search', $1, true)", EFFORT)
    distance = f"e.embedding::{model.halfvec} <#> p.vector::{model.halfvec}"
    rows = await transaction.fetch(
        f"SELECT p.place, n.memory_id, n.cosine FROM unnest($2::int[], $3::halfvec[]) AS p(place, vector)"
        f" CROSS JOIN LATERAL (SELECT e.memory_id, 1 - (coalesce(e.text_embedding, e.embedding) <=> p.vector) AS cosine"
        f" FROM embeddings e JOIN memories m ON m.namespace_id = $1 AND m.memory_id = e.memory_id"
        f" WHERE e.namespace_id = $1 AND e.ann AND e.model_id = {model.model_id} AND m.state = 1"
        f" AND (m.expire_time IS NULL OR m.expire_time > now()) AND (m.kind = 2) = $4 AND m.user_id = $5"
        f" AND m.visibility = $6 AND (m.visibility = 2 OR m.agent_id = $7) ORDER BY {distance} LIMIT $8) AS n"
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
