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
from recalld_server.store.postgres.known_vectors import Key, KnownVectors
from recalld_server.store.postgres.models import Model
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.transaction import Row, Transaction
from recalld_server.store.postgres.vector_set import Vectors, VectorSet, normalised

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


READ, COMPARED = 400, 4_000
"""Vectors that are read, and that were read before and are compared, in the time that the index takes for one draft."""


@dataclass(frozen=True, slots=True)
class Head:
    """Where a namespace stands at this moment: `live` memories. `indexed`: a part of its vectors is in the HNSW index."""

    sequence: int
    swept: int
    live: int
    indexed: bool


@dataclass(frozen=True, slots=True)
class _Audience:
    """Whom a draft is compared with."""

    scope: Scope
    model: Model
    like: DraftProbe

    @property
    def arguments(self) -> tuple[object, ...]:
        """$1 to $6 of the statements."""
        scope, like = self.scope, self.like
        return (
            scope.namespace_id,
            self.model.model_id,
            like.episodic,
            like.user_id,
            int(like.visibility),
            scope.agent_id,
        )

    def key(self, *, fresh: bool) -> Key:
        """What its vectors are known by; the agent counts where private ones are compared."""
        own = self.scope.agent_id if self.like.visibility == 1 else ""
        return (self.scope.namespace_id, self.arguments[1:-1], own, fresh)


def audiences(probes: Sequence[DraftProbe], places: Sequence[int]) -> list[list[int]]:
    """The places whose drafts are compared with the same memories."""
    groups: dict[tuple[bool, str, int], list[int]] = {}
    for place in places:
        probe = probes[place]
        groups.setdefault((probe.episodic, probe.user_id, probe.visibility), []).append(place)
    return list(groups.values())


async def among_all(
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
    """For each vector, at most `near` memories that `like` may be compared with. Exact, except where a part of the vectors is
    in the index and the drafts are too few to compare them with all."""
    audience = _Audience(scope, model, like)
    in_index = head.indexed and not _worth_reading(known, head, audience, len(vectors))
    held = await _read_before(transaction, known, head, audience, fresh=in_index)
    close = dict(zip(vectors, held.nearest(np.stack(list(vectors.values())), near, floor), strict=True))
    if in_index:
        through = await _by_index(transaction, audience, vectors, near=near, floor=floor)
        for place, each in through.items():
            # one that has come into the index since its set was read is in both
            close[place] = list(({**dict(each), **dict(close[place])}).items())
    return close


def _worth_reading(known: KnownVectors, head: Head, audience: _Audience, drafts: int) -> bool:
    """Whether to compare so many drafts with every vector of an indexed namespace is less work than to ask its index for each."""
    held = known.find(audience.key(fresh=False))
    if held is not None and not held.far_behind(head.sequence):
        return head.live <= drafts * COMPARED
    return head.live <= drafts * READ and known.has_room(head.live, audience.model.dimensions)


async def _read_before(
    transaction: Transaction, known: KnownVectors, head: Head, audience: _Audience, *, fresh: bool
) -> VectorSet:
    """The vectors of an audience as they are now; `fresh`: those alone that are not in the index."""
    key, arguments = audience.key(fresh=fresh), audience.arguments
    held = known.find(key)
    if held is not None and (held.far_behind(head.sequence) or held.sequence < head.swept or (fresh and held.grown)):
        held = None
    if held is None:
        row = await transaction.row(SQL["fresh_vectors" if fresh else "vectors"], *arguments)
        held = VectorSet(head.sequence, *_read(row, audience.model))
        known.keep(key, held)
    elif held.sequence < head.sequence:
        row = await transaction.row(SQL["changed_vectors"], *arguments, held.sequence)
        held.update(head.sequence, (row["changed"] or ()) if row else (), *_read(row, audience.model))
        known.keep(key, held)
    return held


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
    row = await transaction.row(SQL["some_vectors"], *_Audience(scope, model, like).arguments, list(among))
    held = VectorSet(0, *_read(row, model))
    return dict(zip(vectors, held.nearest(np.stack(list(vectors.values())), near, floor), strict=True))


def _read(row: Row | None, model: Model) -> tuple[list[UUID], Vectors]:
    """The ids and normalised vectors of a row that holds them all."""
    if row is None or not row["ids"]:
        return [], np.empty((0, model.dimensions), np.float32)
    ids: list[UUID] = row["ids"]
    # each as it is on the wire: two small integers, then the halves
    halves = np.frombuffer(row["vectors"], dtype=">f2").reshape(len(ids), -1)[:, 2:]
    return ids, normalised(halves)


async def _by_index(
    transaction: Transaction, audience: _Audience, vectors: Mapping[int, Vector], *, near: int, floor: float
) -> Close:
    """The same among the vectors of the HNSW index; approximate. `head_of` chose the effort and that orders come from indexes."""
    scope, model, like = audience.scope, audience.model, audience.like
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
