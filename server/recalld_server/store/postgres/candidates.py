"""What the arms of a search propose, in one statement a namespace."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from recalld_server.model import Kind, Scope
from recalld_server.store.base import CandidateQuery, Candidates, Found, Vector
from recalld_server.store.postgres import filters
from recalld_server.store.postgres.arms import LEXICAL, VECTOR, Statement
from recalld_server.store.postgres.filters import Parameters
from recalld_server.store.postgres.models import Model
from recalld_server.store.postgres.pool import HASH_JOINS, INDEX_ORDERS
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.rows import Reader, aware
from recalld_server.store.postgres.transaction import Row, Transaction
from recalld_server.store.postgres.words import Centre, Statistics, Words

SQL = load("candidates.sql", hash_joins=HASH_JOINS, index_orders=INDEX_ORDERS)


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Where one way of searching gives way to the next. Rows are those of a namespace."""

    small: int = 1_000
    """Up to so many, a search reads them all; a filter needs no plan of its own then, which would be most of the work."""
    selective: int = 10
    """A filter that means less than this fraction of the namespace, by the planner's estimate, …"""
    few: int = 10_000
    """… and at most so many, is looked up and read whole; another one is checked on what the indexes bring in."""
    term_budget: int = 2_000
    """So many may come in by the rarest terms of a query."""
    counted_at_once: int = 20_000
    """Up to so many, a search itself counts terms and averages vectors where the stored figures are too old."""
    centred_from: int = 50
    """From so many on, the vectors are centred: the mean of a few says nothing of others."""


_NAMES = ("vector", "lexical", "recency", "identifier", "neighbour", "time")
_ARMS = tuple(frozenset(name for bit, name in enumerate(_NAMES) if n >> bit & 1) for n in range(1 << len(_NAMES)))
_KINDS = {int(kind): kind for kind in Kind}


async def candidates(
    transaction: Transaction,
    scopes: Sequence[Scope],
    query: CandidateQuery,
    model: Model,
    reader: Reader,
    options: SearchOptions,
) -> Candidates:
    """See View.candidates."""
    found: list[Found] = []
    plans, units = [], {}
    for scope in scopes:
        namespace_id = transaction.check(scope)
        known = await _statistics(transaction, namespace_id, query, model, options)
        words, centre = Words(query, known, options.term_budget), Centre(query.vector, known.mean)
        now, plain = query.as_of is None, filters.is_plain(query.filter)
        hnsw, large = now and known.ann, now and known.live > options.small
        estimated = not plain and (hnsw or large)
        expected = await _expected(transaction, namespace_id, query) if estimated else known.live
        selective = expected * options.selective < known.live
        indexed = (hnsw or large) and (not selective or expected > options.few)
        while True:
            statement = Statement(
                namespace_id, query, model, words, centre, indexed=indexed, hnsw=hnsw, selective=selective
            )
            rows = await transaction.fetch(statement.sql, *statement.values)
            missing = _missing(rows, query, words, hnsw=indexed and hnsw, by_terms=indexed)
            if not missing:
                break
            if missing & LEXICAL:
                words.take_all()
            hnsw = hnsw and not missing & VECTOR
        found += _found(rows, namespace_id, centre, reader)
        plans.append("off" if query.vector is None else "hnsw" if indexed and hnsw else "exact")
        units[namespace_id] = words.unit
    return Candidates(tuple(found), tuple(plans), units)


async def _statistics(
    transaction: Transaction, namespace_id: UUID, query: CandidateQuery, model: Model, options: SearchOptions
) -> Statistics:
    """What is stored, where it is not older than a tenth of the namespace; else it is found out here, so that an answer
    does not change when the stored figures catch up. Also chooses how the next statement is planned: once for all
    namespaces where there is little to read, or where the statement names its indexes; elsewhere the plan depends on the
    values of the filter."""
    terms = sorted(query.terms)
    plain = query.as_of is None and filters.is_plain(query.filter)
    row = await transaction.row(SQL["statistics"], namespace_id, terms, model.model_id, options.small, plain)
    if row is None:
        return Statistics(0, False, None, {})
    known = Statistics(
        row["live"], row["ann"], row["mean"], dict(zip(row["terms"] or (), row["frequencies"] or (), strict=True))
    )
    counted = row["counted"]
    if known.live > options.counted_at_once or (counted is not None and abs(known.live - counted) <= counted / 10):
        return known
    if terms:
        rows = await transaction.fetch(SQL["count_frequencies"], namespace_id, terms)
        known = replace(known, frequencies={each["term"]: each["df"] for each in rows})
    if query.vector is not None:
        mean: Vector | None = None
        if known.live >= options.centred_from:
            mean = await transaction.value(SQL["average_vector"], namespace_id, model.model_id)
        known = replace(known, mean=mean)
    return known


async def _expected(transaction: Transaction, namespace_id: UUID, query: CandidateQuery) -> int:
    """How many memories the filter means, by the planner's estimate."""
    parameters = Parameters(namespace_id)
    where = filters.condition(query.filter, parameters)
    return await transaction.explain_rows(
        f"SELECT FROM memories m WHERE m.namespace_id = $1 AND {where}",
        *parameters.values,
    )


def _missing(rows: list[Row], query: CandidateQuery, words: Words, *, hnsw: bool, by_terms: bool) -> int:
    """The arms that found fewer than they may though there may be more: the index gave up, or terms were left out."""
    arms = [row["arms"] for row in rows]
    missing = 0
    if hnsw and query.vector is not None and sum(each & VECTOR for each in arms) < query.vector_limit:
        missing |= VECTOR
    if by_terms and not words.all and sum(each & LEXICAL != 0 for each in arms) < query.lexical_limit:
        missing |= LEXICAL
    return missing


def _found(rows: list[Row], namespace_id: UUID, centre: Centre, reader: Reader) -> list[Found]:
    """From rows in order of session, event_time and id: positions count within a session."""
    result: list[Found] = []
    session, position = "", 0
    for row in rows:
        position = position + 1 if row[4] == session else 0
        session = row[4]
        try:
            result.append(_one(row, namespace_id, position, centre.offset))
        except (KeyError, TypeError, AttributeError):
            reader.skipped += 1
    return result


def _one(row: Row, namespace_id: UUID, position: int, offset: float) -> Found:
    memory_id, kind, event_time, create_time, session_id, user_id, speaker, importance, confidence, *others = row
    use_count, superseded_by, asks, words, near, score, terms, arms = others
    return Found(
        memory_id,
        namespace_id,
        _KINDS[kind],
        event_time if event_time.tzinfo else aware(event_time),
        create_time if create_time.tzinfo else aware(create_time),
        session_id,
        user_id,
        speaker,
        importance,
        confidence,
        use_count,
        superseded_by,
        asks,
        words,
        None if near is None else -near - offset,
        None if score is None else -score,
        # facets are below 0, and terms in order
        frozenset(terms[bisect_left(terms, 0) :]),
        position,
        _ARMS[arms],
    )
