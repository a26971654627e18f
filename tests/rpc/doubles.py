"""The smallest rules that the API can be served with: what they were asked is kept, what they answer is set by the test."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

from recalld_server.core.moving import Exported, Imported
from recalld_server.core.services import Core
from recalld_server.core.session_ends import Ended
from recalld_server.core.sessions import Appended
from recalld_server.core.types import Context, Forgotten, SearchAnswer
from recalld_server.core.watch import Event, EventType
from recalld_server.errors import InvalidCredential
from recalld_server.model import (
    Actor,
    AuditEvent,
    Filter,
    Grant,
    Grantee,
    Key,
    Kind,
    Memory,
    MetadataCondition,
    Namespace,
    NumberSpan,
    Operator,
    Outcome,
    Page,
    Policy,
    Principal,
    ReflectedInsight,
    Reflection,
    ReflectionScope,
    ReflectionState,
    ReflectionTarget,
    Review,
    ReviewCause,
    ReviewDecision,
    ReviewState,
    Revision,
    Role,
    Session,
    SessionState,
    State,
    Stats,
    TimeSpan,
    ToolCall,
    ToolStatus,
    Turn,
    TurnRole,
    Visibility,
    WriteResult,
)
from recalld_server.store.base import Kept

ID = UUID("01890a5d-ac96-774b-bcce-b302099a8057")
NOW = datetime(2025, 3, 4, 5, 6, 7, 890123, UTC)
ADA = Principal(UUID(int=1), "default", "ada", frozenset({Role.ADMIN}), "0" * 16)
BEN = Principal(UUID(int=1), "default", "ben", frozenset({Role.READER}), "1" * 16)
PRINCIPALS = {"Bearer ada": ADA, "Bearer ben": BEN}

MEMORY = Memory(
    ID, "team", "喝茶不加糖", Kind.SEMANTIC, State.ACTIVE, Visibility.SHARED, "ada", NOW, NOW, NOW, 1, metadata={"n": 1}
)
NAMESPACE = Namespace(UUID(int=7), "team", "", Policy(), 1, NOW, NOW)
KEY = Key("0" * 16, UUID(int=1), "default", "ada", frozenset({Role.ADMIN}), (), "", NOW)
REVIEW = Review(
    ID,
    "team",
    ReviewCause.CONFLICT,
    ReviewState.RESOLVED,
    NOW,
    NOW,
    (MEMORY,),
    ReviewDecision.KEEP_BOTH,
    "ada",
    "都对",
    NOW,
)
SESSION = Session(
    "s-1",
    "team",
    SessionState.OPEN,
    "ada",
    "u1",
    2,
    0,
    0,
    1,
    NOW,
    NOW,
    NOW,
    {"城市": "上海", "n": 1, "deep": {"a": [None]}},
)
TURN = Turn(
    ID,
    TurnRole.TOOL,
    "没有这个文件",
    "ada",
    NOW,
    "grep",
    (ToolCall("grep", ToolStatus.ERROR, "{}", "no such file"),),
    9,
    2,
)
REFLECTION = Reflection(
    ID,
    "team",
    ReflectionState.FAILED,
    ReflectionScope(
        filter=Filter(
            kinds=(Kind.EPISODIC,),
            any_tags=("会议",),
            visibility=Visibility.SHARED,
            confidence=NumberSpan(0.5),
            event_time=TimeSpan(NOW, None),
            metadata=(
                MetadataCondition(("a.b",), Operator.IN, [1, "二"]),
                MetadataCondition(("c",), Operator.EQ, None),
                MetadataCondition(("d",), Operator.GE, 3),
            ),
        )
    ),
    (ReflectionTarget.FACTS, ReflectionTarget.EXPIRE_STALE),
    "ada",
    "ada",
    NOW,
    True,
    0.5,
    {"read": 3, "failed": 1},
    {"chatter": 2},
    (ReflectedInsight("fact", "住在上海", 0.5, (ID,), 2, "review", "否则会迟到", None, ID),),
    "the model did not answer in time",
    NOW,
    NOW,
)
GRANT = Grant(ID, "team", Grantee.ROLE, "READER", Role.WRITER, True, NOW, NOW)
EVENT = AuditEvent(ID, NOW, Actor("ada", "0" * 16, "Write"), "team", (str(ID),), "OK")
WRITTEN = WriteResult(Outcome.CREATED, ID)


@dataclass
class Asked:
    """One call of the rules."""

    name: str
    principal: Principal
    arguments: tuple[Any, ...]
    options: dict[str, Any]


@dataclass
class FakeCore:
    """Answers of each service method by name: a value, or a function of the call's arguments (which may be awaitable)."""

    answers: dict[str, Any] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)

    def core(self) -> Core:
        return cast(Core, self)

    def __getattr__(self, name: str) -> Any:
        return _Service(self, name)


@dataclass
class _Service:
    fake: FakeCore
    name: str

    def __getattr__(self, method: str) -> Callable[..., Any]:
        name = f"{self.name}.{method}"

        async def call(principal: Any, *arguments: Any, **options: Any) -> Any:
            self.fake.asked.append(Asked(name, principal, arguments, options))
            answer = self.fake.answers.get(name, DEFAULT_ANSWERS[name])
            if callable(answer):
                answer = answer(principal, *arguments, **options)
            if isinstance(answer, Awaitable):
                answer = await answer
            if isinstance(answer, BaseException):
                raise answer
            return answer

        if name not in STREAMED:
            return call

        async def stream(caller: Any, *arguments: Any, **options: Any) -> Any:
            # one that goes on for long is given what finds out anew who calls
            principal = await caller() if callable(caller) else caller
            for each in await call(principal, *arguments, **options):
                yield each

        return stream


def authenticate(authorization: str) -> Principal:
    if authorization not in PRINCIPALS:
        raise InvalidCredential
    return PRINCIPALS[authorization]


DEFAULT_ANSWERS: dict[str, Any] = {
    "keys.authenticate": authenticate,
    "keys.create": (KEY, "rk_secret"),
    "keys.list": Page((KEY,)),
    "keys.revoke": KEY,
    "namespaces.create": NAMESPACE,
    "namespaces.get": NAMESPACE,
    "namespaces.list": Page((NAMESPACE,)),
    "writes.write": WRITTEN,
    "writes.write_batch": lambda principal, namespace, drafts, options: [
        each if isinstance(each, Exception) else WRITTEN for each in drafts
    ],
    "writes.write_each": lambda principal, namespace, drafts, options: [WRITTEN for _ in drafts],
    "memories.get": MEMORY,
    "memories.list": Page((MEMORY,)),
    "memories.update": MEMORY,
    "memories.revisions": Page((Revision(MEMORY, "write", "ada", "", NOW),)),
    "memories.restore": MEMORY,
    "searches.search": SearchAnswer((), ID),
    "contexts.build": Context("", (), 0, ID),
    "forgets.forget": Forgotten(1, (ID,)),
    "figures.stats": Stats(total=1),
    "usage.mark_used": 1,
    "reflections.start": REFLECTION,
    "reflections.get": REFLECTION,
    "reflections.watch": [REFLECTION],
    "reflections.cancel": REFLECTION,
    "reviews.list": Page((REVIEW,)),
    "reviews.resolve": REVIEW,
    "sessions.append": Appended(SESSION, (ID,)),
    "sessions.get": (SESSION, (TURN,)),
    "sessions.set_variables": SESSION,
    "sessions.end": Ended(SESSION, ID),
    "sessions.list": Page((SESSION,)),
    "moving.export": [Exported(Kept(MEMORY))],
    "moving.import_": lambda principal, namespace, records, timeout: [Imported(ID, "created") for _ in records],
    "watches.watch": [Event(EventType.CHECKPOINT, NOW, "t-1")],
    "namespaces.update": NAMESPACE,
    "namespaces.delete": {"memories": 2, "revisions": 3},
    "sharing.create": GRANT,
    "sharing.list": Page((GRANT,)),
    "sharing.revoke": None,
    "audit.denied": None,
    "audit.list": Page((EVENT,)),
}
STREAMED = frozenset({"moving.export", "reflections.watch", "watches.watch"})
"""Those whose answer is what comes one by one."""
