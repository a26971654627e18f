"""What the rules need of a store. The contract is in the docstrings; tests/store holds every store to it.

A `View` is one read-only transaction, a `Unit` one read-write transaction, both within the scopes that they were opened
with: rows of another namespace, and private memories of another agent, do not exist for them. Leaving a unit without an
error commits everything it did, at once; leaving it with an error, or being cancelled, leaves nothing behind.
All texts come cleaned and checked; all times are aware; the store binds every value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

import numpy as np
import numpy.typing as npt

from recalld_server.model import (
    ChangeType,
    Filter,
    Json,
    Key,
    Kind,
    Memory,
    Namespace,
    Policy,
    Request,
    Revision,
    Role,
    Scope,
    State,
    Stats,
    Visibility,
)

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Lexical:
    """The lexical form of a text: term ids (sorted, unique, below 2^20), their stored BM25 weights, length in words."""

    terms: tuple[int, ...]
    weights: tuple[float, ...]
    length: int


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory to be stored with everything that makes it findable."""

    memory: Memory
    content_hash: bytes
    lexical: Lexical
    vector: Vector | None
    """L2-normalised embedding that Search uses; None: index_state is PENDING or FAILED."""
    text_vector: Vector | None = None
    """Embedding of the text alone, when `vector` also carries its context; else None."""


@dataclass(frozen=True, slots=True)
class Near:
    """A live memory near a draft, with the cosine between the texts alone."""

    memory: Memory
    cosine: float


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a draft meets: the live memory with the same text, if any, and the nearest ones, best first."""

    exact: Memory | None
    near: tuple[Near, ...]


@dataclass(frozen=True, slots=True)
class DraftProbe:
    """What is needed to find a draft's surroundings: only live memories with the same kind group (EPISODIC alone; all
    others together), the same user_id, the same audience (SHARED, or PRIVATE of this agent) are met."""

    content_hash: bytes
    vector: Vector | None
    episodic: bool
    user_id: str
    visibility: Visibility


@dataclass(frozen=True, slots=True)
class CandidateQuery:
    """What Search asks of the arms, for each of its scopes."""

    filter: Filter
    vector: Vector | None
    """L2-normalised query embedding; None: the vector arm is off."""
    terms: Mapping[int, float]
    """Term id -> query weight without idf (the store knows the document frequencies); empty: the lexical arm is off."""
    identifiers: tuple[str, ...] = ()
    """Rare identifiers of the query, matched exactly in `entities`; and memory ids."""
    vector_limit: int = 100
    lexical_limit: int = 100
    recent_limit: int = 10
    neighbours: int = 2
    """How many memories of the same session before and after each lexical candidate are added."""
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate: what ranking needs of the memory (get the chosen ones for the rest), and what each arm measured. None:
    that arm did not look at it."""

    memory_id: UUID
    namespace_id: UUID
    kind: Kind
    event_time: datetime
    create_time: datetime
    session_id: str
    user_id: str
    speaker: str
    importance: float
    confidence: float
    use_count: int
    superseded_by: UUID | None
    asks: bool
    """The text ends in a question mark."""
    cosine: float | None
    """Cosine of the stored vector with the query, computed for every candidate that has a vector."""
    centred_cosine: float | None
    """The same after half of the namespace's mean vector was taken from both sides."""
    lexical: float | None
    """BM25 of the memory with the query's terms; 0 when none occurs. Computed for every candidate."""
    terms: frozenset[int]
    words: int
    position: int
    """Place in its session by event_time (ties by id), relative to the other candidates of that session only."""
    arms: frozenset[str]
    """Which arms proposed it: "vector", "lexical", "recency", "identifier", "neighbour"."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the arms proposed. Never fewer rows than min(limit, matching rows)."""

    found: tuple[Found, ...]
    plans: tuple[str, ...]
    """For each scope: "exact" or "hnsw" for the vector arm, "off" when it did not run."""
    lexical_units: Mapping[UUID, float] = field(default_factory=dict)
    """By namespace: the sum of query weight times idf of the query's six rarest terms (by that product)."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change event of a namespace."""

    sequence: int
    """Counts up by one per namespace, in commit order, without gaps."""
    type: ChangeType
    memory_id: UUID
    memory: Memory | None
    actor: str
    create_time: datetime


class View(Protocol):
    """Reads, all of one moment."""

    async def get(
        self, scope: Scope, memory_ids: Sequence[UUID], *, as_of: datetime | None = None
    ) -> dict[UUID, Memory]:
        """The memories with these ids, whatever their state; what is not visible is absent. An ACTIVE memory past its
        expire_time has state EXPIRED. With `as_of`: as they were then (from the revisions)."""

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
        cosine of at least `floor`. With `among`, only these memories are looked at (a few: read by key, no index arm);
        a writer uses it under the lock, for what was committed since it looked first."""

    async def previous_turn(self, scope: Scope, session_id: str, before: datetime) -> Memory | None:
        """The memory of the session with the greatest event_time before or at `before` (latest id on a tie)."""

    async def candidates(self, scopes: Sequence[Scope], query: CandidateQuery) -> Candidates:
        """What the arms propose in these namespaces, all conditions of the filter in SQL."""

    async def revisions(
        self, scope: Scope, memory_id: UUID, *, limit: int, before: int | None = None
    ) -> tuple[Revision, ...]:
        """Newest first; `before` is a revision number."""

    async def stats(self, scopes: Sequence[Scope], *, since: datetime, until: datetime) -> Stats:
        """Figures of these namespaces together. `total` is what List can return without a filter."""

    async def changes(self, scope: Scope, *, after: int, limit: int) -> tuple[Change, ...]:
        """Change events with a sequence above `after`, oldest first; those of another agent's private memories are
        passed over. Each with its memory as it is now; None: erased."""

    async def change_span(self, scope: Scope) -> tuple[int, int]:
        """The sequence of the last change event that was swept away (0: none yet), and of the latest one. Whoever
        resumes from before the first has missed something."""

    async def average_length(self, scope: Scope) -> float:
        """Mean length of the live memories in words; 20 for an empty namespace."""


class Unit(View, Protocol):
    """Reads and writes, all or nothing. Each method also writes the revision, the change event and the counters."""

    async def lock(self, scope: Scope) -> int:
        """Makes this unit the only writer of the namespace until it ends and returns the change sequence. Writers of
        other namespaces go on. Taken by itself at the first write; take it earlier to check something first."""

    async def changed_since(self, scope: Scope, sequence: int) -> tuple[UUID, ...]:
        """Memories with a change event after that sequence."""

    async def insert(self, scope: Scope, memories: Sequence[NewMemory], *, actor: str) -> tuple[Memory, ...]:
        """Stores new memories. For each, in order: the memory as stored; or, when a live memory with the same hash, kind
        group, audience and user_id exists (or comes earlier in the sequence), that one. A taken memory_id with another hash raises MemoryExists."""

    async def touch(self, scope: Scope, memory_ids: Sequence[UUID]) -> None:
        """Counts one more use. Not a revision and not a change event."""

    async def skip_duplicates(self, scope: Scope, memory_ids: Sequence[UUID]) -> None:
        """Notes writes that were not stored, by the memory that says the same (once for each write), which is touched."""

    async def mark_used(self, scope: Scope, search_id: UUID, memory_ids: Sequence[UUID]) -> tuple[UUID, ...]:
        """Marks hits of a search of this agent as used and touches those that were not marked yet. Returns those of the
        ids that the search returned and that are in this namespace."""

    async def supersede(
        self, scope: Scope, old: Sequence[UUID], new: UUID, *, actor: str, reason: str, when: datetime
    ) -> tuple[UUID, ...]:
        """Ends live memories in favour of another: state SUPERSEDED, superseded_by, valid_until. Returns those that changed."""

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
        """Removes memories with their revisions, vectors, requests and links; returns how many rows of each. The change
        events stay, without text."""

    async def remember_answer(self, answer: Mapping[str, Json]) -> None:
        """Stores the answer of the request that this unit was opened with."""


class Store(Protocol):
    """The durable store."""

    def view(self, scopes: Sequence[Scope]) -> AbstractAsyncContextManager[View]:
        """Opens a read-only transaction within the scopes (all of one tenant and agent)."""

    def unit(self, scope: Scope, request: Request | None = None) -> AbstractAsyncContextManager[Unit]:
        """Opens a read-write transaction. With a request: raises AnswerKnown when it was answered before, RequestIdReused
        when its id came with another fingerprint; two at the same time wait for each other."""

    async def known_answer(self, scope: Scope, request: Request) -> Mapping[str, Json] | None:
        """The answer to a request that was handled within the last 24 hours. Raises RequestIdReused."""

    async def embedding_model(self, configured: str, dimensions: int) -> str:
        """Registers the model on first use and returns the active model's id."""


@dataclass(frozen=True, slots=True)
class IndexJob:
    """A memory that waits to be indexed, held until the lease ends. `scope` is that of the agent who wrote it."""

    scope: Scope
    memory_id: UUID
    attempts: int
    """This one included."""


class IndexJobs(Protocol):
    """The queue of memories with index_state PENDING, of all tenants. Storing such a memory queues it; `Unit.set_index`
    ends its job, and so does whatever else ends the memory. One that is held by a worker that died is free again when the
    lease has passed."""

    async def claim(self, limit: int, lease: timedelta) -> tuple[IndexJob, ...]:
        """Takes the oldest that are free."""

    async def rest(self, jobs: Sequence[IndexJob], pause: timedelta, *, counted: bool = True) -> None:
        """Frees jobs after a pause; with `counted` False the attempt is none. Jobs whose lease was lost are left alone."""

    async def sweep(self) -> int:
        """Drops what is kept of jobs whose memory no longer waits; how many."""

    async def retry_failed(self) -> int:
        """Makes every memory with index_state FAILED wait again; how many."""


@dataclass(frozen=True, slots=True)
class Searched:
    """What is kept of a search: never its text."""

    tenant_id: UUID
    agent_id: str
    search_id: UUID
    namespace_ids: tuple[UUID, ...]
    found: tuple[tuple[UUID, UUID], ...]
    """Namespace and id of each memory that was returned, best first."""
    milliseconds: float
    create_time: datetime


@dataclass(frozen=True, slots=True)
class PastSearch:
    """A search as MarkUsed finds it: the names of the namespaces that still exist."""

    namespaces: tuple[str, ...]
    memory_ids: tuple[UUID, ...]


class SearchRecords(Protocol):
    """What is kept of searches."""

    async def log_searches(self, searches: Sequence[Searched]) -> None:
        """Stores them; one that is stored already is left as it is."""

    async def find_search(self, tenant_id: UUID, agent_id: str, search_id: UUID) -> PastSearch | None:
        """A search of this agent."""


class AnswerKnown(Exception):
    """The request was answered before; `answer` is what `remember_answer` stored."""

    def __init__(self, answer: Mapping[str, Json]) -> None:
        super().__init__("the request was answered before")
        self.answer = answer


class Directory(Protocol):
    """Tenants, namespaces and keys. Methods that take a tenant_id see that tenant only."""

    async def ensure_tenant(self, name: str) -> UUID:
        """The tenant's id; makes it on first use."""

    async def create_namespace(
        self,
        tenant_id: UUID,
        name: str,
        *,
        description: str,
        policy: Policy,
        request: Request | None = None,
        actor: str = "",
    ) -> Namespace:
        """Raises NamespaceExists; AnswerKnown or RequestIdReused as `Store.unit` does."""

    async def get_namespace(self, tenant_id: UUID, name: str) -> Namespace | None:
        """By its literal name."""

    async def list_namespaces(
        self, tenant_id: UUID, *, parent: str, after: str, limit: int, only: Sequence[str] | None
    ) -> tuple[Namespace, ...]:
        """By name; `parent` gives itself and what is below it by path segments; `only` restricts to these names."""

    async def create_key(
        self,
        tenant_id: UUID,
        *,
        key_id: str,
        secret_hash: bytes,
        agent_id: str,
        roles: frozenset[Role],
        namespaces: Sequence[str],
        description: str,
        expire_time: datetime | None,
        request: Request | None = None,
        actor: str = "",
    ) -> Key:
        """Stores a key; only the hash of its secret."""

    async def find_key(self, key_id: str) -> tuple[Key, bytes] | None:
        """A key and the hash of its secret, whatever the tenant: the only look-up before a tenant is known."""

    async def list_keys(self, tenant_id: UUID, *, before: tuple[datetime, str] | None, limit: int) -> tuple[Key, ...]:
        """Newest first."""

    async def revoke_key(
        self, tenant_id: UUID, key_id: str, *, request: Request | None = None, actor: str = ""
    ) -> Key | None:
        """Ends a key; None when there is none. Raises AnswerKnown or RequestIdReused as `Store.unit` does."""

    async def key_used(self, key_id: str, when: datetime) -> None:
        """Notes the use of a key."""
