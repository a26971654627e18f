"""The words of the domain as frozen dataclasses. Imports nothing of ours."""

from recalld_server.model.access import EVERY_AGENT, Key, Principal, Request, Scope
from recalld_server.model.common import Json, NumberSpan, Page, T, TimeSpan, new_id, utc_now
from recalld_server.model.filter import Filter, MetadataCondition
from recalld_server.model.memory import Draft, Memory, Related, Revision, ToolCall, WriteResult
from recalld_server.model.namespace import Namespace, Policy
from recalld_server.model.reflection import (
    ReflectedInsight,
    Reflection,
    ReflectionScope,
    ReflectionState,
    ReflectionTarget,
)
from recalld_server.model.session import Session, SessionState, Trigger, Turn, TurnDraft, TurnRole
from recalld_server.model.stats import DayCount, KindCount, Stats
from recalld_server.model.words import (
    ChangeType,
    Durability,
    ForgetMode,
    IndexState,
    Kind,
    Operator,
    Outcome,
    Role,
    State,
    TimeMode,
    ToolStatus,
    Visibility,
)

__all__ = [
    "EVERY_AGENT",
    "ChangeType",
    "DayCount",
    "Draft",
    "Durability",
    "Filter",
    "ForgetMode",
    "IndexState",
    "Json",
    "Key",
    "Kind",
    "KindCount",
    "Memory",
    "MetadataCondition",
    "Namespace",
    "NumberSpan",
    "Operator",
    "Outcome",
    "Page",
    "Policy",
    "Principal",
    "ReflectedInsight",
    "Reflection",
    "ReflectionScope",
    "ReflectionState",
    "ReflectionTarget",
    "Related",
    "Request",
    "Revision",
    "Role",
    "Scope",
    "Session",
    "SessionState",
    "State",
    "Stats",
    "T",
    "TimeMode",
    "TimeSpan",
    "ToolCall",
    "ToolStatus",
    "Trigger",
    "Turn",
    "TurnDraft",
    "TurnRole",
    "Visibility",
    "WriteResult",
    "new_id",
    "utc_now",
]
