"""Every RPC of the contract, with every kind of scope that it must not have: no leak, no change, and the answer to what is
denied is the answer to what is not there.

RPCs come from the descriptors. One that is added joins by itself; when `asking` cannot make a request for it, the first
test says so.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor
from tests.rpc.calling import METHODS, Failure, call, told
from tests.rpc.tenancy.asking import ask, has_ids, places
from tests.rpc.tenancy.worlds import Metadata, World, world
from tests.rpc.test_unserved import UNSERVED

from recalld.v1 import memory_pb2
from recalld.v1 import memory_service_pb2 as pb
from recalld.v1 import namespace_service_pb2 as ns
from recalld.v1 import review_service_pb2 as rv
from recalld.v1 import session_service_pb2 as ss
from recalld_server.model import Grantee, Role, new_id, utc_now
from recalld_server.store.base import NewGrant

ALL = (Role.WRITER, Role.REFLECTOR, Role.ADMIN)
MARK = "印记MARK"
"""In every text of the places that must stay hidden."""
HIDDEN = ("orion-labs", "orion/sub", "axb", "ori", "home")
OPEN = ("orion", "a_b")
ABSENT = "nowhere"
TEAM = "orion-labs"
SERVED = [method for method in METHODS.values() if method not in UNSERVED]
SCOPED = [method for method in SERVED if places(method)]
TENANT_WIDE = {"CreateNamespace", "CreateKey", "ListNamespaces", "ListAuditEvents"}
"""Those whose namespace is no namespace that must be there: a new one, a limit, a part of the list."""
INVALID = [
    "",
    " ",
    "　",
    "ORION-LABS",
    "Orion-labs",
    "orion-labs ",
    "ｏｒｉｏｎ-labs",
    "orion-lab%",
    "orion-lab_s%",
    "*",
]
INVALID += [
    "orion-labs/",
    "/orion-labs",
    "orion//sub",
    "orion/../orion-labs",
    "orion/.",
    "orion\x00-labs",
    "ｏrion/sub",
    "а_b",
]
"""Look-alikes that can be no name (the last with a Cyrillic letter)."""


@dataclass(frozen=True)
class Matrix:
    """The world, who asks, and what must stay hidden."""

    world: World
    ids: Mapping[str, str]
    narrow: Metadata
    """Of the same tenant, every role, good in OPEN alone."""
    foreign: Metadata
    """Every role of another tenant."""
    revoked_grant: Metadata
    expired_grant: Metadata
    bad: Mapping[str, Metadata]
    """Credentials that are none."""

    async def outcome(self, method: MethodDescriptor, namespace: str, ids: Mapping[str, str], who: Metadata) -> Any:
        """What the caller is told: a failure, or the bytes of the answers."""
        request = ask(method, namespace, ids, valid=False)
        try:
            answer = await call(self.world.channel, method, request, who, timeout=5)
        except grpc.aio.AioRpcError as error:
            return told(error)
        answers = answer if isinstance(answer, list) else [answer]
        return [each.SerializeToString(deterministic=True) for each in answers]

    def leaks(self, outcome: object) -> bool:
        text = str(outcome) if isinstance(outcome, Failure) else b"".join(outcome).decode("utf-8", "replace")  # type: ignore[arg-type]
        return any(secret in text for secret in (MARK, *self.ids.values()))


async def _things(there: World, admin: Metadata) -> dict[str, str]:
    """One of everything in TEAM, by the name of its id."""
    first = await there.write(admin, TEAM, f"林乔住在杭州 {MARK}")
    await there.write(admin, TEAM, f"另一件事 another thing {MARK}")
    found = await there.call("Search", pb.SearchRequest(namespaces=[TEAM], query=MARK), admin)
    await there.search_log.flush()
    turn = ss.Turn(role=ss.TURN_ROLE_USER, content=f"我说 {MARK}")
    await there.call("AppendTurns", ss.AppendTurnsRequest(namespace=TEAM, session_id=f"s-{MARK}", turns=[turn]), admin)
    grant_id = await there.grant(admin, TEAM, agent_id="gus")
    ids = {
        "memory_id": first,
        "chosen_id": first,
        "session_id": f"s-{MARK}",
        "search_id": found.search_id,
        "grant_id": grant_id,
        "key_id": there.keys[admin[0][1]],
        "review_id": str(new_id()),
        "reflection_id": str(new_id()),
    }
    if METHODS["Reflect"] in SERVED:
        started = await there.call("Reflect", ask(METHODS["Reflect"], TEAM, ids), admin)
        ids["reflection_id"] = started.reflection.reflection_id
    if METHODS["ListReviews"] in SERVED:
        listed = await there.call("ListReviews", rv.ListReviewsRequest(namespace=TEAM), admin)
        ids["review_id"] = listed.reviews[0].review_id if listed.reviews else ids["review_id"]
    return ids


@pytest.fixture
async def matrix(database: str) -> AsyncIterator[Matrix]:
    async with world(database) as there:
        await there.tenant("acme", *HIDDEN, *OPEN)
        await there.tenant("beta", "orion", "own")
        admin = await there.key("acme", "ada", *ALL)
        for name in HIDDEN:
            await there.write(admin, name, f"这里的秘密 the secret of this place {MARK}")
        ids = await _things(there, admin)
        agents = {}
        for agent in ("ben", "carl"):
            agents[agent] = await there.key("acme", agent, *ALL, namespaces=OPEN)
        grant_id = await there.grant(admin, TEAM, ns.ROLE_ADMIN, agent_id="ben", recursive=True)
        await there.call("List", pb.ListRequest(namespace=TEAM), agents["ben"])
        await there.revoke(admin, TEAM, grant_id)
        tenant_id = await there.store.ensure_tenant("acme")
        namespace = await there.store.get_namespace(tenant_id, TEAM)
        assert namespace is not None
        over = utc_now() - timedelta(seconds=1)
        ended = NewGrant(Grantee.AGENT, "carl", Role.ADMIN, True, over)
        await there.store.create_grant(tenant_id, namespace.namespace_id, ended)
        revoked = await there.key("acme", "ada", *ALL)
        await there.store.revoke_key(tenant_id, there.keys[revoked[0][1]])
        expired = await there.key("acme", "ada", *ALL, expire_time=over)
        good = admin[0][1]
        bad: dict[str, Metadata] = {
            "missing": (),
            "blank": (("authorization", ""),),
            "no key": (("authorization", "Bearer "),),
            "of another form": (("authorization", "Basic YWRhOmFkYQ=="),),
            "cut short": (("authorization", good[:-1]),),
            "another secret": (("authorization", f"{good[:-1]}{'A' if good[-1] != 'A' else 'B'}"),),
            "another id": (("authorization", f"Bearer rk_{'0' * 16}_{good.rpartition('_')[2]}"),),
            "in capitals": (("authorization", good.upper()),),
            "twice": ((admin[0]), (admin[0])),
            "revoked": revoked,
            "expired": expired,
        }
        narrow = await there.key("acme", "nora", *ALL, namespaces=OPEN)
        foreign = await there.key("beta", "ada", *ALL)
        for who in (narrow, foreign, *agents.values()):
            # notes the first use of the key, and what a first use may make
            await there.call("ListNamespaces", ns.ListNamespacesRequest(), who)
        yield Matrix(there, ids, narrow, foreign, agents["ben"], agents["carl"], bad)


def random_ids(ids: Mapping[str, str]) -> dict[str, str]:
    """Such as are nowhere."""
    made = {name: str(new_id()) for name in ids}
    return made | {"session_id": "s-none", "key_id": "0" * 16}


def test_a_request_can_be_made_for_every_call() -> None:
    ids = random_ids(
        dict.fromkeys(["memory_id", "chosen_id", "search_id", "grant_id", "review_id", "reflection_id"], "")
    )
    for method in METHODS.values():
        ask(method, "team/a", ids)
    assert {method.name for method in METHODS.values() if not places(method)} == {"ListKeys", "RevokeKey", "MarkUsed"}


@pytest.mark.parametrize("who", ["narrow", "foreign", "revoked_grant", "expired_grant"])
async def test_what_is_denied_is_as_if_it_were_not_there(matrix: Matrix, who: str) -> None:
    holder = getattr(matrix, who)
    names = [name for name in HIDDEN if who != "foreign" or name != "orion"]
    before = await matrix.world.rows()
    for method in SCOPED:
        if method.name in TENANT_WIDE - {"ListAuditEvents"}:
            continue
        absent = await matrix.outcome(method, ABSENT, matrix.ids, holder)
        for name in names:
            denied = await matrix.outcome(method, name, matrix.ids, holder)
            assert denied == absent, (method.name, name)
            assert not matrix.leaks(denied), (method.name, name)
    assert await matrix.world.rows() == before


async def test_a_name_that_is_none_is_refused_before_anything_is_looked_at(matrix: Matrix) -> None:
    before = await matrix.world.rows()
    for method in SCOPED:
        may_be_empty = method.name in {"ListNamespaces", "ListAuditEvents", "Stats"}
        for name in INVALID:
            if may_be_empty and not name:
                continue
            outcome = await matrix.outcome(method, name, matrix.ids, matrix.narrow)
            if method.client_streaming:
                assert not matrix.leaks(outcome), (method.name, name)
                continue
            assert isinstance(outcome, Failure), (method.name, name)
            assert outcome.code is grpc.StatusCode.INVALID_ARGUMENT, (method.name, name)
            assert not matrix.leaks(outcome), (method.name, name)
    assert await matrix.world.rows() == before


@pytest.mark.parametrize("name", ["", "orion", "own"])
async def test_another_tenants_things_are_in_no_place_of_ones_own(matrix: Matrix, name: str) -> None:
    """By id: with the id of a thing of another tenant, in a namespace of one's own or where none is named."""
    before = await matrix.world.rows()
    for method in SERVED:
        if not has_ids(method) or bool(places(method)) != bool(name):
            continue
        unknown = await matrix.outcome(method, name, random_ids(matrix.ids), matrix.foreign)
        denied = await matrix.outcome(method, name, matrix.ids, matrix.foreign)
        assert isinstance(denied, Failure), method.name
        assert denied.code is grpc.StatusCode.NOT_FOUND, (method.name, denied)
        assert denied == unknown, method.name
        assert not matrix.leaks(denied), method.name
    assert await matrix.world.rows() == before


async def test_one_credential_that_is_none_is_like_another(matrix: Matrix) -> None:
    before = await matrix.world.rows()
    outcomes: set[str] = set()
    for method in SERVED:
        for case, metadata in matrix.bad.items():
            outcome = await matrix.outcome(method, TEAM, matrix.ids, metadata)
            assert isinstance(outcome, Failure), (method.name, case)
            assert outcome.code is grpc.StatusCode.UNAUTHENTICATED, (method.name, case)
            outcomes.add(str(outcome))
    assert len(outcomes) == 1
    assert await matrix.world.rows() == before


@pytest.mark.parametrize("who", ["narrow", "foreign", "revoked_grant", "expired_grant"])
async def test_what_spans_the_tenant_shows_only_what_may_be_seen(matrix: Matrix, who: str) -> None:
    holder = getattr(matrix, who)
    for name in ("ListNamespaces", "ListKeys", "ListAuditEvents", "Stats"):
        outcome = await matrix.outcome(METHODS[name], "", matrix.ids, holder)
        assert isinstance(outcome, list), (name, outcome)
        assert not matrix.leaks(outcome), name
    listed = await matrix.world.names(holder)
    assert set(listed) == ({"orion", "own"} if who == "foreign" else set(OPEN))
    figures = await matrix.world.call("Stats", pb.StatsRequest(), holder)
    assert (figures.total, figures.namespaces) == (0, 2)
    below = await matrix.world.call("ListNamespaces", ns.ListNamespacesRequest(parent=TEAM), holder)
    assert list(below.namespaces) == []


async def test_no_filter_leads_out_of_the_scope(matrix: Matrix) -> None:
    """Conditions of a caller narrow what the scope lets through, whatever they name."""
    filters: Iterable[memory_pb2.Filter] = [
        memory_pb2.Filter(agent_ids=["ada"]),
        memory_pb2.Filter(states=list(range(1, 8))),  # type: ignore[arg-type]
        memory_pb2.Filter(
            metadata=[memory_pb2.MetadataCondition(path=["tenant_id"], operator=memory_pb2.METADATA_OPERATOR_MISSING)]
        ),
        memory_pb2.Filter(),
    ]
    for who in (matrix.narrow, matrix.foreign):
        for filter in filters:
            found = await matrix.world.call(
                "Search", pb.SearchRequest(namespaces=["orion"], query=MARK, filter=filter, top_k=100), who
            )
            assert list(found.hits) == []
            listed = await matrix.world.call("List", pb.ListRequest(namespace="orion", filter=filter), who)
            assert list(listed.memories) == []


async def test_the_matrix_would_see_a_leak(matrix: Matrix) -> None:
    """The one who may: everything that is asserted to be hidden is found."""
    admin = await matrix.world.key("acme", "ada", *ALL)
    outcome = await matrix.outcome(METHODS["Search"], TEAM, matrix.ids, admin)
    assert matrix.leaks(outcome)
    assert outcome != await matrix.outcome(METHODS["Search"], ABSENT, matrix.ids, admin)
