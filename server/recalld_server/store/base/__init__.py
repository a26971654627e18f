"""What the rules need of a store. The contract is in the docstrings; tests/store holds every store to it.

A `View` is one read-only transaction, a `Unit` one read-write transaction, both within the scopes that they were opened
with: rows of another namespace, and private memories of another agent, do not exist for them. Leaving a unit without an
error commits everything it did, at once; leaving it with an error, or being cancelled, leaves nothing behind.
All texts come cleaned and checked; all times are aware; the store binds every value.
"""

from recalld_server.store.base.archive import Archive, Archived, Segment
from recalld_server.store.base.cache import Cache
from recalld_server.store.base.directory import Asker, Directory, Held, Reach
from recalld_server.store.base.finding import CandidateQuery, Candidates, Found
from recalld_server.store.base.grants import AuditQuery, AuditRecords, Grants, NewGrant
from recalld_server.store.base.jobs import IndexJob, IndexJobs
from recalld_server.store.base.limits import Buckets, Quotas
from recalld_server.store.base.moving import Adopted, Kept
from recalld_server.store.base.orders import ForgetOrders, Mark, Order
from recalld_server.store.base.reads import READ_AFTER, Positions, ReadAfter
from recalld_server.store.base.reembedding import Place, Reembedding
from recalld_server.store.base.reflections import (
    ReflectionJob,
    ReflectionJobs,
    ReflectionReads,
    ReflectionSchedules,
    ReflectionWrites,
    Scheduled,
    Step,
)
from recalld_server.store.base.retention import Aged, Retained
from recalld_server.store.base.reviews import OverdueReviews, ReviewReads, ReviewWrites
from recalld_server.store.base.rows import Change, DraftProbe, Lexical, Near, NewMemory, Surroundings, Vector
from recalld_server.store.base.searches import PastSearch, Searched, SearchRecords
from recalld_server.store.base.sessions import (
    ErasedTurns,
    LeaseLost,
    SessionJob,
    SessionJobs,
    SessionReads,
    SessionWrites,
)
from recalld_server.store.base.units import AnswerKnown, KnownAnswer, Reads, Store, Unit, View
from recalld_server.store.base.wakes import Ear, Wakes

__all__ = [
    "READ_AFTER",
    "Adopted",
    "Aged",
    "AnswerKnown",
    "Archive",
    "Archived",
    "Asker",
    "AuditQuery",
    "AuditRecords",
    "Buckets",
    "Cache",
    "CandidateQuery",
    "Candidates",
    "Change",
    "Directory",
    "DraftProbe",
    "Ear",
    "ErasedTurns",
    "ForgetOrders",
    "Found",
    "Grants",
    "Held",
    "IndexJob",
    "IndexJobs",
    "Kept",
    "KnownAnswer",
    "LeaseLost",
    "Lexical",
    "Mark",
    "Near",
    "NewGrant",
    "NewMemory",
    "Order",
    "OverdueReviews",
    "PastSearch",
    "Place",
    "Positions",
    "Quotas",
    "Reach",
    "ReadAfter",
    "Reads",
    "Reembedding",
    "ReflectionJob",
    "ReflectionJobs",
    "ReflectionReads",
    "ReflectionSchedules",
    "ReflectionWrites",
    "Retained",
    "ReviewReads",
    "ReviewWrites",
    "Scheduled",
    "SearchRecords",
    "Searched",
    "Segment",
    "SessionJob",
    "SessionJobs",
    "SessionReads",
    "SessionWrites",
    "Step",
    "Store",
    "Surroundings",
    "Unit",
    "Vector",
    "View",
    "Wakes",
]
