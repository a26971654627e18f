# ruff: noqa: S608 - the text is ours, every value is bound
"""The statement that asks the arms of a search, in one of two forms.

`exact` looks at every row that the filter lets through: for small namespaces, for filters that mean few rows, and for
the past. `indexed` goes by the rarest terms and by the HNSW index where the namespace has one.
Both first find which rows the arms propose, from narrow rows, and then read of those what ranking needs.
"""

from __future__ import annotations

from uuid import UUID

from recalld_server.model import TimeSpan
from recalld_server.store.base import CandidateQuery
from recalld_server.store.postgres import filters
from recalld_server.store.postgres.filters import Parameters
from recalld_server.store.postgres.models import Model
from recalld_server.store.postgres.rows import MEMORY_COLUMNS, facet
from recalld_server.store.postgres.words import Centre, Words

VECTOR, LEXICAL, RECENCY, IDENTIFIER, NEIGHBOUR, TIME = 1, 2, 4, 8, 16, 32
"""The arms as bits, in the column `arms`."""
COLUMNS = (
    *("memory_id", "kind", "event_time", "create_time", "session_id", "user_id", "speaker", "importance", "confidence"),
    *("use_count", "superseded_by"),
)
# As `core.decay.semantic_weight`: what is free of time weighs less the longer nobody used it.
_FADED = (
    "m.importance * CASE WHEN m.kind = 3 THEN power(0.8::float8,"
    " greatest(0, extract(epoch FROM now() - greatest(m.create_time, m.last_use_time)))::float8 / 7776000)"
    " ELSE 1 END AS importance"
)
_WIDE = ", ".join(_FADED if name == "importance" else f"m.{name}" for name in COLUMNS)
_ASKS = "right(rtrim(m.content, E' \\t\\n'), 1) IN ('?', '？') AS asks"
_ORDER = "ORDER BY m.session_id, m.event_time, m.memory_id"
_TURN = "(SELECT memory_id FROM memories m WHERE {same} AND {here} {than} {there} ORDER BY {order} LIMIT {limit})"
NO_SCORE: tuple[tuple[int, ...], tuple[float, ...]] = ((), ())


class Statement:
    """A statement with its bound values; its rows, in order of session and time, are COLUMNS, asks, words, near (the negative inner product with the
    centred query), score (the negative BM25), terms, arms."""

    def __init__(
        self,
        namespace_id: UUID,
        query: CandidateQuery,
        model: Model,
        words: Words,
        centre: Centre,
        *,
        indexed: bool,
        hnsw: bool = False,
        selective: bool = False,
    ) -> None:
        """`hnsw`: the vector arm goes by that index, where the statement is `indexed`. `selective`: the filter means a
        small part of the namespace, so that vectors are looked up and not all read."""
        self._query = query
        self._model = model
        self._words = words
        self._parameters = add = Parameters(namespace_id)
        self._where = f"m.namespace_id = $1 AND {filters.condition(query.filter, add, query.as_of)}"
        self._plain = filters.is_plain(query.filter) and query.as_of is None
        self._selective = selective
        self._near, self._score = "NULL::float8", "NULL::float8"
        if centre.vector is not None:
            self._vector = add.add(centre.vector, "halfvec")
            self._near = f"e.embedding <#> {self._vector}"
        if words.weights:
            terms = sorted(words.weights)
            self._lex = add.add((terms, [words.weights[term] for term in terms]), "sparsevec")
            self._score = f"m.lex <#> {self._lex}"
        self.sql = self._indexed(hnsw=hnsw) if indexed else self._exact()
        self.values = add.values

    def _embedding(self, memory: str) -> str:
        return f"e.namespace_id = $1 AND e.memory_id = {memory} AND e.model_id = {self._model.model_id}"

    def _few(self) -> str:
        """The memories that have a tag, an entity or a source that a selective filter names, by the index of terms; empty
        where it names none."""
        facets = filters.facets(self._query.filter)
        if not self._selective or not facets or self._query.as_of is not None:
            return ""
        wanted, nothing = self._parameters.add(facets, "int[]"), self._parameters.add(NO_SCORE, "sparsevec")
        row = "SELECT * FROM memories m WHERE m.namespace_id = $1 AND m.memory_id = f.memory_id OFFSET 0"
        return f"lexical_candidates($1, {wanted}, {nothing}, false, NULL) AS f CROSS JOIN LATERAL ({row}) AS m"

    def _vectors(self) -> str:
        """What memories are joined with, and on which condition."""
        own = self._embedding("m.memory_id")
        if self._selective:
            return f"LATERAL (SELECT e.embedding FROM embeddings e WHERE {own} OFFSET 0) AS e ON true"
        return f"embeddings e ON {own}"

    def _exact(self) -> str:
        query = self._query
        start, source = "WITH ", "memories m"
        if query.as_of is not None:
            moment = self._parameters.add(query.as_of, "timestamptz")
            start, source = f"WITH {past(moment, ', c.terms, c.lex, c.words')}, ", "past m"
        named = ""
        if query.identifiers:
            names, ids = self._names()
            named = f", m.entities && {names} OR m.memory_id = ANY ({ids}) AS named"
        base = (
            f"base AS MATERIALIZED (SELECT m.memory_id, m.create_time, m.session_id, m.event_time, {self._near} AS near,"
            f" {self._score} AS score{named}"
            f" FROM {self._few() or source} LEFT JOIN {self._vectors()} WHERE {self._where})"
        )
        arms = {
            RECENCY: f"SELECT memory_id FROM base ORDER BY create_time DESC, memory_id DESC LIMIT {query.recent_limit:d}"
        }
        if self._near != "NULL::float8":
            arms[VECTOR] = (
                f"SELECT memory_id FROM base WHERE near IS NOT NULL ORDER BY near, memory_id LIMIT {query.vector_limit:d}"
            )
        if self._words.weights:
            arms[LEXICAL] = (
                "SELECT memory_id, session_id, event_time, score FROM base WHERE score < 0"
                f" ORDER BY score, memory_id DESC LIMIT {query.lexical_limit:d}"
            )
        if query.identifiers:
            arms[IDENTIFIER] = "SELECT memory_id FROM base WHERE named"
        if query.span is not None:
            arms[TIME] = self._in_time("base m WHERE true", query.span)
        neighbours = self._turns_of_then() if query.as_of is not None else self._turns()
        row = f"SELECT * FROM {source} WHERE m.namespace_id = $1 AND m.memory_id = p.memory_id OFFSET 0"
        return (
            f"{start}{base}, {self._proposed(arms, neighbours)} SELECT {_WIDE}, {_ASKS}, m.words, b.near,"
            f" b.score, m.terms, p.arms FROM proposed p JOIN base b ON b.memory_id = p.memory_id CROSS JOIN LATERAL ({row}) AS m {_ORDER}"
        )

    def _indexed(self, *, hnsw: bool) -> str:
        query = self._query
        arms = {
            RECENCY: f"SELECT m.memory_id FROM memories m WHERE {self._where}"
            f" ORDER BY m.create_time DESC, m.memory_id DESC LIMIT {query.recent_limit:d}"
        }
        if self._near != "NULL::float8":
            arms[VECTOR] = self._by_vector(hnsw=hnsw)
        if self._words.weights:
            arms[LEXICAL] = self._by_terms()
        if query.identifiers:
            arms[IDENTIFIER] = self._by_name()
        if query.span is not None:
            arms[TIME] = self._in_time(f"memories m WHERE {self._where}", query.span)
        row = "SELECT * FROM memories m WHERE m.namespace_id = $1 AND m.memory_id = p.memory_id OFFSET 0"
        vector = f"SELECT {self._near} AS near FROM embeddings e WHERE {self._embedding('p.memory_id')} OFFSET 0"
        return (
            f"WITH {self._proposed(arms, self._turns())} SELECT {_WIDE}, {_ASKS}, m.words, e.near, {self._score} AS score,"
            f" m.terms, p.arms FROM proposed p CROSS JOIN LATERAL ({row}) AS m LEFT JOIN LATERAL ({vector}) AS e ON true {_ORDER}"
        )

    def _proposed(self, arms: dict[int, str], neighbours: str) -> str:
        """The relation `proposed`: ids with the arms that propose them."""
        parts = [f"arm_{bit} AS MATERIALIZED ({sql})" for bit, sql in arms.items()]
        ids = [f"SELECT memory_id, {bit} AS arm FROM arm_{bit}" for bit in arms]
        if LEXICAL in arms and self._query.neighbours > 0:
            ids.append(f"SELECT memory_id, {NEIGHBOUR} FROM ({neighbours}) AS n")
        return (
            f"{', '.join(parts)}, proposed AS (SELECT memory_id, bit_or(arm) AS arms"
            f" FROM ({' UNION ALL '.join(ids)}) AS a GROUP BY memory_id)"
        )

    def _by_vector(self, *, hnsw: bool) -> str:
        """By the HNSW index, beside which the rows that are not in it yet are read; or by reading all."""
        limit = f"LIMIT {self._query.vector_limit:d}"
        near = f"e.embedding::{self._model.halfvec} <#> {self._vector}::{self._model.halfvec}"
        vectors = f"e.namespace_id = $1 AND e.model_id = {self._model.model_id}"
        memory = f"LATERAL (SELECT FROM memories m WHERE m.memory_id = e.memory_id AND {self._where} OFFSET 0) AS m"
        # Adding 0 keeps the planner from the HNSW index, which does not hold the fresh rows. Vectors are put in order
        # first, so that of their memories only the nearest are looked at.
        read = f"SELECT e.memory_id, ({near}) + 0 AS near FROM embeddings e WHERE {vectors}{' AND NOT e.ann' if hnsw else ''} ORDER BY near OFFSET 0"
        read = f"SELECT e.memory_id, e.near FROM ({read}) AS e CROSS JOIN {memory} ORDER BY e.near {limit}"
        if not hnsw:
            return read
        return (
            f"SELECT memory_id FROM ((SELECT e.memory_id, {near} AS near FROM embeddings e CROSS JOIN {memory}"
            f" WHERE {vectors} AND e.ann ORDER BY {near} {limit}) UNION ALL ({read})) AS n ORDER BY near {limit}"
        )

    def _by_terms(self) -> str:
        """By the rarest terms, scored with all of them."""
        wanted = self._parameters.add(self._words.rarest, "int[]")
        live, at_most = ("true", f"{self._query.lexical_limit:d}") if self._plain else ("false", "NULL")
        return (
            f"SELECT m.memory_id, m.session_id, m.event_time, -c.score AS score"
            f" FROM lexical_candidates($1, {wanted}, {self._lex}, {live}, {at_most}) AS c CROSS JOIN LATERAL"
            f" (SELECT * FROM memories m WHERE m.memory_id = c.memory_id AND {self._where} OFFSET 0) AS m"
            f" ORDER BY c.score DESC, c.memory_id DESC LIMIT {self._query.lexical_limit:d}"
        )

    def _names(self) -> tuple[str, str]:
        names = list(self._query.identifiers)
        ids = [UUID(name) for name in names if _is_uuid(name)]
        return self._parameters.add(names, "text[]"), self._parameters.add(ids, "uuid[]")

    def _by_name(self) -> str:
        names, ids = self._names()
        wanted = self._parameters.add([facet("entity", name) for name in self._query.identifiers], "int[]")
        nothing = self._parameters.add(NO_SCORE, "sparsevec")
        return (
            f"SELECT m.memory_id FROM (SELECT memory_id FROM lexical_candidates($1, {wanted}, {nothing}, false, NULL)"
            f" UNION SELECT unnest({ids})) AS named CROSS JOIN LATERAL"
            f" (SELECT * FROM memories m WHERE m.memory_id = named.memory_id AND {self._where} OFFSET 0) AS m"
            f" WHERE m.entities && {names} OR m.memory_id = ANY ({ids}) LIMIT {self._query.lexical_limit:d}"
        )

    def _in_time(self, rows: str, span: TimeSpan) -> str:
        """What happened in a span of time, the latest first."""
        inside = " AND ".join(filters.times("event_time", span, self._parameters)) or "true"
        return (
            f"SELECT m.memory_id FROM {rows} AND {inside}"
            f" ORDER BY m.event_time DESC, m.memory_id DESC LIMIT {self._query.span_limit:d}"
        )

    def _best_words(self) -> str:
        return (
            f"(SELECT * FROM arm_{LEXICAL} WHERE session_id <> '' ORDER BY score, memory_id DESC"
            f" LIMIT {self._query.neighbours_of:d})"
        )

    def _turns(self) -> str:
        """The turns around the best by words, by the index of sessions: a session may be long."""
        parts = {"same": f"m.session_id = hit.session_id AND m.session_id <> '' AND {self._where}"}
        parts |= {"here": "(m.event_time, m.memory_id)", "there": "(hit.event_time, hit.memory_id)"}
        parts["limit"] = f"{self._query.neighbours:d}"
        before = _TURN.format(than="<", order="m.event_time DESC, m.memory_id DESC", **parts)
        after = _TURN.format(than=">", order="m.event_time, m.memory_id", **parts)
        return (
            f"SELECT n.memory_id FROM {self._best_words()} AS hit CROSS JOIN LATERAL ({before} UNION ALL {after}) AS n"
        )

    def _turns_of_then(self) -> str:
        """The same among what was there then, which no index knows."""
        around = f"{self._query.neighbours:d}"
        return (
            "SELECT memory_id FROM (SELECT b.memory_id, bool_or(h.memory_id IS NOT NULL) OVER (PARTITION BY b.session_id"
            f" ORDER BY b.event_time, b.memory_id ROWS BETWEEN {around} PRECEDING AND {around} FOLLOWING"
            f" EXCLUDE CURRENT ROW) AS near FROM base b LEFT JOIN {self._best_words()} AS h ON h.memory_id = b.memory_id"
            " WHERE b.session_id <> '') AS n WHERE near"
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
