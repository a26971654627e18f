"""Sessions: their turns, their variables, and the queue of look backs that are due."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from recalld_server.model import Json, Scope, Session, SessionState, Trigger, Turn


@dataclass(frozen=True, slots=True)
class SessionJob:
    """A look back that is due, on the turns of a session behind `after_turn` up to `up_to_turn`; held until the lease
    ends. Whoever holds it again later, after a crash or a rest, is given the same turns."""

    scope: Scope
    """That of the agent whose turn, or whose end of the session, asked for it."""
    job_id: UUID
    """Also the id of the reflection that it becomes."""
    session_id: str
    user_id: str
    reason: Trigger
    after_turn: int
    up_to_turn: int
    attempts: int
    """This one included."""


@dataclass(frozen=True, slots=True)
class ErasedTurns:
    """The sessions that were removed or lost turns, and how many rows went, by what they were."""

    session_ids: tuple[str, ...]
    counts: Mapping[str, int]


class LeaseLost(Exception):
    """The job is no longer held by who tries to finish it: another has taken it over, or its session was erased. Raised
    out of the unit, it undoes the output that would come twice."""


class SessionReads(Protocol):
    """Reads of sessions. A session belongs to its namespace: every agent that reads the namespace reads it."""

    async def session(self, scope: Scope, session_id: str) -> Session | None:
        """By its literal name."""

    async def sessions(
        self,
        scope: Scope,
        *,
        user_id: str = "",
        state: SessionState | None = None,
        limit: int,
        before: tuple[datetime, str] | None = None,
    ) -> tuple[Session, ...]:
        """Newest first by (create_time, session_id), those before `before` only; empty `user_id`: with anyone."""

    async def turns(
        self, scope: Scope, session_id: str, after_sequence: int = 0, *, up_to: int | None = None, limit: int = 1000
    ) -> tuple[Turn, ...]:
        """The turns behind `after_sequence`, up to and with `up_to`, oldest first."""

    async def latest_turns(
        self, scope: Scope, session_id: str, *, limit: int, tokens: int | None = None
    ) -> tuple[Turn, ...]:
        """The last turns, oldest first: as many as have `tokens` together and the store is ready to send at once."""

    async def turns_by_id(self, scope: Scope, turn_ids: Sequence[UUID]) -> dict[UUID, tuple[str, Turn]]:
        """Session and turn by id; what is not there is absent."""


class SessionWrites(SessionReads, Protocol):
    """Changes of sessions. Whoever changes one waits for who does so already; who also locks the namespace does that first."""

    async def open_session(self, scope: Scope, session_id: str, *, user_id: str, ttl: timedelta) -> Session:
        """The session, made when it is new, and this unit's until it ends. `user_id` is taken when it has none yet."""

    async def append_turns(self, scope: Scope, session_id: str, turns: Sequence[Turn], *, ttl: timedelta) -> Session:
        """Adds turns to an opened session, numbered on up to its new turn_count without a gap, and moves its end to `ttl`
        from now."""

    async def put_variables(
        self, scope: Scope, session_id: str, variables: Mapping[str, Json], *, ttl: timedelta
    ) -> Session:
        """Replaces the variables of an opened session, and moves its end to `ttl` from now."""

    async def end_session(self, scope: Scope, session_id: str) -> Session:
        """Stores that an opened session has ended."""

    async def settle_session(self, scope: Scope, session_id: str) -> None:
        """Notes that everything which ends with an ended session has been ended, so that it is not due any more."""

    async def ask_reflection(self, scope: Scope, session_id: str, reason: Trigger, *, delay: timedelta) -> UUID:
        """Makes a look back due after `delay`; returns its job_id. One that waits already is joined: at most one waits
        for each session. IDLE puts off one that waits for IDLE alone; any other reason never comes later than it was."""

    async def withdraw_reflection(self, scope: Scope, session_id: str) -> None:
        """Passes the turns of an opened session over: drops the look back that waits, not one that has begun."""

    async def finish_job(self, scope: Scope, job: SessionJob) -> None:
        """Drops a job that is held and notes its turns as looked back on; call it in the unit that stores its output.
        Raises LeaseLost."""

    async def erase_turns(
        self,
        scope: Scope,
        *,
        session_ids: Sequence[str] = (),
        user_ids: Sequence[str] = (),
        turn_ids: Sequence[UUID] = (),
    ) -> ErasedTurns:
        """Removes these sessions, and those with these people, with their turns, variables, jobs and remembered answers;
        of the sessions that stay, these turns. Copies elsewhere are for the caller to drop, see `core.hot_turns`."""


class SessionJobs(Protocol):
    """The queue of look backs, of all tenants, in the order in which they fall due. Of one session one at a time is held."""

    async def claim(self, limit: int, lease: timedelta) -> tuple[SessionJob, ...]:
        """Takes those that are due and free. One whose holder died is free again when the lease has passed. Lease and
        pauses are shorter than an hour, as in IndexJobs."""

    async def rest(self, job: SessionJob, pause: timedelta, *, counted: bool = True) -> None:
        """Frees a job after a pause; with `counted` False the attempt is none. One whose lease was lost is left alone."""

    async def unsettled(self, limit: int) -> tuple[tuple[Scope, str], ...]:
        """Sessions that have ended, or were idle for too long, and are not settled yet; in scopes of every agent."""
