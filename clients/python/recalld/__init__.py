"""A memory that agents share.

    from recalld import Client

    with Client() as memory:
        memory.write("Alice is allergic to peanuts.")
        print(memory.search("what can't Alice eat?"))

`Client` blocks, `AsyncClient` is for asyncio; both have the same verbs.
"""

from recalld import errors
from recalld._async.client import AsyncClient, AsyncNamespaceView
from recalld._async.forgetting import AsyncForgetPlan
from recalld._async.pager import AsyncPager
from recalld._async.reflecting import AsyncReflectionHandle
from recalld._async.sessions import AsyncSession
from recalld._async.watching import AsyncWatch
from recalld._retry import RetryPolicy
from recalld._sync.client import Client, NamespaceView
from recalld._sync.forgetting import ForgetPlan
from recalld._sync.pager import Pager
from recalld._sync.reflecting import ReflectionHandle
from recalld._sync.sessions import Session
from recalld._sync.watching import Watch
from recalld._unset import UNSET
from recalld._version import __version__
from recalld.enums import (
    Durability,
    ForgetMode,
    IndexState,
    Kind,
    ModelDownPolicy,
    Outcome,
    ReflectionState,
    ReflectionTarget,
    ReviewCause,
    ReviewDecision,
    ReviewState,
    Role,
    SessionState,
    State,
    TimeMode,
    ToolStatus,
    TurnRole,
    Visibility,
    WatchEventType,
)
from recalld.errors import RecalldError
from recalld.filters import Condition, Filter, Range, TimeRange, where
from recalld.types.events import Review, WatchEvent
from recalld.types.memories import (
    BatchItem,
    BatchResult,
    ForgetResult,
    Memory,
    MemoryInput,
    MemoryRevision,
    Stats,
    ToolCall,
    WriteResult,
)
from recalld.types.namespaces import (
    AuditEvent,
    ExportRecord,
    Grant,
    ImportResult,
    Key,
    Namespace,
    NewKey,
    Policy,
)
from recalld.types.pages import Page
from recalld.types.reflection import Insight, Reflection
from recalld.types.search import Context, RankingOptions, SearchHit, SearchResult
from recalld.types.sessions import SessionInfo, SessionView, Turn, TurnInput

__all__ = [
    "UNSET",
    "AsyncClient",
    "AsyncForgetPlan",
    "AsyncNamespaceView",
    "AsyncPager",
    "AsyncReflectionHandle",
    "AsyncSession",
    "AsyncWatch",
    "AuditEvent",
    "BatchItem",
    "BatchResult",
    "Client",
    "Condition",
    "Context",
    "Durability",
    "ExportRecord",
    "Filter",
    "ForgetMode",
    "ForgetPlan",
    "ForgetResult",
    "Grant",
    "ImportResult",
    "IndexState",
    "Insight",
    "Key",
    "Kind",
    "Memory",
    "MemoryInput",
    "MemoryRevision",
    "ModelDownPolicy",
    "Namespace",
    "NamespaceView",
    "NewKey",
    "Outcome",
    "Page",
    "Pager",
    "Policy",
    "Range",
    "RankingOptions",
    "RecalldError",
    "Reflection",
    "ReflectionHandle",
    "ReflectionState",
    "ReflectionTarget",
    "RetryPolicy",
    "Review",
    "ReviewCause",
    "ReviewDecision",
    "ReviewState",
    "Role",
    "SearchHit",
    "SearchResult",
    "Session",
    "SessionInfo",
    "SessionState",
    "SessionView",
    "State",
    "Stats",
    "TimeMode",
    "TimeRange",
    "ToolCall",
    "ToolStatus",
    "Turn",
    "TurnInput",
    "TurnRole",
    "Visibility",
    "Watch",
    "WatchEvent",
    "WatchEventType",
    "WriteResult",
    "__version__",
    "errors",
    "where",
]
