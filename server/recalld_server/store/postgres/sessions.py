"""Sessions within a transaction, and the queue of look backs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from recalld_server.errors import ResourceNotFound
from recalld_server.model import EVERY_AGENT, Json, Scope, Session, SessionState, Trigger, Turn, TurnRole, new_id
from recalld_server.store.base import ErasedTurns, LeaseLost, SessionJob
from recalld_server.store.postgres.pool import Pool
from recalld_server.store.postgres.queries import load
from recalld_server.store.postgres.rows import aware, to_json, tool_calls_from_json, tool_calls_to_json
from recalld_server.store.postgres.transaction import Row, Transaction

_SESSION = (
    *("session_id", "state", "agent_id", "user_id", "turn_count", "asked_turn", "reflected_turn", "revision"),
    *("create_time", "update_time", "expire_time", "variables", "erasures"),
)
_TURN = ("turn_id", "role", "content", "agent_id", "event_time", "speaker", "tool_calls", "tokens", "sequence")
_STATE = "CASE WHEN s.state = 1 AND s.expire_time <= now() THEN 2 ELSE s.state END AS state"
SQL = load(
    "sessions.sql",
    session=", ".join(_STATE if name == "state" else f"s.{name}" for name in _SESSION),
    turn=", ".join(f"t.{name}" for name in _TURN),
)

MOST_BYTES = 8 * 1024 * 1024
"""Text that one read of the latest turns returns at most: half of the largest message that is sent."""


class SessionReading:
    """SessionReads over one transaction."""

    _transaction: Transaction

    async def session(self, scope: Scope, session_id: str) -> Session | None:
        row = await self._transaction.row(SQL["get"], self._transaction.check(scope), session_id)
        return None if row is None else _session(row, scope)

    async def sessions(
        self,
        scope: Scope,
        *,
        user_id: str = "",
        state: SessionState | None = None,
        limit: int,
        before: tuple[datetime, str] | None = None,
    ) -> tuple[Session, ...]:
        namespace_id = self._transaction.check(scope)
        wanted = None if state is None else int(state)
        rows = await self._transaction.fetch(
            SQL["list"], namespace_id, user_id, wanted, *(before or (None, None)), limit
        )
        return tuple(_session(row, scope) for row in rows)

    async def turns(
        self, scope: Scope, session_id: str, after_sequence: int = 0, *, up_to: int | None = None, limit: int = 1000
    ) -> tuple[Turn, ...]:
        namespace_id = self._transaction.check(scope)
        rows = await self._transaction.fetch(SQL["turns"], namespace_id, session_id, after_sequence, up_to, limit)
        return tuple(map(_turn, rows))

    async def latest_turns(
        self, scope: Scope, session_id: str, *, limit: int, tokens: int | None = None
    ) -> tuple[Turn, ...]:
        namespace_id = self._transaction.check(scope)
        rows = await self._transaction.fetch(SQL["latest_turns"], namespace_id, session_id, limit, tokens, MOST_BYTES)
        return tuple(map(_turn, rows))

    async def turns_by_id(self, scope: Scope, turn_ids: Sequence[UUID]) -> dict[UUID, tuple[str, Turn]]:
        namespace_id = self._transaction.check(scope)
        rows = await self._transaction.fetch(SQL["turns_by_id"], namespace_id, list(turn_ids))
        return {row["turn_id"]: (row["session_id"], _turn(row)) for row in rows}


class SessionWriting(SessionReading):
    """SessionWrites over one transaction."""

    async def open_session(self, scope: Scope, session_id: str, *, user_id: str, ttl: timedelta) -> Session:
        namespace_id = self._transaction.check(scope)
        row = await self._transaction.row(SQL["open"], namespace_id, session_id, scope.agent_id, user_id, ttl)
        return _found(row, scope)

    async def append_turns(self, scope: Scope, session_id: str, turns: Sequence[Turn], *, ttl: timedelta) -> Session:
        namespace_id = self._transaction.check(scope)
        row = await self._transaction.row(SQL["count_turns"], namespace_id, session_id, len(turns), ttl)
        session = _found(row, scope)
        await self._transaction.row(
            SQL["append"],
            namespace_id,
            session_id,
            session.turn_count - len(turns),
            [turn.turn_id for turn in turns],
            [int(turn.role) for turn in turns],
            [turn.content for turn in turns],
            [turn.agent_id for turn in turns],
            [turn.event_time for turn in turns],
            [turn.speaker for turn in turns],
            [tool_calls_to_json(turn.tool_calls) for turn in turns],
            [turn.tokens for turn in turns],
        )
        return session

    async def put_variables(
        self, scope: Scope, session_id: str, variables: Mapping[str, Json], *, ttl: timedelta
    ) -> Session:
        namespace_id = self._transaction.check(scope)
        row = await self._transaction.row(SQL["put_variables"], namespace_id, session_id, to_json(variables), ttl)
        return _found(row, scope)

    async def end_session(self, scope: Scope, session_id: str) -> Session:
        return _found(await self._transaction.row(SQL["end"], self._transaction.check(scope), session_id), scope)

    async def settle_session(self, scope: Scope, session_id: str) -> None:
        await self._transaction.row(SQL["settle"], self._transaction.check(scope), session_id)

    async def ask_reflection(self, scope: Scope, session_id: str, reason: Trigger, *, delay: timedelta) -> UUID:
        job_id: UUID = await self._transaction.value(
            SQL["ask"], self._transaction.check(scope), new_id(), session_id, scope.agent_id, reason.value, delay
        )
        return job_id

    async def withdraw_reflection(self, scope: Scope, session_id: str) -> None:
        await self._transaction.row(SQL["withdraw"], self._transaction.check(scope), session_id)

    async def finish_job(self, scope: Scope, job: SessionJob) -> None:
        namespace_id = self._transaction.check(scope)
        await self._transaction.row(SQL["hold"], namespace_id, [job.session_id])
        if not await self._transaction.value(SQL["finish"], namespace_id, job.job_id, job.attempts):
            raise LeaseLost

    async def erase_turns(
        self,
        scope: Scope,
        *,
        session_ids: Sequence[str] = (),
        user_ids: Sequence[str] = (),
        turn_ids: Sequence[UUID] = (),
    ) -> ErasedTurns:
        namespace_id = self._transaction.check(scope)
        rows = await self._transaction.fetch(SQL["of_people"], namespace_id, list(session_ids), list(user_ids))
        row = await self._transaction.row(
            SQL["erase"], namespace_id, [each["session_id"] for each in rows], list(turn_ids)
        )
        assert row is not None
        counts = {name: int(value) for name, value in row.items() if name != "session_ids"}
        return ErasedTurns(tuple(row["session_ids"]), counts)


class PostgresSessionJobs:
    """SessionJobs over a pool. Made by `PostgresStore.session_jobs`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def claim(self, limit: int, lease: timedelta) -> tuple[SessionJob, ...]:
        async with self._pool.transaction(None, (), EVERY_AGENT, write=True) as transaction:
            rows = await transaction.fetch(SQL["claim"], limit, lease)
        return tuple(
            SessionJob(
                Scope(row["tenant_id"], row["namespace_id"], row["namespace"], row["agent_id"]),
                row["job_id"],
                row["session_id"],
                row["user_id"],
                Trigger(row["reason"]),
                row["after_turn"],
                row["up_to_turn"],
                row["attempts"],
            )
            for row in rows
        )

    async def rest(self, job: SessionJob, pause: timedelta, *, counted: bool = True) -> None:
        scope = job.scope
        async with self._pool.transaction(scope.tenant_id, [scope], EVERY_AGENT, write=True) as transaction:
            await transaction.row(SQL["rest"], scope.namespace_id, job.job_id, job.attempts, pause, counted)

    async def unsettled(self, limit: int) -> tuple[tuple[Scope, str], ...]:
        async with self._pool.transaction(None, (), EVERY_AGENT, write=False) as transaction:
            rows = await transaction.fetch(SQL["unsettled"], limit)
        return tuple(
            (Scope(row["tenant_id"], row["namespace_id"], row["namespace"], EVERY_AGENT), row["session_id"])
            for row in rows
        )


def _found(row: Row | None, scope: Scope) -> Session:
    if row is None:
        raise ResourceNotFound("session")
    return _session(row, scope)


def _session(row: Row, scope: Scope) -> Session:
    values = {name: row[name] for name in _SESSION}
    values["state"] = SessionState(row["state"])
    values["variables"] = json.loads(row["variables"])
    return Session(namespace=scope.namespace, **values)


def _turn(row: Row) -> Turn:
    values = {name: row[name] for name in _TURN}
    values["role"] = TurnRole(row["role"])
    values["event_time"] = aware(row["event_time"])
    values["tool_calls"] = tool_calls_from_json(row["tool_calls"])
    return Turn(**values)
