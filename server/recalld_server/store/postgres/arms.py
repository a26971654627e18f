# ruff: noqa: S608 - the text is ours, every value is bound
"""The statement that asks the arms of a search, in one of three forms.

`whole` reads every row that the filter lets through once, and ranks in passing: for few rows, and for the past.
`exact` reads them all as well, but keeps only what the arms want: for thousands of rows.
`indexed` goes through the HNSW index and the rarest terms, and reads what is not in that index yet: for large namespaces.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

import numpy as np

from recalld_server.store.base import CandidateQuery, Vector
from recalld_server.store.postgres import filters
from recalld_server.store.postgres.filters import Parameters
from recalld_server.store.postgres.models import Model
from recalld_server.store.postgres.rows import MEMORY_COLUMNS, facet
from recalld_server.text.lexical import idf

VECTOR, LEXICAL, RECENCY, IDENTIFIER, NEIGHBOUR = 1, 2, 4, 8, 16
"""The arms as bits, in the column `arms`."""
COLUMNS = (
    *("memory_id", "kind", "event_time", "create_time", "session_id", "user_id", "speaker", "importance", "confidence"),
    *("use_count", "superseded_by"),
)
_M = ", ".join(f"m.{name}" for name in COLUMNS)
_ASKS = "right(rtrim(m.content, E' \\t\\n'), 1) IN ('?', '？') AS asks"
_SESSION = "PARTITION BY session_id ORDER BY event_time, memory_id"
_UNIT_TERMS = 6
NO_SCORE: tuple[tuple[int, ...], tuple[float, ...]] = ((), ())


@dataclass(frozen=True, slots=True)
class Statistics:
    """What is known of a namespace when a search begins."""

    live: int
    ann: bool
    mean: Vector | None
    frequencies: dict[int, int]


class Words:
    """The query's terms with their weights in this namespace."""

    def __init__(self, query: CandidateQuery, known: Statistics, budget: int) -> None:
        live = max(known.live, 1)
        self.weights = {
            term: weight * idf(live, known.frequencies.get(term, 0))
            for term, weight in query.terms.items()
            if weight > 0
        }
        self.unit = sum(sorted(self.weights.values(), reverse=True)[:_UNIT_TERMS])
        """See Candidates.lexical_units."""
        self.rarest = self._rarest(known, query.lexical_limit, budget)
        """Terms from the rarest on until they bring in enough rows, at least one; all of them where that is affordable."""

    def _rarest(self, known: Statistics, limit: int, budget: int) -> list[int]:
        ordered = sorted((known.frequencies.get(term, 0), term) for term in self.weights)
        chosen: list[int] = []
        total = 0
        for frequency, term in ordered:
            if chosen and total >= limit and total + frequency > budget:
                break
            chosen.append(term)
            total += frequency
        return chosen

    @property
    def all(self) -> bool:
        """Whether the rarest are all there are."""
        return len(self.rarest) == len(self.weights)


class Statement:
    """A statement with its bound values; its rows are COLUMNS, asks, terms, words, cosine, centred, score, arms."""

    def __init__(
        self, form: str, namespace_id: UUID, query: CandidateQuery, model: Model, known: Statistics, words: Words
    ) -> None:
        self._query = query
        self._model = model
        self._words = words
        self._parameters = add = Parameters(namespace_id)
        self._where = filters.condition(query.filter, add, query.as_of)
        self._limits = int(query.vector_limit), int(query.lexical_limit), int(query.recent_limit)
        self._vector = None if query.vector is None else add.add(query.vector, "halfvec")
        self._cosine = "NULL::float8" if self._vector is None else f"1 - (e.embedding <=> {self._vector})"
        self._centred = self._cosine if known.mean is None else self._around(known.mean)
        self._score = "NULL::float8"
        if words.weights:
            terms = sorted(words.weights)
            self._lex = add.add((terms, [words.weights[term] for term in terms]), "sparsevec")
            self._score = f"-(m.lex <#> {self._lex})"
        if form == "whole":
            self.sql = self._whole()
        else:
            arms = self._exact() if form == "exact" else self._indexed()
            self.sql = self._measured(arms)
        self.values = add.values

    def _around(self, mean: Vector) -> str:
        """The cosine of what is left when half of the mean is taken off both sides: the whole of it took too much away
        from the meaning that a namespace is about (measured)."""
        vector = self._query.vector
        if vector is None or mean.shape != vector.shape:
            return self._cosine
        half = np.asarray(mean / 2, np.float32)
        turned = self._parameters.add(np.asarray(vector - half, np.float32), "halfvec")
        return f"1 - ((e.embedding - {self._parameters.add(half, 'halfvec')}) <=> {turned})"

    def _embedding(self, memory: str) -> str:
        return (
            f"LEFT JOIN embeddings e ON e.namespace_id = $1 AND e.memory_id = {memory}"
            f" AND e.model_id = {self._model.model_id}"
        )

    def _whole(self) -> str:
        start, source = "", "memories m"
        if self._query.as_of is not None:
            moment = self._parameters.add(self._query.as_of, "timestamptz")
            start, source = f"{past(moment, ', c.terms, c.lex, c.words')}, ", "past m"
        by_vector, by_words, by_time = self._limits
        named = "false"
        if self._query.identifiers:
            names, ids = self._names()
            named = f"(m.entities && {names} OR m.memory_id = ANY ({ids}))"
        around = int(self._query.neighbours)
        near = (
            f"session_id <> '' AND bool_or(arms & {LEXICAL} <> 0) OVER ({_SESSION}"
            f" ROWS BETWEEN {around} PRECEDING AND {around} FOLLOWING EXCLUDE CURRENT ROW)"
        )
        return (
            f"WITH {start}base AS MATERIALIZED (SELECT {_M}, {_ASKS}, m.terms, m.words, {self._cosine} AS cosine,"
            f" {self._centred} AS centred, {self._score} AS score, {named} AS named"
            f" FROM {source} {self._embedding('m.memory_id')} WHERE m.namespace_id = $1 AND {self._where}),"
            " ranked AS (SELECT *, row_number() OVER (ORDER BY cosine DESC NULLS LAST, memory_id) AS v,"
            " row_number() OVER (ORDER BY score DESC NULLS LAST, memory_id DESC) AS l,"
            " row_number() OVER (ORDER BY create_time DESC, memory_id DESC) AS r FROM base),"
            f" proposed AS (SELECT *, CASE WHEN cosine IS NOT NULL AND v <= {by_vector} THEN {VECTOR} ELSE 0 END"
            f" | CASE WHEN score > 0 AND l <= {by_words} THEN {LEXICAL} ELSE 0 END"
            f" | CASE WHEN r <= {by_time} THEN {RECENCY} ELSE 0 END"
            f" | CASE WHEN named THEN {IDENTIFIER} ELSE 0 END AS arms FROM ranked),"
            f" joined AS (SELECT *, arms | CASE WHEN {near} THEN {NEIGHBOUR} ELSE 0 END AS all_arms FROM proposed)"
            f" SELECT {', '.join(COLUMNS)}, asks, terms, words, cosine, centred, score, all_arms AS arms"
            " FROM joined WHERE all_arms > 0"
        )

    def _measured(self, arms: dict[int, str]) -> str:
        """The rows that the arms propose, measured."""
        parts = [f"arm_{bit} AS MATERIALIZED ({sql})" for bit, sql in arms.items()]
        proposed = [f"SELECT memory_id, {bit} AS arm FROM arm_{bit}" for bit in arms if bit]
        if LEXICAL in arms and self._query.neighbours > 0:
            proposed.append(f"SELECT memory_id, {NEIGHBOUR} FROM ({self._neighbours()}) AS n")
        return (
            f"WITH {', '.join(parts)}, proposed AS (SELECT memory_id, bit_or(arm) AS arms"
            f" FROM ({' UNION ALL '.join(proposed)}) AS a GROUP BY memory_id)"
            f" SELECT {_M}, {_ASKS}, m.terms, m.words, {self._cosine} AS cosine, {self._centred} AS centred,"
            f" {self._score} AS score, p.arms FROM proposed p"
            f" JOIN memories m ON m.namespace_id = $1 AND m.memory_id = p.memory_id {self._embedding('p.memory_id')}"
        )

    def _exact(self) -> dict[int, str]:
        by_vector, by_words, by_time = self._limits
        by_index = bool(self._words.weights) and filters.is_plain(self._query.filter)
        # adding 0 keeps the planner from the HNSW index
        distance = "NULL::float8" if self._vector is None else f"(e.embedding <=> {self._vector}) + 0"
        score = "NULL::float8" if by_index else self._score
        arms = {
            0: f"SELECT m.memory_id, m.create_time, {distance} AS distance, {score} AS score FROM memories m"
            f" {self._embedding('m.memory_id')} WHERE m.namespace_id = $1 AND {self._where}"
        }
        if self._vector is not None:
            arms[VECTOR] = (
                f"SELECT memory_id FROM arm_0 WHERE distance IS NOT NULL ORDER BY distance, memory_id LIMIT {by_vector}"
            )
        if by_index:
            arms[LEXICAL] = self._by_terms()
        elif self._words.weights:
            arms[LEXICAL] = (
                f"SELECT memory_id FROM arm_0 WHERE score > 0 ORDER BY score DESC, memory_id DESC LIMIT {by_words}"
            )
        arms[RECENCY] = f"SELECT memory_id FROM arm_0 ORDER BY create_time DESC, memory_id DESC LIMIT {by_time}"
        return arms | self._identifiers()

    def _indexed(self) -> dict[int, str]:
        by_vector, _, by_time = self._limits
        arms = {}
        if self._vector is not None:
            near = f"e.embedding::{self._model.halfvec} <=> {self._vector}::{self._model.halfvec}"
            rows = (
                "FROM embeddings e JOIN memories m ON m.namespace_id = $1 AND m.memory_id = e.memory_id"
                f" WHERE e.namespace_id = $1 AND e.model_id = {self._model.model_id} AND {self._where}"
            )
            arms[VECTOR] = (
                f"SELECT memory_id FROM ((SELECT e.memory_id, {near} AS distance {rows} AND e.ann"
                f" ORDER BY {near} LIMIT {by_vector}) UNION ALL (SELECT e.memory_id, ({near}) + 0 AS distance"
                f" {rows} AND NOT e.ann ORDER BY distance LIMIT {by_vector})) AS n ORDER BY distance LIMIT {by_vector}"
            )
        if self._words.weights:
            arms[LEXICAL] = self._by_terms()
        arms[RECENCY] = (
            f"SELECT m.memory_id FROM memories m WHERE m.namespace_id = $1 AND {self._where}"
            f" ORDER BY m.create_time DESC, m.memory_id DESC LIMIT {by_time}"
        )
        return arms | self._identifiers()

    def _by_terms(self) -> str:
        """By the rarest terms, scored with all of them."""
        limit = self._limits[1]
        wanted = self._parameters.add(self._words.rarest, "int[]")
        if filters.is_plain(self._query.filter):
            return f"SELECT memory_id FROM lexical_candidates($1, {wanted}, {self._lex}, true, {limit})"
        return (
            f"SELECT c.memory_id FROM lexical_candidates($1, {wanted}, {self._lex}, false, NULL) AS c"
            f" JOIN memories m ON m.namespace_id = $1 AND m.memory_id = c.memory_id WHERE {self._where}"
            f" ORDER BY c.score DESC, c.memory_id DESC LIMIT {limit}"
        )

    def _names(self) -> tuple[str, str]:
        names = list(self._query.identifiers)
        ids = [UUID(name) for name in names if _is_uuid(name)]
        return self._parameters.add(names, "text[]"), self._parameters.add(ids, "uuid[]")

    def _identifiers(self) -> dict[int, str]:
        if not self._query.identifiers:
            return {}
        names, ids = self._names()
        wanted = self._parameters.add([facet("entity", name) for name in self._query.identifiers], "int[]")
        nothing = self._parameters.add(NO_SCORE, "sparsevec")
        return {
            IDENTIFIER: f"SELECT m.memory_id FROM (SELECT memory_id FROM lexical_candidates($1, {wanted}, {nothing},"
            f" false, NULL) UNION SELECT unnest({ids})) AS named JOIN memories m"
            " ON m.namespace_id = $1 AND m.memory_id = named.memory_id"
            f" WHERE (m.entities && {names} OR m.memory_id = ANY ({ids})) AND {self._where} LIMIT {self._limits[1]}"
        }

    def _neighbours(self) -> str:
        limit = int(self._query.neighbours)
        same = f"m.namespace_id = $1 AND m.session_id = hit.session_id AND m.session_id <> '' AND {self._where}"
        here, there = "(m.event_time, m.memory_id)", "(hit.event_time, hit.memory_id)"
        return (
            f"SELECT n.memory_id FROM arm_{LEXICAL} JOIN memories hit ON hit.namespace_id = $1"
            f" AND hit.memory_id = arm_{LEXICAL}.memory_id AND hit.session_id <> '' CROSS JOIN LATERAL ("
            f"(SELECT m.memory_id FROM memories m WHERE {same} AND {here} < {there}"
            f" ORDER BY m.event_time DESC, m.memory_id DESC LIMIT {limit})"
            f" UNION ALL (SELECT m.memory_id FROM memories m WHERE {same} AND {here} > {there}"
            f" ORDER BY m.event_time, m.memory_id LIMIT {limit})) AS n"
        )


def past(moment: str, also: str = "") -> str:
    """The relation `past`: each memory's last revision until a moment, of those that are not forgotten now."""
    columns = ", ".join(f"r.{name}" for name in MEMORY_COLUMNS)
    return (
        f"past AS MATERIALIZED (SELECT DISTINCT ON (r.memory_id) r.namespace_id, {columns}{also}"
        " FROM revisions r JOIN memories c ON c.namespace_id = $1 AND c.memory_id = r.memory_id AND c.state <> 5"
        f" WHERE r.namespace_id = $1 AND r.update_time <= {moment} ORDER BY r.memory_id, r.revision DESC)"
    )


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
