"""Transactions within scopes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Protocol, TypeVar
from uuid import UUID

from recalld_server.errors import RequestIdReused
from recalld_server.model import (
    Filter,
    Json,
    Memory,
    Request,
    Revision,
    Scope,
    State,
    Stats,
)
from recalld_server.store.base.archive import ArchiveReads, ArchiveWrites
from recalld_server.store.base.finding import CandidateQuery, Candidates
from recalld_server.store.base.moving import Adopted, Kept
from recalld_server.store.base.orders import OrderReads, OrderWrites
from recalld_server.store.base.reflections import ReflectionReads, ReflectionWrites
from recalld_server.store.base.retention import RetentionReads
from recalld_server.store.base.reviews import ReviewReads, ReviewWrites
from recalld_server.store.base.rows import Change, DraftProbe, NewMemory, Surroundings, Vector
from recalld_server.store.base.sessions import SessionReads, SessionWrites

T = TypeVar("T")
KnownAnswer = Mapping[str, Json] | RequestIdReused | None
"""What is known of a request: its answer, that its id came with another fingerprint before, or nothing."""


class View(SessionReads, ReflectionReads, ReviewReads, OrderReads, RetentionReads, ArchiveReads, Protocol):
    """Reads, all of one moment."""

    async def get(
        self, scope: Scope, memory_ids: Sequence[UUID], *, as_of: datetime | None = None
    ) -> dict[UUID, Memory]:
        """The memories with these ids, whatever their state; what is not visible is absent. An ACTIVE memory past its
        expire_time has state EXPIRED. With `as_of`: as they were then (from the revisions)."""

    async def taken(self, scope: Scope, memory_ids: Sequence[UUID]) -> frozenset[UUID]:
        """Those of these ids that a memory of the namespace has, also one that this scope does not see."""

    async def list(
        self,
        scope: Scope,
        filter: Filter,
        *,
        limit: int,
        before: tuple[datetime, UUID] | None = None,
        as_of: datetime | None = None,
    ) -> tuple[Memory, ...]:
        """Newest first by (create_time, memory_id), those before `before` only."""

    async def walk(
        self, scope: Scope, filter: Filter, *, limit: int, after: tuple[datetime, UUID] | None = None
    ) -> tuple[Memory, ...]:
        """Oldest first by (create_time, memory_id), those after `after` only."""

    async def keep(
        self, scope: Scope, memories: Sequence[Memory], *, vectors: bool, revisions: bool
    ) -> tuple[Kept, ...]:
        """These memories, in order, with their vectors by the active model and their history, as asked."""

    async def known_answers(
        self, scope: Scope, named: Sequence[Request]
    ) -> Mapping[str, Mapping[str, Json] | RequestIdReused]:
        """By request_id, those of the requests that were handled within the last 24 hours."""

    async def count(self, scope: Scope, filter: Filter) -> int:
        """How many memories the filter means."""

    async def surroundings(
        self,
        scope: Scope,
        probes: Sequence[DraftProbe],
        *,
        near: int,
        floor: float,
        among: Sequence[UUID] | None = None,
    ) -> tuple[int, tuple[Surroundings, ...]]:
        """The change sequence of the moment, and for each probe the exact match and at most `near` live memories with a
        cosine of at least `floor`; where there is an exact match, that alone. With `among`, only these memories are looked
        at (a few: read by key, no index arm), and the sequence is 0; a writer uses it under the lock, for what was committed
        since it looked first."""

    async def previous_turn(self, scope: Scope, session_id: str, before: datetime) -> Memory | None:
        """The memory of the session with the greatest event_time before or at `before` (latest id on a tie)."""

    async def candidates(self, scopes: Sequence[Scope], query: CandidateQuery) -> Candidates:
        """What the arms propose in these namespaces, all conditions of the filter in SQL."""

    async def revisions(
        self, scope: Scope, memory_id: UUID, *, limit: int, before: int | None = None
    ) -> tuple[Revision, ...]:
        """Newest first; `before` is a revision number."""

    async def stats(self, scopes: Sequence[Scope], *, since: datetime, until: datetime) -> Stats:
        """Figures of these namespaces, all of one tenant, together. `total` is what List can return without a filter; days
        and model tokens are those of every day and hour (UTC) that the range touches, searches those of the range. The
        median latency is right within 2.5 %. None takes longer the more memories there are."""

    async def changes(self, scope: Scope, *, after: int, limit: int) -> tuple[Change, ...]:
        """Change events with a sequence above `after`, oldest first; those of another agent's private memories are
        passed over. Each with its memory as it is now; None: erased."""

    async def change_span(self, scope: Scope) -> tuple[int, int]:
        """The sequence of the last change event that was swept away (0: none yet), and of the latest one. Whoever
        resumes from before the first has missed something."""

    async def matching(self, scope: Scope, memory_ids: Sequence[UUID], filter: Filter) -> frozenset[UUID]:
        """Those of these memories that the filter means."""

    async def wait_for_disk(self) -> None:
        """Returns when everything that this view sees is on disk, so that no crash can undo it."""

    async def average_length(self, scope: Scope) -> float:
        """Mean length of the live memories in words; 20 for an empty namespace."""


class Unit(View, SessionWrites, ReflectionWrites, ReviewWrites, OrderWrites, ArchiveWrites, Protocol):
    """Reads and writes, all or nothing. Each method also writes the revision, the change event and the counters."""

    async def lock(self, scope: Scope) -> int:
        """Makes this unit the only writer of the namespace until it ends and returns the change sequence. Writers of
        other namespaces go on. Taken by itself at the first write; take it earlier to check something first."""

    async def changed_since(self, scope: Scope, sequence: int) -> tuple[UUID, ...]:
        """Memories with a change event after that sequence."""

    async def insert(
        self, scope: Scope, memories: Sequence[NewMemory], *, actor: str, action: str = "write"
    ) -> tuple[Memory, ...]:
        """Stores new memories. For each, in order: the memory as stored; or, when a live memory with the same hash, kind
        group, audience and user_id exists (or comes earlier in the sequence), that one. A taken memory_id with another hash raises MemoryExists,
        which names it (it may be one that this scope does not see)."""

    async def adopt(self, scope: Scope, memories: Sequence[Adopted]) -> tuple[Memory, ...]:
        """Stores memories from elsewhere with their history; else as `insert`. Nobody is told of the history, only of the
        memories."""

    async def claim(self, scope: Scope, named: Sequence[Request]) -> Mapping[str, Mapping[str, Json] | RequestIdReused]:
        """Makes these requests this unit's, beside the one that it was opened with. Those that were handled before stay as
        they are, and are returned as `known_answers` does."""

    async def remember_answers(self, scope: Scope, answers: Mapping[Request, Mapping[str, Json]]) -> None:
        """Stores the answers of requests that this unit has claimed."""

    async def touch(self, scope: Scope, memory_ids: Sequence[UUID]) -> None:
        """Counts one more use. Not a revision and not a change event."""

    async def skip_duplicates(self, scope: Scope, memory_ids: Sequence[UUID]) -> None:
        """Notes writes that were not stored, by the memory that says the same (once for each write), which is touched."""

    async def mark_used(self, scope: Scope, search_id: UUID, memory_ids: Sequence[UUID]) -> tuple[UUID, ...]:
        """Marks hits of a search of this agent as used and touches those that were not marked yet. Returns those of the
        ids that the search returned and that are in this namespace."""

    async def supersede(
        self,
        scope: Scope,
        old: Sequence[UUID],
        new: UUID,
        *,
        actor: str,
        reason: str,
        when: datetime,
        request: Request | None = None,
    ) -> tuple[UUID, ...]:
        """Ends live memories in favour of another: state SUPERSEDED, superseded_by, valid_until. Returns those that
        changed. `request`: whose answer goes when one of them is erased, if not that which the unit was opened with."""

    async def link_conflict(
        self, scope: Scope, memory_id: UUID, others: Sequence[UUID], *, expire_time: datetime
    ) -> UUID:
        """Links live memories that may contradict each other and opens a review; returns its id."""

    async def replace(
        self, scope: Scope, new: NewMemory, *, expected_revision: int, action: str, actor: str, reason: str
    ) -> Memory:
        """Stores the next revision of a memory. Raises EtagMismatch when it is no longer at `expected_revision`,
        MemoryNotFound when it is gone, MemoryExists when another live memory already has the same hash. With
        `new.vector` None the vectors stay as they are."""

    async def set_state(
        self, scope: Scope, memory_ids: Sequence[UUID], state: State, *, actor: str, action: str, reason: str
    ) -> tuple[UUID, ...]:
        """Moves memories to a state; returns those that changed. Raises MemoryExists when one would come to life whose
        text another live memory has."""

    async def set_index(
        self, scope: Scope, memory_id: UUID, *, vector: Vector | None, text_vector: Vector | None, error: str
    ) -> bool:
        """Attaches a vector to a memory that waits for it (or the reason of failure), as a change event without a revision,
        and ends its job; False when it is no longer there to be indexed."""

    async def erase(self, scope: Scope, memory_ids: Sequence[UUID], *, actor: str) -> Mapping[str, int]:
        """Removes memories with their revisions, vectors, jobs, links, answers to requests and places among what searches
        found, whoever caused these; returns how many rows of each. The change events stay, without text. Files of the
        archive that hold one are marked, to be written anew."""

    async def remember_answer(self, answer: Mapping[str, Json]) -> None:
        """Stores the answer of the request that this unit was opened with."""

    async def claim_answered(self, scope: Scope, answers: Mapping[Request, Mapping[str, Json]]) -> None:
        """Claims requests that this unit handled and stores their answers, at its end. Raises AnswerKnown or
        RequestIdReused when one of them was answered meanwhile: then the unit must not be committed."""


class Reads(Protocol):
    """Views, from the store or from a copy of it."""

    async def read(self, scopes: Sequence[Scope], work: Callable[[View], Awaitable[T]]) -> T:
        """What `work` returns of a view within the scopes. `work` may be begun anew on another view, so it does nothing
        but read. Raises StoreUnavailable, and what `work` raises."""


class Store(Reads, Protocol):
    """The durable store."""

    def view(self, scopes: Sequence[Scope]) -> AbstractAsyncContextManager[View]:
        """Opens a read-only transaction within the scopes, which may be of several tenants, of one agent in each."""

    def unit(self, scope: Scope, request: Request | None = None) -> AbstractAsyncContextManager[Unit]:
        """Opens a read-write transaction. With a request: raises AnswerKnown when it was answered before, RequestIdReused
        when its id came with another fingerprint; two at the same time wait for each other."""

    async def known_answer(self, scope: Scope, request: Request) -> Mapping[str, Json] | None:
        """The answer to a request that was handled within the last 24 hours. Raises RequestIdReused."""

    async def known_answers(self, scope: Scope, asked: Sequence[Request]) -> Sequence[KnownAnswer]:
        """The same for several requests of this agent at once, in their order."""

    async def embedding_model(self, configured: str, dimensions: int) -> str:
        """Registers the model on first use and returns the active model's id."""


class AnswerKnown(Exception):
    """The request was answered before; `answer` is what `remember_answer` stored."""

    def __init__(self, answer: Mapping[str, Json]) -> None:
        super().__init__("the request was answered before")
        self.answer = answer
