"""Reflections within a transaction."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from uuid import UUID

from pydantic import TypeAdapter

from recalld_server import telemetry
from recalld_server.model import (
    EVERY_AGENT,
    Json,
    Memory,
    ReflectedInsight,
    Reflection,
    ReflectionScope,
    ReflectionState,
    ReflectionTarget,
    Scope,
    TimeSpan,
    Visibility,
)
from recalld_server.store.base import LeaseLost, ReflectionJob, Step
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.rows import Reader, facet, of_m, to_json
from recalld_server.store.postgres.transaction import Row, Transaction

SQL = load("reflections.sql", of_m=of_m())
_SCOPE = TypeAdapter(ReflectionScope)
_AS_AGENT = "SELECT set_config('recalld.agent_id', $1, true)"


class ReflectionReading:
    """ReflectionReads over one transaction."""

    _transaction: Transaction
    _reader: Reader

    async def reflection(self, scope: Scope, reflection_id: UUID) -> Reflection | None:
        namespace_id = self._transaction.check(scope)
        row = await self._transaction.row(SQL["get"], namespace_id, reflection_id)
        if row is None:
            waiting = await self._transaction.row(SQL["waiting"], namespace_id, reflection_id)
            return None if waiting is None else _waiting(waiting, scope, reflection_id)
        insights = await self._transaction.fetch(SQL["insights"], namespace_id, reflection_id)
        return _reflection(row, scope, reflection_id, insights)

    async def position(self, scope: Scope, reflection_id: UUID) -> Mapping[str, Json]:
        text = await self._transaction.value(SQL["position"], self._transaction.check(scope), reflection_id)
        return _object(text)

    async def looked_at(
        self, scope: Scope, sources: Sequence[tuple[UUID, int]], targets: Sequence[ReflectionTarget]
    ) -> dict[UUID, frozenset[ReflectionTarget]]:
        rows = await self._transaction.fetch(
            SQL["looked_at"],
            self._transaction.check(scope),
            [source_id for source_id, _ in sources],
            [revision for _, revision in sources],
            list(map(int, targets)),
        )
        return {row["source_id"]: frozenset(map(ReflectionTarget, row["targets"])) for row in rows}

    async def new_memories(
        self,
        scope: Scope,
        targets: Sequence[ReflectionTarget],
        *,
        before: tuple[datetime, UUID] | None,
        limit: int,
    ) -> tuple[Memory, ...]:
        namespace_id, wanted = self._transaction.check(scope), list(map(int, targets))
        rows = await self._transaction.fetch(
            SQL["new_memories"], namespace_id, wanted, *(before or (None, None)), limit
        )
        return self._reader.memories(rows, scope.namespace)

    async def sessions_between(
        self, scope: Scope, span: TimeSpan, *, after: str, unless: Sequence[ReflectionTarget], limit: int
    ) -> tuple[tuple[str, str], ...]:
        namespace_id, done = self._transaction.check(scope), list(map(int, unless))
        rows = await self._transaction.fetch(
            SQL["sessions_between"], namespace_id, after, span.start, span.end, done, limit
        )
        return tuple((row["session_id"], row["user_id"]) for row in rows)

    async def private_agents(self, scope: Scope) -> tuple[str, ...]:
        rows = await self._transaction.fetch(SQL["private_agents"], self._transaction.check(scope))
        return tuple(row["agent_id"] for row in rows)

    async def derived(self, scope: Scope, source_ids: Sequence[UUID]) -> tuple[Memory, ...]:
        facets = [facet("source", source_id) for source_id in source_ids]
        rows = await self._transaction.fetch(
            SQL["derived"], self._transaction.check(scope), facets, list(source_ids), ((), ())
        )
        return self._reader.memories(rows, scope.namespace)


class ReflectionWriting(ReflectionReading):
    """ReflectionWrites over one transaction."""

    async def add_reflection(self, scope: Scope, reflection: Reflection, *, held_by_session: bool = False) -> bool:
        return await add_reflection(self._transaction, scope, reflection, held_by_session=held_by_session)

    async def advance(self, scope: Scope, job: ReflectionJob, step: Step) -> None:
        namespace_id = self._transaction.check(scope)
        held = await self._hold(namespace_id, job)
        await self._transaction.row(
            SQL["advance"],
            namespace_id,
            job.reflection_id,
            to_json(step.position),
            step.progress,
            _sum(held["counts"], step.counts),
            _sum(held["skipped"], step.skipped),
            step.tokens,
            step.calls,
        )
        if step.insights:
            await self._add_insights(namespace_id, job.reflection_id, step.insights)
        if step.looked_at:
            await self._transaction.row(
                SQL["note_looked_at"],
                namespace_id,
                [source_id for source_id, _ in step.looked_at],
                [revision for _, revision in step.looked_at],
                list(map(int, step.targets)),
            )

    async def _hold(self, namespace_id: UUID, job: ReflectionJob) -> Row:
        row = await self._transaction.row(SQL["hold"], namespace_id, job.reflection_id, job.attempts)
        if row is None:
            raise LeaseLost
        return row

    async def _add_insights(
        self, namespace_id: UUID, reflection_id: UUID, insights: Sequence[ReflectedInsight]
    ) -> None:
        await self._transaction.row(
            SQL["add_insights"],
            namespace_id,
            reflection_id,
            [each.memory_id for each in insights],
            [each.review_id for each in insights],
            [int(each.visibility) for each in insights],
            [each.agent_id for each in insights],
            [each.category for each in insights],
            # the text of what is stored is where it is stored
            ["" if each.memory_id else each.content for each in insights],
            ["" if each.memory_id else each.counterfactual for each in insights],
            [each.confidence for each in insights],
            [to_json([str(source_id) for source_id in each.source_ids]) for each in insights],
            [each.support for each in insights],
            [each.outcome for each in insights],
        )

    async def end_reflection(self, scope: Scope, job: ReflectionJob, state: ReflectionState, error: str) -> None:
        namespace_id = self._transaction.check(scope)
        await self._hold(namespace_id, job)
        await self._transaction.row(SQL["end"], namespace_id, job.reflection_id, int(state), error)

    async def cancel_reflection(self, scope: Scope, reflection_id: UUID) -> bool:
        namespace_id = self._transaction.check(scope)
        return await self._transaction.value(SQL["cancel"], namespace_id, reflection_id) is not None

    async def free_sources(self, scope: Scope, source_ids: Sequence[UUID]) -> None:
        await self._transaction.row(SQL["free_sources"], self._transaction.check(scope), list(source_ids))

    async def drop_insights(self, scope: Scope, memory_ids: Sequence[UUID]) -> None:
        await self._transaction.row(SQL["drop_insights"], self._transaction.check(scope), list(memory_ids))

    @asynccontextmanager
    async def every_agent(self, scope: Scope) -> AsyncIterator[None]:
        await self._transaction.value(_AS_AGENT, EVERY_AGENT)
        yield
        # not after an error: the transaction is rolled back then, and its settings with it
        await self._transaction.value(_AS_AGENT, scope.agent_id)


async def add_reflection(
    transaction: Transaction, scope: Scope, reflection: Reflection, *, held_by_session: bool
) -> bool:
    """Stores a reflection; False when it is there already."""
    added = await transaction.value(
        SQL["add"],
        transaction.check(scope),
        reflection.reflection_id,
        reflection.agent_id,
        reflection.actor,
        int(reflection.state),
        to_json(_SCOPE.dump_python(reflection.scope, mode="json")),
        list(map(int, reflection.targets)),
        reflection.dry_run,
        held_by_session,
    )
    if traceparent := telemetry.traceparent():
        await transaction.row(SQL["trace"], scope.namespace_id, reflection.reflection_id, traceparent)
    return added is not None


def _reflection(row: Row, scope: Scope, reflection_id: UUID, insights: Sequence[Row]) -> Reflection:
    return Reflection(
        reflection_id=reflection_id,
        namespace=scope.namespace,
        state=ReflectionState(row["state"]),
        scope=_SCOPE.validate_python(_object(row["scope"])),
        targets=tuple(map(ReflectionTarget, row["targets"])),
        agent_id=row["agent_id"],
        actor=row["actor"],
        create_time=row["create_time"],
        dry_run=row["dry_run"],
        progress=row["progress"],
        counts=_object(row["counts"]),
        skipped=_object(row["skipped"]),
        insights=tuple(_insight(each) for each in insights),
        error=row["error"],
        start_time=row["start_time"],
        end_time=row["end_time"],
    )


def _insight(row: Row) -> ReflectedInsight:
    values = {**row, "visibility": Visibility(row["visibility"]), "source_ids": tuple(row["source_ids"])}
    return ReflectedInsight(**values)


def _waiting(row: Row, scope: Scope, reflection_id: UUID) -> Reflection:
    return Reflection(
        reflection_id,
        scope.namespace,
        ReflectionState.PENDING,
        ReflectionScope(session_id=row["session_id"]),
        (),
        row["agent_id"],
        row["agent_id"],
        row["create_time"],
    )


def _object(text: str | Mapping[str, Json] | None) -> dict[str, int]:
    if text is None:
        return {}
    return json.loads(text) if isinstance(text, str) else dict(text)  # type: ignore[arg-type]


def _sum(held: str, more: Mapping[str, int]) -> str:
    return to_json(dict(Counter(_object(held)) + Counter(more)))
