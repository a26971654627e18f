"""Role × action, exhaustively."""

from uuid import uuid4

import pytest

from recalld_server.core.policy import ALLOWED, Action, require
from recalld_server.errors import RoleRequired
from recalld_server.model import Principal, Role

EXPECTED = {
    (Role.READER, Action.READ),
    (Role.WRITER, Action.READ),
    (Role.WRITER, Action.WRITE),
    (Role.REFLECTOR, Action.READ),
    (Role.REFLECTOR, Action.REFLECT),
    (Role.REFLECTOR, Action.REVIEW),
    *((Role.ADMIN, action) for action in Action),
}


def principal(*roles: Role) -> Principal:
    return Principal(uuid4(), "t", "agent", frozenset(roles), "key")


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("action", Action)
def test_each_role_may_do_exactly_this(role: Role, action: Action) -> None:
    if (role, action) in EXPECTED:
        require(principal(role), action)
    else:
        with pytest.raises(RoleRequired):
            require(principal(role), action)


def test_every_action_has_a_rule() -> None:
    assert set(ALLOWED) == set(Action)


def test_no_role_may_do_nothing() -> None:
    with pytest.raises(RoleRequired) as caught:
        require(principal(), Action.WRITE)
    assert caught.value.metadata == {"role": "WRITER"}
