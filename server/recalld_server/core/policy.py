"""Which role may do what, and what a namespace's policy means where it is silent."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import Any

from recalld_server.errors import RoleRequired
from recalld_server.model import Policy, Principal, Role, Visibility


class Action(enum.Enum):
    """What a call does, as far as roles are concerned. Each RPC belongs to one."""

    READ = "read"
    WRITE = "write"
    REFLECT = "reflect"
    REVIEW = "review"
    ADMINISTER = "administer"


ALLOWED: Mapping[Action, frozenset[Role]] = {
    Action.READ: frozenset({Role.READER, Role.WRITER, Role.REFLECTOR, Role.ADMIN}),
    Action.WRITE: frozenset({Role.WRITER, Role.ADMIN}),
    Action.REFLECT: frozenset({Role.REFLECTOR, Role.ADMIN}),
    Action.REVIEW: frozenset({Role.REFLECTOR, Role.ADMIN}),
    Action.ADMINISTER: frozenset({Role.ADMIN}),
}

LEAST: Mapping[Action, Role] = {
    Action.READ: Role.READER,
    Action.WRITE: Role.WRITER,
    Action.REFLECT: Role.REFLECTOR,
    Action.REVIEW: Role.REFLECTOR,
    Action.ADMINISTER: Role.ADMIN,
}
"""The role that an error names."""

RPCS: Mapping[str, Action] = {
    "Write": Action.WRITE,
    "BatchWrite": Action.WRITE,
    "StreamWrite": Action.WRITE,
    "Search": Action.READ,
    "BuildContext": Action.READ,
    "Get": Action.READ,
    "List": Action.READ,
    "Update": Action.WRITE,
    "ListRevisions": Action.READ,
    "Restore": Action.WRITE,
    "Forget": Action.WRITE,
    "Reflect": Action.REFLECT,
    "GetReflection": Action.READ,
    "WatchReflection": Action.READ,
    "CancelReflection": Action.REFLECT,
    "Stats": Action.READ,
    "MarkUsed": Action.READ,
    "AppendTurns": Action.WRITE,
    "GetSession": Action.READ,
    "SetVariables": Action.WRITE,
    "EndSession": Action.WRITE,
    "ListSessions": Action.READ,
    "CreateNamespace": Action.ADMINISTER,
    "GetNamespace": Action.READ,
    "ListNamespaces": Action.READ,
    "UpdateNamespace": Action.ADMINISTER,
    "DeleteNamespace": Action.ADMINISTER,
    "CreateGrant": Action.ADMINISTER,
    "ListGrants": Action.ADMINISTER,
    "RevokeGrant": Action.ADMINISTER,
    "CreateKey": Action.ADMINISTER,
    "ListKeys": Action.ADMINISTER,
    "RevokeKey": Action.ADMINISTER,
    "Export": Action.READ,
    "Import": Action.WRITE,
    "ListAuditEvents": Action.ADMINISTER,
    "ListReviews": Action.REVIEW,
    "ResolveReview": Action.REVIEW,
    "Watch": Action.READ,
}
"""What each RPC of the contract asks for in each namespace that it names."""


def actions_of(roles: Iterable[Role]) -> frozenset[Action]:
    """All that any of these roles allows."""
    held = frozenset(roles)
    return frozenset(action for action, allowed in ALLOWED.items() if allowed & held)


def require(principal: Principal, action: Action) -> None:
    """Raises RoleRequired unless one of the principal's roles allows the action."""
    if not principal.roles & ALLOWED[action]:
        raise RoleRequired(LEAST[action].name)


DEFAULTS = Policy(
    importance_threshold=0.0,
    default_visibility=Visibility.SHARED,
    accept_when_model_is_down=False,
    episodic_retention_days=30,
    low_confidence_retention_days=7,
    episodic_cap_per_user=1000,
    session_ttl_seconds=7200,
    reflect_every_turns=5,
    reflection_schedule="",
    time_zone="UTC",
    forget_window_days=30,
    review_window_days=7,
    review_threshold=0.6,
    keep_query_text=False,
    lexical_weight=0.35,
    vector_weight=0.65,
    recency_weight=None,
    half_life_days=30.0,
)
"""What a policy means where it is silent. `recency_weight` has the ranking's own default."""


def setting(policy: Policy, name: str) -> Any:
    """What a policy says, or means where it is silent."""
    given = getattr(policy, name)
    return getattr(DEFAULTS, name) if given is None else given
