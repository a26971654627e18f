"""Opening namespaces: what is remembered, for how long, and that refusals cost the same."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import cast
from uuid import UUID

import pytest

from recalld_server.core.access import CACHE_SECONDS, Access
from recalld_server.core.policy import Action
from recalld_server.errors import NamespaceNotFound, RoleRequired
from recalld_server.model import Namespace, Policy, Principal, Role, utc_now
from recalld_server.store.base import Asker, Directory, Held, Reach

ACME, BETA = UUID(int=1), UUID(int=2)
READER = Principal(ACME, "acme", "ann", frozenset({Role.READER}), "k")
NARROW = replace(READER, roles=frozenset({Role.WRITER}), namespaces=("home",))


class Places:
    """A directory of one namespace, `team`; counts what it is asked."""

    def __init__(self, *grants: Held, owner: UUID = ACME) -> None:
        now = utc_now()
        self.reach = Reach(owner, Namespace(UUID(int=9), "team", "", Policy(), 1, now, now), grants)
        self.asked: list[str] = []

    async def find_namespace(self, asker: Asker, name: str) -> Reach | None:
        self.asked.append(name)
        return self.reach if name in ("team", "beta/team") else None

    def access(self, now: list[float] | None = None) -> Access:
        return Access(cast(Directory, self), lambda: now[0] if now else 0.0)


async def test_a_refusal_costs_what_an_absence_costs_however_often() -> None:
    places = Places()
    access = places.access()
    for _ in range(3):
        for name in ("team", "gone"):
            with pytest.raises(NamespaceNotFound):
                await access.open(NARROW, name, Action.READ)
    await access.open(READER, "team", Action.READ)
    for name in ("team", "gone"):
        with pytest.raises(NamespaceNotFound):
            await access.open(NARROW, name, Action.READ)
    assert places.asked == ["team", "gone"] * 3 + ["team"] + ["team", "gone"]


async def test_what_was_opened_is_remembered_for_a_moment() -> None:
    places, now = Places(), [0.0]
    access = places.access(now)
    for moment in (0.0, CACHE_SECONDS - 0.01, CACHE_SECONDS + 0.01):
        now[0] = moment
        await access.open(READER, "team", Action.READ)
    assert len(places.asked) == 2
    access.forget()
    await access.open(READER, "team", Action.READ)
    assert len(places.asked) == 3


async def test_a_grant_that_ends_while_it_is_remembered_opens_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    end = utc_now() + timedelta(hours=1)
    access = Places(Held(Role.READER, False, end)).access()
    await access.open(NARROW, "team", Action.READ)
    monkeypatch.setattr("recalld_server.core.access.utc_now", lambda: end)
    with pytest.raises(NamespaceNotFound):
        await access.open(NARROW, "team", Action.READ)


@pytest.mark.parametrize("granted", list(Role))
@pytest.mark.parametrize("own", list(Role))
async def test_in_another_tenant_both_the_grant_and_the_own_role_must_allow_it(own: Role, granted: Role) -> None:
    from recalld_server.core.policy import ALLOWED

    access = Places(Held(granted, True, None), owner=BETA).access()
    who = replace(READER, roles=frozenset({own}))
    for action in Action:
        if own in ALLOWED[action] and granted in ALLOWED[action]:
            room = await access.open(who, "beta/team", action)
            assert (room.foreign, room.below) == (True, False)
            assert (room.scope.tenant_id, room.scope.agent_id) == (BETA, "acme/ann")
        else:
            with pytest.raises(RoleRequired):
                await access.open(who, "beta/team", action)


async def test_a_confined_credential_gains_nothing() -> None:
    """Its asker names no agent and no role, so the store finds no grant; were it given one, it would not count alone."""
    asked: list[Asker] = []

    class Noting(Places):
        async def find_namespace(self, asker: Asker, name: str) -> Reach | None:
            asked.append(asker)
            return None

    with pytest.raises(NamespaceNotFound):
        await Noting().access().open(replace(NARROW, confined=True), "team", Action.READ)
    assert asked == [Asker(ACME, only=("home",))]
