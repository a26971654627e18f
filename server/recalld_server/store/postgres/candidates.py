# ruff: noqa: S608 - the text is ours, every value is bound
"""What the arms of a search propose, in one statement a namespace.

Small namespaces, and filters that mean few rows, are read whole (plan "exact"); large ones through the HNSW index and
the rarest terms (plan "hnsw"), with rows that are not in that index yet read besides. When that finds fewer than it
should, the exact plan has the last word.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

import numpy as np

from recalld_server.model import Scope
from recalld_server.store.base import CandidateQuery, Candidates, Found, Vector
from recalld_server.store.postgres import filters
from recalld_server.store.postgres.filters import Parameters
from recalld_server.store.postgres.models import Model
from recalld_server.store.postgres.pool import Row, Transaction
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.rows import MEMORY_COLUMNS, Reader, facet, of_m
from recalld_server.text.lexical import idf

SQL = load("candidates.sql")
TERM_BUDGET = 4_000
"""Rows that the rarest terms of a query may bring in, in a large namespace."""
EXACT_ROWS = 10_000
"""A filter that means at most this many rows by the planner's estimate is read whole."""
COUNTED_AT_ONCE = 20_000
"""Namespaces up to this size are counted when their statistics are missing or stale."""
NO_SCORE = ((), ())


@dataclass(frozen=True, slots=True)
class Statistics:
    """What is known of a namespace when a search begins."""

    live: int
    ann: bool
    mean: Vector | None
    frequencies: dict[int, int]


async def candidates(
    transaction: Transaction,
    scopes: list[Scope] | tuple[Scope, ...],
    query: CandidateQuery,
    model: Model,
    reader: Reader,
) -> Candidates:
    """See View.candidates."""
    found: list[Found] = []
    plans = []
    for scope in scopes:
        some, plan = await _in_namespace(transaction, scope, query, model, reader)
        found += some
        plans.append(plan)
    return Candidates(tuple(found), tuple(plans))


async def _in_namespace(
    transaction: Transaction, scope: Scope, query: CandidateQuery, model: Model, reader: Reader
) -> tuple[list[Found], str]:
    namespace_id = transaction.check(scope)
    known = await _statistics(transaction, namespace_id, query, model)
    exact = query.as_of is not None or not known.ann or await _means_few(transaction, namespace_id, query)
    statement = Statement(namespace_id, query, model, known, exact=exact)
    rows = await transaction.fetch(statement.sql, *statement.parameters.values)
    if not exact and _too_few(rows, query):
        exact = True
        statement = Statement(namespace_id, query, model, known, exact=True)
        rows = await transaction.fetch(statement.sql, *statement.parameters.values)
    plan = "off" if query.vector is None else "exact" if exact else "hnsw"
    return _found(rows, scope, reader), plan


async def _statistics(transaction: Transaction, namespace_id: UUID, query: CandidateQuery, model: Model) -> Statistics:
    row = await transaction.row(SQL["statistics"], namespace_id, sorted(query.terms), model.model_id)
    if row is None:
        return Statistics(0, False, None, {})
    frequencies = dict(zip(row["terms"] or (), row["frequencies"] or (), strict=True))
    stale = row["counted"] is None or row["live"] > 1.5 * row["counted"]
    if query.terms and stale and (row["counted"] is None or row["live"] <= COUNTED_AT_ONCE):
        counted = await transaction.fetch(SQL["count_frequencies"], namespace_id, sorted(query.terms))
        frequencies = {each["term"]: each["df"] for each in counted}
    return Statistics(row["live"], row["ann"], row["mean"], frequencies)


async def _means_few(transaction: Transaction, namespace_id: UUID, query: CandidateQuery) -> bool:
    """Whether the filter means few rows, by the planner's estimate."""
    if filters.is_plain(query.filter):
        return False
    parameters = Parameters(namespace_id)
    where = filters.condition(query.filter, parameters)
    expected = await transaction.explain_rows(
        f"SELECT FROM memories m WHERE m.namespace_id = $1 AND {where}", *parameters.values
    )
    return expected <= EXACT_ROWS


def _too_few(rows: list[Row], query: CandidateQuery) -> bool:
    arms = [row["arms"] for row in rows]
    short = query.vector is not None and sum("vector" in each for each in arms) < query.vector_limit
    return short or (bool(query.terms) and sum("lexical" in each for each in arms) < query.lexical_limit)


def _found(rows: list[Row], scope: Scope, reader: Reader) -> list[Found]:
    read = [(row, m) for row in rows if (m := reader.memory(row, scope.namespace)) is not None]
    read.sort(key=lambda each: (each[1].session_id, each[1].event_time, each[1].memory_id))
    result: list[Found] = []
    session, position = None, 0
    wide = len(MEMORY_COLUMNS)
    for row, memory in read:
        position = position + 1 if memory.session_id == session else 0
        session = memory.session_id
        cosine, centred, score, terms, words, arms = tuple(row)[wide:]
        result.append(
            Found(
                memory,
                scope.namespace_id,
                cosine,
                centred,
                None if score is None else max(0.0, score),
                frozenset(term for term in terms if term >= 0),
                words,
                position,
                frozenset(arms),
            )
        )
    return result


class Statement:
    """The statement of one namespace with its bound values."""

    def __init__(
        self, namespace_id: UUID, query: CandidateQuery, model: Model, known: Statistics, *, exact: bool
    ) -> None:
        self.query = query
        self.model = model
        self.parameters = add = Parameters(namespace_id)
        self.where = filters.condition(query.filter, add, query.as_of)
        self.now = "now()" if query.as_of is None else add.add(query.as_of, "timestamptz")
        self.source = "memories m" if query.as_of is None else "past m"
        weights = self._weights(known)
        self.score = "NULL::float8"
        self.rare: list[int] = []
        if weights:
            terms = sorted(weights)
            lex = add.add((terms, [weights[term] for term in terms]), "sparsevec")
            self.score = f"-(m.lex <#> {lex})"
            self.lex = lex
            self.rare = _rarest(known, terms)
        self.vector = None if query.vector is None else add.add(query.vector, "halfvec")
        parts = [self._past()] if query.as_of is not None else []
        parts += self._read_whole(known) if exact else self._through_indexes()
        arms = [arm for arm in ("vector", "lexical", "recency") if any(p.startswith(f"{arm}_arm ") for p in parts)]
        if query.identifiers:
            parts.append(self._identifiers())
            arms.append("identifier")
        proposed = " UNION ALL ".join(f"SELECT memory_id, '{arm}' AS arm FROM {arm}_arm" for arm in arms)
        if "lexical" in arms and query.neighbours > 0:
            parts.append(self._neighbours())
            proposed += " UNION ALL SELECT memory_id, 'neighbour' FROM neighbours"
        parts.append(
            f"proposed AS (SELECT memory_id, array_agg(DISTINCT arm) AS arms FROM ({proposed}) AS a GROUP BY 1)"
        )
        self.sql = f"WITH {', '.join(parts)} {self._measured(known)}"

    def _weights(self, known: Statistics) -> dict[int, float]:
        live = max(known.live, 1)
        return {
            term: weight * idf(live, known.frequencies.get(term, 0))
            for term, weight in self.query.terms.items()
            if weight > 0
        }

    def _past(self) -> str:
        """Memories as they were: the last revision of each until then, with today's terms. Forgotten ones are not there."""
        return past(self.now, ", c.terms, c.lex, c.words")

    def _limit(self, limit: int) -> str:
        return f"LIMIT {self.parameters.add(limit, 'bigint')}"

    def _read_whole(self, known: Statistics) -> list[str]:
        distance = "NULL::float8" if self.vector is None else f"(e.embedding <=> {self.vector}) + 0"
        by_index = bool(self.rare) and filters.is_plain(self.query.filter) and known.live > TERM_BUDGET
        by_index = by_index and self.query.as_of is None
        score = "NULL::float8" if by_index else self.score
        parts = [
            f"base AS MATERIALIZED (SELECT m.memory_id, m.create_time, {distance} AS distance, {score} AS score"
            f" FROM {self.source} LEFT JOIN embeddings e ON e.namespace_id = $1 AND e.memory_id = m.memory_id"
            f" AND e.model_id = {self.model.model_id} WHERE m.namespace_id = $1 AND {self.where})"
        ]
        if self.vector is not None:
            parts.append(
                "vector_arm AS (SELECT memory_id FROM base WHERE distance IS NOT NULL"
                f" ORDER BY distance, memory_id {self._limit(self.query.vector_limit)})"
            )
        if by_index:
            parts.append(self._by_terms())
        elif self.rare:
            parts.append(
                "lexical_arm AS MATERIALIZED (SELECT memory_id FROM base WHERE score > 0"
                f" ORDER BY score DESC, memory_id DESC {self._limit(self.query.lexical_limit)})"
            )
        parts.append(
            "recency_arm AS (SELECT memory_id FROM base ORDER BY create_time DESC, memory_id DESC"
            f" {self._limit(self.query.recent_limit)})"
        )
        return parts

    def _through_indexes(self) -> list[str]:
        model, join = self.model, "m.namespace_id = $1 AND m.memory_id = e.memory_id"
        parts = []
        if self.vector is not None:
            limit = self._limit(self.query.vector_limit)
            distance = f"e.embedding::{model.halfvec} <=> {self.vector}::{model.halfvec}"
            these = f"e.namespace_id = $1 AND e.model_id = {model.model_id} AND {self.where}"
            parts.append(
                f"vector_arm AS MATERIALIZED (SELECT memory_id FROM ("
                f"(SELECT e.memory_id, {distance} AS distance FROM embeddings e JOIN memories m ON {join}"
                f" WHERE e.ann AND {these} ORDER BY {distance} {limit})"
                f" UNION ALL (SELECT e.memory_id, ({distance}) + 0 AS distance FROM embeddings e JOIN memories m ON {join}"
                f" WHERE NOT e.ann AND {these} ORDER BY distance {limit})"
                f") AS near ORDER BY distance, memory_id {limit})"
            )
        if self.rare:
            parts.append(self._by_terms())
        parts.append(
            f"recency_arm AS (SELECT m.memory_id FROM memories m WHERE m.namespace_id = $1 AND {self.where}"
            f" ORDER BY m.create_time DESC, m.memory_id DESC {self._limit(self.query.recent_limit)})"
        )
        return parts

    def _by_terms(self) -> str:
        """By the rarest terms, scored with all of them."""
        wanted = self.parameters.add(self.rare, "int[]")
        if filters.is_plain(self.query.filter):
            at_most = self.parameters.add(self.query.lexical_limit, "bigint")
            return (
                "lexical_arm AS MATERIALIZED (SELECT memory_id FROM"
                f" lexical_candidates($1, {wanted}, {self.lex}, true, {at_most}))"
            )
        return (
            "lexical_arm AS MATERIALIZED (SELECT c.memory_id"
            f" FROM lexical_candidates($1, {wanted}, {self.lex}, false, NULL) AS c"
            f" JOIN memories m ON m.namespace_id = $1 AND m.memory_id = c.memory_id WHERE {self.where}"
            f" ORDER BY c.score DESC, c.memory_id DESC {self._limit(self.query.lexical_limit)})"
        )

    def _identifiers(self) -> str:
        names = list(self.query.identifiers)
        ids = [UUID(name) for name in names if _is_uuid(name)]
        wanted = self.parameters.add([facet("entity", name) for name in names], "int[]")
        nothing = self.parameters.add(NO_SCORE, "sparsevec")
        by_name = self.parameters.add(names, "text[]")
        by_id = self.parameters.add(ids, "uuid[]")
        at_most = self.parameters.add(self.query.lexical_limit, "bigint")
        return (
            f"named AS MATERIALIZED (SELECT memory_id FROM lexical_candidates($1, {wanted}, {nothing}, false, NULL)"
            f" UNION SELECT unnest({by_id})),"
            f" identifier_arm AS (SELECT m.memory_id FROM named JOIN {self.source} ON m.memory_id = named.memory_id"
            f" WHERE m.namespace_id = $1 AND (m.entities && {by_name} OR m.memory_id = ANY ({by_id})) AND {self.where}"
            f" LIMIT {at_most})"
        )

    def _neighbours(self) -> str:
        limit = self._limit(self.query.neighbours)
        same = f"m.namespace_id = $1 AND m.session_id = hit.session_id AND m.session_id <> '' AND {self.where}"
        here = "(m.event_time, m.memory_id)"
        there = "(hit.event_time, hit.memory_id)"
        hits = self.source.replace(" m", " hit")
        return (
            f"neighbours AS (SELECT n.memory_id FROM lexical_arm JOIN {hits} ON hit.memory_id = lexical_arm.memory_id"
            f" AND hit.namespace_id = $1 AND hit.session_id <> '' CROSS JOIN LATERAL ("
            f"(SELECT m.memory_id FROM {self.source} WHERE {same} AND {here} < {there}"
            f" ORDER BY m.event_time DESC, m.memory_id DESC {limit})"
            f" UNION ALL (SELECT m.memory_id FROM {self.source} WHERE {same} AND {here} > {there}"
            f" ORDER BY m.event_time, m.memory_id {limit})) AS n)"
        )

    def _measured(self, known: Statistics) -> str:
        cosine = centred = "NULL::float8"
        if self.vector is not None and self.query.vector is not None:
            cosine = centred = f"1 - (e.embedding <=> {self.vector})"
            if known.mean is not None and known.mean.shape == self.query.vector.shape:
                # half: the whole mean took too much away from the meaning that a namespace is about (measured)
                half = np.asarray(known.mean / 2, np.float32)
                mean = self.parameters.add(half, "halfvec")
                turned = self.parameters.add(np.asarray(self.query.vector - half, np.float32), "halfvec")
                centred = f"1 - ((e.embedding - {mean}) <=> {turned})"
        return (
            f"SELECT {of_m(self.now)}, {cosine} AS cosine, {centred} AS centred, {self.score} AS score, m.terms, m.words, p.arms"
            f" FROM proposed p JOIN {self.source} ON m.namespace_id = $1 AND m.memory_id = p.memory_id"
            f" LEFT JOIN embeddings e ON e.namespace_id = $1 AND e.memory_id = p.memory_id"
            f" AND e.model_id = {self.model.model_id}"
        )


def past(moment: str, also: str = "") -> str:
    """The relation `past`: each memory's last revision until a moment, of those that are not forgotten now."""
    columns = ", ".join(f"r.{name}" for name in MEMORY_COLUMNS)
    return (
        f"past AS MATERIALIZED (SELECT DISTINCT ON (r.memory_id) r.namespace_id, {columns}{also}"
        " FROM revisions r JOIN memories c ON c.namespace_id = $1 AND c.memory_id = r.memory_id AND c.state <> 5"
        f" WHERE r.namespace_id = $1 AND r.update_time <= {moment} ORDER BY r.memory_id, r.revision DESC)"
    )


def _rarest(known: Statistics, terms: list[int]) -> list[int]:
    """Terms from the rarest on until they bring in TERM_BUDGET rows, at least one."""
    ordered: list[tuple[int, int]] = sorted((known.frequencies.get(term, 0), term) for term in terms)
    chosen: list[int] = []
    total = 0
    for frequency, term in ordered:
        if chosen and total + frequency > TERM_BUDGET:
            break
        chosen.append(term)
        total += frequency
    return chosen


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
