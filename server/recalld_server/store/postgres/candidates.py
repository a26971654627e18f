"""What the arms of a search propose, in one statement a namespace."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from recalld_server.model import Kind, Scope
from recalld_server.store.base import CandidateQuery, Candidates, Found
from recalld_server.store.postgres import filters
from recalld_server.store.postgres.arms import LEXICAL, VECTOR, Statement, Statistics, Words
from recalld_server.store.postgres.filters import Parameters
from recalld_server.store.postgres.models import Model
from recalld_server.store.postgres.pool import Row, Transaction
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.rows import Reader, aware

SQL = load("candidates.sql")


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Where one way of searching gives way to the next. Rows are those of a namespace."""

    whole: int = 1_000
    """Up to so many, all are read and ranked in passing."""
    few: int = 10_000
    """A filter that means at most this many by the planner's estimate is read whole."""
    term_budget: int = 4_000
    """So many may come in by the rarest terms of a query."""
    counted_at_once: int = 20_000
    """Up to so many, terms are counted where they have not been, or too long ago."""


_ARMS = tuple(
    frozenset(
        name for bit, name in enumerate(("vector", "lexical", "recency", "identifier", "neighbour")) if n >> bit & 1
    )
    for n in range(32)
)
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
        words = Words(query, known, options.term_budget)
        form = await _form(transaction, namespace_id, query, known, options)
        rows = await _ask(transaction, Statement(form, namespace_id, query, model, known, words))
        if form == "indexed" and _too_few(rows, query, words):
            form = "exact"
            rows = await _ask(transaction, Statement(form, namespace_id, query, model, known, words))
        found += _found(rows, namespace_id, reader)
        plans.append("off" if query.vector is None else "hnsw" if form == "indexed" else "exact")
        units[namespace_id] = words.unit
    return Candidates(tuple(found), tuple(plans), units)


async def _ask(transaction: Transaction, statement: Statement) -> list[Row]:
    return await transaction.fetch(statement.sql, *statement.values)


async def _statistics(
    transaction: Transaction, namespace_id: UUID, query: CandidateQuery, model: Model, options: SearchOptions
) -> Statistics:
    """Also chooses how the next statement is planned: one plan is as good as another where there is little to read, and
    the planner's work would be most of the time; elsewhere the plan depends on the values."""
    terms = sorted(query.terms)
    row = await transaction.row(SQL["statistics"], namespace_id, terms, model.model_id, options.whole)
    if row is None:
        return Statistics(0, False, None, {})
    frequencies = dict(zip(row["terms"] or (), row["frequencies"] or (), strict=True))
    counted, live = row["counted"], row["live"]
    if terms and (counted is None or (live > 1.5 * counted and live <= options.counted_at_once)):
        rows = await transaction.fetch(SQL["count_frequencies"], namespace_id, terms)
        frequencies = {each["term"]: each["df"] for each in rows}
    return Statistics(live, row["ann"], row["mean"], frequencies)


async def _form(
    transaction: Transaction, namespace_id: UUID, query: CandidateQuery, known: Statistics, options: SearchOptions
) -> str:
    if query.as_of is not None or known.live <= options.whole:
        return "whole"
    if not known.ann:
        return "exact"
    if filters.is_plain(query.filter):
        return "indexed"
    parameters = Parameters(namespace_id)
    where = filters.condition(query.filter, parameters)
    expected = await transaction.explain_rows(
        f"SELECT FROM memories m WHERE m.namespace_id = $1 AND {where}",
        *parameters.values,
    )
    return "exact" if expected <= options.few else "indexed"


def _too_few(rows: list[Row], query: CandidateQuery, words: Words) -> bool:
    """Whether an arm found fewer than it may and there may be more: the index gave up, or terms were left out."""
    arms = [row["arms"] for row in rows]
    if query.vector is not None and sum(each & VECTOR for each in arms) < query.vector_limit:
        return True
    return not words.all and sum(bool(each & LEXICAL) for each in arms) < query.lexical_limit


def _found(rows: list[Row], namespace_id: UUID, reader: Reader) -> list[Found]:
    result: list[Found] = []
    session, position = None, 0
    for _, time, _, row in sorted((row[4], aware(row[2]), row[0], row) for row in rows):
        position = position + 1 if row[4] == session else 0
        session = row[4]
        try:
            result.append(_one(row, time, namespace_id, position))
        except (KeyError, TypeError, AttributeError):
            reader.skipped += 1
    return result


def _one(row: Row, event_time: datetime, namespace_id: UUID, position: int) -> Found:
    session_id, user_id, speaker, importance, confidence, use_count, superseded_by, asks = row[4:12]
    terms, words, cosine, centred, score, arms = row[12:]
    return Found(
        row[0],
        namespace_id,
        _KINDS[row[1]],
        event_time,
        aware(row[3]),
        session_id,
        user_id,
        speaker,
        importance,
        confidence,
        use_count,
        superseded_by,
        asks,
        cosine,
        centred,
        score,
        # facets are below 0, and terms in order
        frozenset(terms[bisect_left(terms, 0) :]),
        words,
        position,
        _ARMS[arms],
    )
